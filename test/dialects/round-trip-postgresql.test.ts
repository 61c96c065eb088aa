import { spannerPostgresql } from '@isotherm/spanner'
import { describe } from 'vitest'
import { testRoundTrip } from './round-trip.js'

describe('spanner-postgresql', () => {
  testRoundTrip(spannerPostgresql)
})
