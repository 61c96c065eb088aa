import { spannerPostgresql } from '@isotherm/spanner'
import { describe } from 'vitest'
import { onEmulator } from './on-emulator.js'
import { testPairs } from './pairs.js'

describe('spanner-postgresql', () => {
  testPairs(spannerPostgresql, onEmulator)
})
