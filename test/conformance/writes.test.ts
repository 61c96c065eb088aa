import { conform } from './files.js'

conform('writes')
