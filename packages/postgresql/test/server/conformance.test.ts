import { testEngine } from '@isotherm/testing'
import { onServer } from '../support/server.js'

testEngine(onServer(15))
testEngine(onServer(18))
