import { spannerPostgresql } from '@isotherm/spanner'
import { describe } from 'vitest'
import { testPlans } from './plans.js'

describe('migration plans in spanner-postgresql', () => {
  testPlans(spannerPostgresql)
})
