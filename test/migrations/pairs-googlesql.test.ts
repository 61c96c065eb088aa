import { googlesql } from '@isotherm/spanner'
import { describe } from 'vitest'
import { onEmulator } from './on-emulator.js'
import { testPairs } from './pairs.js'

describe('googlesql', () => {
  testPairs(googlesql, onEmulator)
})
