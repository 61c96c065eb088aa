import { conform } from '../support/conform.js'

conform('rows')
