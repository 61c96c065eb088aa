import { conform } from './files.js'

conform('sequences')
