import { conform } from '../support/conform.js'

conform('fan-out')
