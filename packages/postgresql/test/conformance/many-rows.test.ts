import { conform } from '../support/conform.js'

conform('many-rows')
