import { PreciseDate } from '@google-cloud/precise-date'

/**
 * A timestamp from RFC 3339 text in UTC, with up to nine digits of a second. The class's own parser is off by a second for
 * many times before 1970, and slower.
 */
export function preciseDate(text: string): PreciseDate {
  const point = text.indexOf('.')
  if (point < 0) return new PreciseDate(Date.parse(text))
  const fraction = text.slice(point + 1, -1).padEnd(9, '0')
  const date = new PreciseDate(Date.parse(`${text.slice(0, point)}.${fraction.slice(0, 3)}Z`))
  const micros = Number(fraction.slice(3, 6))
  const nanos = Number(fraction.slice(6, 9))
  // Each setter rewrites the whole date, so it is called only where there is something to set.
  if (micros > 0) date.setMicroseconds(micros)
  if (nanos > 0) date.setNanoseconds(nanos)
  return date
}

const ISO_TEXT = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?(Z|([+-])([01]\d|2[0-3]):([0-5]\d))$/
const WITHOUT_OFFSET = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?)?$/

/** The timestamp of ISO text with an offset from UTC; undefined for other text. */
export function momentOf(text: string): PreciseDate | undefined {
  const [found, local, fraction = '', , sign, hours, minutes] = ISO_TEXT.exec(text) ?? []
  if (found === undefined) return undefined
  const milliseconds = Date.parse(`${local}Z`)
  // A day that does not exist (2026-02-30) would be another one.
  if (Number.isNaN(milliseconds) || new Date(milliseconds).toISOString().slice(0, 19) !== local)
    return undefined
  const offset = sign === undefined ? 0 : (Number(hours) * 60 + Number(minutes)) * 60_000
  const utc = new Date(milliseconds - (sign === '-' ? -offset : offset)).toISOString().replace(/\.\d+Z$/, '')
  return preciseDate(`${utc}.${fraction.padEnd(9, '0')}Z`)
}

/** Why text is not a timestamp, and how to write one. */
export function whyNoMoment(text: string): string {
  if (ISO_TEXT.test(text)) return 'There is no such day, or no such time.'
  return WITHOUT_OFFSET.test(text)
    ? 'Text without an offset could be of any time zone: end it with Z or +01:00.'
    : 'As text it is 2026-11-22T10:00:00.123456789+01:00, with up to nine digits of a second, and an offset or Z.'
}

/** How far the clocks of this process and of the database may be apart. */
const CLOCK_SKEW = 10_000

/** Whether a database that reads at this timestamp would wait for it. */
export function isToCome(moment: Date): boolean {
  return moment.getTime() > Date.now() + CLOCK_SKEW
}

/** A valid `Date`, or the timestamp of text, for arguments that accept both; undefined for anything else. */
export function givenMoment(given: unknown): Date | undefined {
  const moment = typeof given === 'string' ? momentOf(given) : given
  if (!(moment instanceof Date)) return undefined
  const year = moment.getUTCFullYear()
  return year >= 1 && year <= 9999 ? moment : undefined
}
