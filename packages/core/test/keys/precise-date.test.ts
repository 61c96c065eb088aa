import { PreciseDate } from '@google-cloud/precise-date'
import fc from 'fast-check'
import { afterEach, expect, it, vi } from 'vitest'
import { preciseOf } from '../../src/keys/precise-date.js'

afterEach(() => void vi.useRealTimers())

const parts = fc.tuple(
  fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 }),
  fc.integer({ min: 0, max: 999 }),
  fc.integer({ min: 0, max: 999 }),
)

it('preciseOf() returns the same timestamp as the PreciseDate constructor', () => {
  fc.assert(
    fc.property(parts, ([milliseconds, micros, nanos]) => {
      const constructed = new PreciseDate(milliseconds)
      constructed.setMicroseconds(micros)
      constructed.setNanoseconds(nanos)
      const made = preciseOf(milliseconds, micros, nanos)
      expect(made).toStrictEqual(constructed)
      expect(made.toISOString()).toBe(constructed.toISOString())
      expect(made.getFullTimeString()).toBe(constructed.getFullTimeString())
    }),
  )
})

it('preciseOf() returns the given time with the members of the class under fake timers', () => {
  vi.useFakeTimers()
  expect(preciseOf(17, 1, 2).getTime()).toBe(17)
  expect(preciseOf(17, 1, 2).getFullTimeString()).toBe('0017001002')
  expect(Object.getOwnPropertyNames(preciseOf(17))).toEqual(['_micros', '_nanos', '_picos'])
})

// If the class had other members, each timestamp would be made by the slow methods of the class.
it('PreciseDate has the members that preciseOf() sets', () => {
  expect(Object.keys(new PreciseDate(0))).toEqual(['_micros', '_nanos', '_picos'])
})
