import { IsothermError } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { isOfMissingTable } from '../../src/sequences/refusals.js'

describe('an error of a table that is not there', () => {
  it.each([
    'Table not found: sequences',
    'Table not found: sequences [at 1:72]\n@{LOCK_SCANNED_RANGES=exclusive} SELECT',
    '[ERROR] relation "sequences" does not exist',
  ])('is known by what it says: %s', (message) => {
    expect(isOfMissingTable(new IsothermError('NOT_FOUND', message))).toBe(true)
  })

  it.each(['Database not found: shop', 'Session not found: s1', 'Row [a] in table sequences is missing'])(
    'is no other: %s',
    (message) => {
      expect(isOfMissingTable(new IsothermError('NOT_FOUND', message))).toBe(false)
    },
  )

  it('is one of the database', () => {
    expect(isOfMissingTable(new Error('Table not found: sequences'))).toBe(false)
  })
})
