import { spannerPostgresql } from '@isotherm/spanner'
import { describe } from 'vitest'
import { testPlans } from './plans.js'

describe('spanner-postgresql', () => {
  testPlans(spannerPostgresql)
})
