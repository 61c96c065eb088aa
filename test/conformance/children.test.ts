import { conform } from './files.js'

conform('children')
