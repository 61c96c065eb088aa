import { googlesql } from '@isotherm/spanner'
import { describe } from 'vitest'
import { testPlans } from './plans.js'

describe('migration plans in googlesql', () => {
  testPlans(googlesql)
})
