import { googlesql } from '@isotherm/spanner'
import { describe } from 'vitest'
import { testRoundTrip } from './round-trip.js'

describe('introspection and DDL in googlesql', () => {
  testRoundTrip(googlesql)
})
