import { googlesql } from '@isotherm/spanner'
import { describe } from 'vitest'
import { testPairs } from './pairs.js'

describe('googlesql', () => {
  testPairs(googlesql)
})
