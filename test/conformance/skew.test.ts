import { conform } from './files.js'

conform('skew')
