import { conform } from './files.js'

conform('fan-out')
