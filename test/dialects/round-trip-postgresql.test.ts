import { spannerPostgresql } from '@isotherm/spanner'
import { describe } from 'vitest'
import { testRoundTrip } from './round-trip.js'

describe('introspection and DDL in spanner-postgresql', () => {
  testRoundTrip(spannerPostgresql)
})
