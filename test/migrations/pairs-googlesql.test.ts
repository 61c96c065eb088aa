import { googlesql } from '@isotherm/spanner'
import { describe } from 'vitest'
import { onEmulator } from './on-emulator.js'
import { testPairs } from './pairs.js'

describe('migrations between random schemas in googlesql', () => {
  testPairs(googlesql, onEmulator)
})
