import { PreciseDate } from '@google-cloud/precise-date'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { preciseOf } from '../../src/keys/precise-date.js'

const parts = fc.tuple(
  fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 }),
  fc.integer({ min: 0, max: 999 }),
  fc.integer({ min: 0, max: 999 }),
)

it('makes the timestamp that the constructor of the class makes', () => {
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

// With other members, each timestamp would be made by the slow methods of the class.
it('knows the members of the class', () => {
  expect(Object.keys(new PreciseDate(0))).toEqual(['_micros', '_nanos', '_picos'])
})
