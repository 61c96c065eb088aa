import { conform } from './files.js'

conform('keys-with-time')
