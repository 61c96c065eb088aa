import { bucketAfter, bucketOf } from '@isotherm/core/keys'
import { preciseDate } from '@isotherm/core/engine'
import { PreciseDate } from '@google-cloud/precise-date'
import { IsothermError, type BucketSize } from '@isotherm/core'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BUCKET_SIZES, bucketsBetween } from '../../src/keys/time-bucket.js'

const HOUR = 3_600_000
const DAY = 24 * HOUR

const time = fc.date({
  min: new Date('0001-01-01T00:00:00Z'),
  max: new Date('9998-12-31T00:00:00Z'),
  noInvalidDate: true,
})
// Two thousand years from both ends of the calendar: room for steps.
const middle = fc.date({
  min: new Date('2101-01-01T00:00:00Z'),
  max: new Date('7900-01-01T00:00:00Z'),
  noInvalidDate: true,
})
const size = fc.constantFrom<BucketSize>(...BUCKET_SIZES)
const steps = fc.integer({ min: -1000, max: 1000 })

/** The first moment of a bucket. */
function start(bucket: string | PreciseDate): number {
  return typeof bucket === 'string' ? Date.parse(`${bucket}T00:00:00Z`) : bucket.getTime()
}

/** The start of the period, computed from text and by counting days one after another. */
function slowly(at: Date, by: BucketSize): number {
  const text = at.toISOString()
  if (by === 'hour') return Date.parse(`${text.slice(0, 13)}:00:00Z`)
  if (by === 'month') return Date.parse(`${text.slice(0, 7)}-01T00:00:00Z`)
  if (by === 'year') return Date.parse(`${text.slice(0, 4)}-01-01T00:00:00Z`)
  let day = Date.parse(`${text.slice(0, 10)}T00:00:00Z`)
  if (by === 'day') return day
  while (new Date(day).getUTCDay() !== 1) day -= DAY
  return day
}

describe('bucketOf()', () => {
  it('returns the start of the period in UTC', () => {
    fc.assert(
      fc.property(time, size, (at, by) => {
        expect(start(bucketOf(at, by))).toBe(slowly(at, by))
      }),
      { numRuns: 3000 },
    )
  })

  it('returns a day as text, and an hour as a timestamp', () => {
    const at = new Date('2026-11-22T10:30:00.123Z')
    expect(BUCKET_SIZES.map((by) => bucketOf(at, by))).toStrictEqual([
      preciseDate('2026-11-22T10:00:00Z'),
      '2026-11-22',
      '2026-11-16',
      '2026-11-01',
      '2026-01-01',
    ])
    expect(bucketOf(at, 'hour')).toBeInstanceOf(PreciseDate)
  })

  it.each([
    // 2024 has a 29th of February; 1900 had none, 2000 had.
    ['2024-02-29T23:59:59.999Z', 'month', '2024-02-01'],
    ['2024-12-31T12:00:00Z', 'year', '2024-01-01'],
    ['1900-02-28T23:00:00Z', 'day', '1900-02-28'],
    ['2000-02-29T00:00:00Z', 'day', '2000-02-29'],
    // Weeks go across years, months and 1970.
    ['2025-01-01T00:00:00Z', 'week', '2024-12-30'],
    ['1970-01-01T00:00:00Z', 'week', '1969-12-29'],
    ['1969-12-28T23:59:59.999Z', 'week', '1969-12-22'],
    ['1969-12-31T23:59:59.999Z', 'day', '1969-12-31'],
    ['1969-12-31T23:59:59.999Z', 'month', '1969-12-01'],
    ['1969-12-31T23:59:59.999Z', 'year', '1969-01-01'],
    // The year 1 began on a Monday, and years below 100 are not years of the 20th century.
    ['0001-01-01T00:00:00Z', 'week', '0001-01-01'],
    ['0099-06-15T00:00:00Z', 'year', '0099-01-01'],
    ['9999-12-31T23:59:59.999Z', 'week', '9999-12-27'],
  ] as const)('returns for the time %s and the size %s the bucket %s', (at, by, expected) => {
    expect(bucketOf(new Date(at), by)).toBe(expected)
  })

  it('accepts timestamps with nanoseconds, also before 1970', () => {
    expect(bucketOf(preciseDate('1969-12-31T23:59:59.999999999Z'), 'day')).toBe('1969-12-31')
    expect(bucketOf(preciseDate('1970-01-01T00:00:00.000000001Z'), 'day')).toBe('1970-01-01')
    expect(bucketOf(preciseDate('1969-12-31T23:59:59.999999999Z'), 'hour')).toStrictEqual(
      preciseDate('1969-12-31T23:00:00Z'),
    )
  })

  it('accepts ISO text with an offset and returns the bucket in UTC', () => {
    expect(bucketOf('2026-11-22T00:30:00.123456789+01:00', 'day')).toBe('2026-11-21')
    expect(bucketOf('2026-11-22T00:30:00Z', 'month')).toBe('2026-11-01')
    expect((bucketOf('2026-11-22T00:30:00-01:00', 'hour') as Date).toISOString()).toMatch(
      /^2026-11-22T01:00:00/,
    )
  })

  it('accepts a day as text instead of a timestamp', () => {
    expect(bucketOf('2026-11-22', 'week')).toBe('2026-11-16')
    expect(bucketOf('0004-02-29', 'month')).toBe('0004-02-01')
  })

  it('returns a bucket unchanged if called with the bucket', () => {
    fc.assert(
      fc.property(time, size, (at, by) => {
        const bucket = bucketOf(at, by)
        expect(bucketOf(bucket, by)).toStrictEqual(bucket)
      }),
    )
  })

  it.each([new Date(Number.NaN), new Date('0000-12-31T23:59:59Z'), new Date('+010000-01-01T00:00:00Z')])(
    'throws an error for the date %s, which is invalid or outside the years 1 to 9999',
    (at) => {
      for (const by of BUCKET_SIZES) expect(() => bucketOf(at, by)).toThrow(IsothermError)
    },
  )

  it.each([
    '2026-02-30',
    '2026-1-1',
    '',
    'today',
    '2026-11-22T10:00:00',
    '2026-02-30T10:00:00Z',
    '+10000-01-01',
  ])('throws an error for the text "%s", which is not a day and not a timestamp with an offset', (day) => {
    expect(() => bucketOf(day, 'day')).toThrow('A time bucket is of a time from the year 1 to 9999')
  })
})

