import { conform } from './files.js'

conform('parents-and-children')
