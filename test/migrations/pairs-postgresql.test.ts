import { describe } from 'vitest'
import { testPairs } from './pairs.js'

describe('spanner-postgresql', () => {
  testPairs('spanner-postgresql')
})