describe('bucketAfter()', () => {
  it('returns the next bucket, which starts where the current bucket ends', () => {
    fc.assert(
      fc.property(time, size, (at, by) => {
        const bucket = bucketOf(at, by)
        const next = bucketAfter(bucket, by, 1)
        expect(start(bucket)).toBeLessThanOrEqual(at.getTime())
        expect(start(next)).toBeGreaterThan(at.getTime())
        // The last millisecond before the next bucket belongs to this bucket.
        expect(bucketOf(new Date(start(next) - 1), by)).toStrictEqual(bucket)
        expect(bucketOf(new Date(start(next)), by)).toStrictEqual(next)
      }),
      { numRuns: 2000 },
    )
  })

  it('adds positive and negative steps, and bucketsBetween() counts the steps', () => {
    fc.assert(
      fc.property(middle, size, steps, steps, (at, by, some, more) => {
        const bucket = bucketOf(at, by)
        const far = bucketAfter(bucket, by, some)
        expect(bucketAfter(far, by, more)).toStrictEqual(bucketAfter(bucket, by, some + more))
        expect(bucketAfter(far, by, -some)).toStrictEqual(bucket)
        expect(bucketsBetween(bucket, far, by)).toBe(some)
      }),
      { numRuns: 2000 },
    )
  })

  it.each([
    ['2026-12-28', 'week', 1, '2027-01-04'],
    ['2024-01-01', 'month', 1, '2024-02-01'],
    ['2024-03-01', 'month', -1, '2024-02-01'],
    ['2023-12-01', 'month', 14, '2025-02-01'],
    ['1970-01-01', 'month', -1, '1969-12-01'],
    ['2024-02-28', 'day', 2, '2024-03-01'],
    ['2023-02-28', 'day', 1, '2023-03-01'],
    ['2000-01-01', 'year', -1999, '0001-01-01'],
    ['0001-01-01', 'year', 9998, '9999-01-01'],
  ] as const)(
    'returns for the bucket %s, by %s, %d steps later, the bucket %s',
    (bucket, by, count, expected) => {
      expect(bucketAfter(bucket, by, count)).toBe(expected)
    },
  )

  it.each([
    ['0001-01-01', 'day', -1],
    ['0001-01-01', 'month', -1],
    ['9999-01-01', 'year', 1],
    ['9999-12-27', 'week', 1],
  ] as const)('rejects a result outside the years 1 to 9999: %s by %s, %d steps', (bucket, by, count) => {
    expect(() => bucketAfter(bucket, by, count)).toThrow('A time bucket is of a time from the year 1 to 9999')
  })
})
