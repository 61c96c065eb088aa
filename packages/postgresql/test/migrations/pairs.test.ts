import { postgresql } from '@isotherm/postgresql'
import { describe } from 'vitest'
import { testPairs } from '../../../../test/migrations/pairs.js'
import { onEmptyPglite } from '../support/pglite.js'

describe('migrations between random schemas of postgresql', () => {
  testPairs(postgresql, onEmptyPglite)
})
