import { conform } from '../support/conform.js'

conform('keys')
