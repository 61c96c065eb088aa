import { isDate } from 'node:util/types'
import { IsothermError, shown as shownValue } from '../errors.js'
import { type PreciseDate, momentOf, preciseDate } from './precise-date.js'

// Periods of the calendar in UTC, by its rules without exception (a day has 24 hours, the Gregorian calendar has always
// been in use): a bucket follows from a time alone, in every process and for ever.

/** The length of a time bucket. A week begins on Monday. */
export type BucketSize = 'hour' | 'day' | 'week' | 'month' | 'year'

export const BUCKET_SIZES: readonly BucketSize[] = ['hour', 'day', 'week', 'month', 'year']

const HOUR = 3_600_000
const DAY = 24 * HOUR
const WEEK = 7 * DAY
/** 1970 began on a Thursday: the Monday of that week. */
const FIRST_MONDAY = -3 * DAY

const TEXT = /^\d{4}-\d{2}-\d{2}$/

/**
 * The period that a time falls into, in UTC, as the first moment of it: a calendar day (`YYYY-MM-DD`), or for an hour a
 * timestamp.
 *
 * @param at a time, as a `Date` or as ISO text with an offset, or a calendar day
 * @throws {IsothermError} `INVALID_VALUE` for a value that is not a time from the year 1 to 9999.
 * @example
 * bucketOf(new Date('2026-11-22T10:30:00Z'), 'month') // '2026-11-01'
 */
export function bucketOf(at: Date | string, by: BucketSize): string | PreciseDate {
  checkSize(by)
  return shown(startOf(milliseconds(at), by), by)
}

/**
 * The bucket a number of steps after another; before it, if `steps` is negative.
 *
 * @throws {IsothermError} `INVALID_VALUE` if that is before the year 1 or after 9999.
 * @example
 * bucketAfter('2026-12-28', 'week', 1) // '2027-01-04'
 */
export function bucketAfter(
  bucket: string | PreciseDate,
  by: BucketSize,
  steps: number,
): string | PreciseDate {
  checkSize(by)
  if (!Number.isSafeInteger(steps)) {
    throw new IsothermError('INVALID_VALUE', `${shownValue(steps)} is not a number of buckets.`, {
      fix: 'Give a whole number.',
    })
  }
  const start = startOf(milliseconds(bucket), by)
  return shown(stepped(start, by, steps), by)
}

/** How many steps there are from one bucket to another: negative, where the other is the earlier one. */
export function bucketsBetween(from: string | PreciseDate, to: string | PreciseDate, by: BucketSize): number {
  const start = startOf(milliseconds(from), by)
  const end = startOf(milliseconds(to), by)
  if (by === 'month') return months(end) - months(start)
  if (by === 'year') return (months(end) - months(start)) / 12
  return (end - start) / LENGTHS[by]
}

const LENGTHS = { hour: HOUR, day: DAY, week: WEEK } as const

function startOf(time: number, by: BucketSize): number {
  switch (by) {
    case 'hour':
    case 'day':
      return floored(time, LENGTHS[by])
    case 'week':
      return floored(time - FIRST_MONDAY, WEEK) + FIRST_MONDAY
    case 'month':
      return monthStart(months(time))
    case 'year':
      return monthStart(floored(months(time), 12))
  }
}

function stepped(start: number, by: BucketSize, steps: number): number {
  if (by === 'month') return monthStart(months(start) + steps)
  if (by === 'year') return monthStart(months(start) + 12 * steps)
  return start + LENGTHS[by] * steps
}

/** Downwards, before 1970 too, where a remainder is negative. */
function floored(value: number, unit: number): number {
  return Math.floor(value / unit) * unit
}

/** Months since the year 0. */
function months(time: number): number {
  const date = new Date(time)
  return date.getUTCFullYear() * 12 + date.getUTCMonth()
}

function monthStart(count: number): number {
  // Date.UTC takes a year below 100 for one of the 20th century.
  return new Date(0).setUTCFullYear(Math.floor(count / 12), count % 12, 1)
}

function checkSize(by: BucketSize): void {
  if (BUCKET_SIZES.includes(by)) return
  throw new IsothermError('INVALID_VALUE', `${shownValue(by)} is not the size of a bucket.`, {
    fix: `Use one of ${BUCKET_SIZES.join(', ')}.`,
  })
}

function milliseconds(at: Date | string): number {
  if (typeof at !== 'string') {
    if (!isDate(at)) throw noTime(shownValue(at))
    const time = at.getTime()
    if (isInCalendar(time)) return time
    throw noTime(Number.isNaN(time) ? 'an invalid Date' : at.toISOString())
  }
  if (!TEXT.test(at)) {
    const moment = momentOf(at)
    if (moment && isInCalendar(moment.getTime())) return moment.getTime()
    throw noTime(JSON.stringify(at.slice(0, 60)))
  }
  const time = Date.parse(`${at}T00:00:00Z`)
  // A day that does not exist (2026-02-30) would be another one.
  if (isInCalendar(time) && dayOf(time) === at) return time
  throw noTime(JSON.stringify(at.slice(0, 60)))
}

function shown(start: number, by: BucketSize): string | PreciseDate {
  if (!isInCalendar(start)) throw noTime('what lies before or after those years')
  return by === 'hour' ? preciseDate(new Date(start).toISOString()) : dayOf(start)
}

const YEAR_1 = Date.parse('0001-01-01T00:00:00Z')
const YEAR_10000 = Date.parse('+010000-01-01T00:00:00Z')

function isInCalendar(time: number): boolean {
  return time >= YEAR_1 && time < YEAR_10000
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}

function noTime(what: string): IsothermError {
  return new IsothermError(
    'INVALID_VALUE',
    `A time bucket is of a time from the year 1 to 9999, not ${what}.`,
    {
      fix: 'Pass a Date, ISO text with an offset (2026-11-22T10:00:00+01:00), or a day as YYYY-MM-DD.',
    },
  )
}
