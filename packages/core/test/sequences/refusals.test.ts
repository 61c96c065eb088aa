import { IsothermError } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { isOfMissingTable } from '../../src/sequences/refusals.js'

describe('isOfMissingTable()', () => {
  it.each([
    'Table not found: sequences',
    'Table not found: sequences [at 1:72]\n@{LOCK_SCANNED_RANGES=exclusive} SELECT',
    '[ERROR] relation "sequences" does not exist',
  ])('returns true for NOT_FOUND with the message of a missing table: %s', (message) => {
    expect(isOfMissingTable(new IsothermError('NOT_FOUND', message))).toBe(true)
  })

  it.each(['Database not found: shop', 'Session not found: s1', 'Row [a] in table sequences is missing'])(
    'returns false for NOT_FOUND with another message: %s',
    (message) => {
      expect(isOfMissingTable(new IsothermError('NOT_FOUND', message))).toBe(false)
    },
  )

  it('returns false for an error that is not an IsothermError', () => {
    expect(isOfMissingTable(new Error('Table not found: sequences'))).toBe(false)
  })
})
