import { spannerPostgresql } from '@isotherm/spanner'
import { describe } from 'vitest'
import { testPairs } from './pairs.js'

describe('spanner-postgresql', () => {
  testPairs(spannerPostgresql)
})
