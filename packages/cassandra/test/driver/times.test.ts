import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { dateOf, daysOf, millisOf, nanosOf } from '../../src/driver/encoding.js'

describe('dateOf() and daysOf()', () => {
  it('agree with Date over the whole range of Date', () => {
    fc.assert(
      fc.property(fc.integer({ min: -100_000_000, max: 100_000_000 }), (days) => {
        const [date] = new Date(days * 86_400_000).toISOString().split('T')
        expect(dateOf(days)).toBe(date)
        expect(daysOf(date!)).toBe(days)
      }),
    )
  })

  it('convert days outside the range of Date to dates and back', () => {
    fc.assert(
      fc.property(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }), (days) => {
        expect(daysOf(dateOf(days))).toBe(days)
      }),
    )
    expect(dateOf(-(2 ** 31))).toBe('-5877641-06-23')
    expect(dateOf(2 ** 31 - 1)).toBe('+5881580-07-11')
  })

  it('dateOf() writes the years 0000 to 9999 with four digits, and other years with a sign', () => {
    expect(['0000-01-01', '9999-12-31'].map((date) => dateOf(daysOf(date)))).toEqual([
      '0000-01-01',
      '9999-12-31',
    ])
    expect(dateOf(daysOf('9999-12-31') + 1)).toBe('+010000-01-01')
    expect(dateOf(daysOf('0000-01-01') - 1)).toBe('-000001-12-31')
  })
})

it.each([
  ['1970-01-01T00:00:00Z', 0],
  ['1969-12-31T23:59:59.999Z', -1],
  ['1969-12-31T23:59:59.999000000Z', -1],
  ['2026-11-22T10:20:30.5Z', Date.UTC(2026, 10, 22, 10, 20, 30, 500)],
  ['0001-01-01T00:00:00.001000000Z', -62_135_596_799_999],
])('millisOf() converts %s to %d milliseconds', (timestamp, millis) => {
  expect(millisOf(timestamp)).toBe(millis)
})

it.each([
  ['00:00:00', 0],
  ['00:00:00.000000001', 1],
  ['13:30:54.1', 48_654_100_000_000],
  ['23:59:59.999999999', 86_399_999_999_999],
])('nanosOf() converts %s to %d nanoseconds', (time, nanos) => {
  expect(nanosOf(time)).toBe(nanos)
})
