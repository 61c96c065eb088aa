import { describe, expect, it } from 'vitest'
import { isTimeOrderedUuid, isUuid, uuidV4 } from '../../src/keys/uuid.js'

describe('uuidV4()', () => {
  it('returns unique lower-case UUIDs of version 4', () => {
    const made = Array.from({ length: 1000 }, uuidV4)
    expect(new Set(made).size).toBe(1000)
    for (const uuid of made) {
      expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      expect(isUuid(uuid)).toBe(true)
      expect(isTimeOrderedUuid(uuid)).toBe(false)
    }
  })
})

describe('isUuid()', () => {
  it.each(['00000000-0000-0000-0000-000000000000', 'F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6'])(
    'returns true for the UUID %s',
    (text) => {
      expect(isUuid(text)).toBe(true)
    },
  )

  it.each([
    '',
    'f81d4fae7dec11d0a76500a0c91e6bf6',
    '{f81d4fae-7dec-11d0-a765-00a0c91e6bf6}',
    'f81d4fae-7dec-11d0-a765-00a0c91e6bf6\n',
    ' f81d4fae-7dec-11d0-a765-00a0c91e6bf6',
    'g81d4fae-7dec-11d0-a765-00a0c91e6bf6',
    'f81d4fae-7dec-11d0-a765-00a0c91e6bf',
    'f81d4fae-7dec-11d0-a7650-0a0c91e6bf6',
    '01ARZ3NDEKTSV4RRFFQ69G5FAV',
  ])('returns false for %j, which is not a UUID', (text) => {
    expect(isUuid(text)).toBe(false)
  })
})

describe('isTimeOrderedUuid()', () => {
  // The examples of RFC 9562, appendix A: the same moment in each version.
  it.each([
    ['C232AB00-9414-11EC-B3C8-9F6BDECED846', true],
    ['1EC9414C-232A-6B00-B3C8-9F6BDECED846', true],
    ['017F22E2-79B0-7CC3-98C4-DC0C0C07398F', true],
    ['5df41881-3aed-3515-88a7-2f4a814cf09e', false],
    ['919108f7-52d1-4320-9bac-f847db4148a8', false],
    ['2ed6657d-e927-568b-95e1-2665a8aea6a2', false],
    ['2489E9AD-2EE2-8E00-8EC9-32D5F69181C0', false],
  ])('returns for the UUID %s the value %s', (uuid, expected) => {
    expect(isTimeOrderedUuid(uuid)).toBe(expected)
  })
})
