import { googlesql } from '@isotherm/spanner'
import { describe } from 'vitest'
import { testPlans } from './plans.js'

describe('googlesql', () => {
  testPlans(googlesql)
})
