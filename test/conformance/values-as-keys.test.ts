import { conform } from './files.js'

conform('values-as-keys')
