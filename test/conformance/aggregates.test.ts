import { conform } from './files.js'

conform('aggregates')
