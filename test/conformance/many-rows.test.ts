import { conform } from './files.js'

conform('many-rows')
