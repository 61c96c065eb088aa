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
