// Texts of dates and times, and the numbers that the protocol has for them. Years may have any number of digits: a date
// reaches from -5877641-06-23 to 5881580-07-11, which is more than `Date` does.

const MILLIS_PER_DAY = 86_400_000
const NANOS_PER_SECOND = 1_000_000_000

/** Days since 1970-01-01. */
export function daysOf(date: string): number {
  // Most dates are plain ones, which the engine reads fastest.
  if (date.length === 10) return Math.floor(Date.parse(date) / MILLIS_PER_DAY)
  const [, year, month, day] = /^([+-]?\d+)-(\d\d)-(\d\d)$/.exec(date)!
  return daysOfCivil(Number(year), Number(month), Number(day))
}

/** `2026-11-22`; years before 0 and after 9999 with their sign, as ISO 8601 has it. */
export function dateOf(days: number): string {
  const { year, month, day } = civilOf(days)
  const plain = year >= 0 && year <= 9999
  const digits = String(Math.abs(year)).padStart(plain ? 4 : 6, '0')
  return `${plain ? '' : year < 0 ? '-' : '+'}${digits}-${two(month)}-${two(day)}`
}

// The Gregorian calendar in eras of 400 years, which all have the same days; years begin in March, so that the day that comes
// and goes is their last.

const DAYS_PER_ERA = 146_097
/** From 0000-03-01 to 1970-01-01. */
const EPOCH = 719_468

function daysOfCivil(year: number, month: number, day: number): number {
  const from = month > 2 ? year : year - 1
  const era = Math.floor(from / 400)
  const yearOfEra = from - era * 400
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear
  return era * DAYS_PER_ERA + dayOfEra - EPOCH
}

function civilOf(days: number): { year: number; month: number; day: number } {
  const shifted = days + EPOCH
  const era = Math.floor(shifted / DAYS_PER_ERA)
  const dayOfEra = shifted - era * DAYS_PER_ERA
  const leaps = Math.floor(dayOfEra / 1460) - Math.floor(dayOfEra / 36_524) + Math.floor(dayOfEra / 146_096)
  const yearOfEra = Math.floor((dayOfEra - leaps) / 365)
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const fromMarch = Math.floor((5 * dayOfYear + 2) / 153)
  const month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * fromMarch + 2) / 5) + 1,
  }
}

/** Milliseconds since 1970 of RFC 3339 text in UTC. Digits below are no business of a database that has none. */
export function millisOf(timestamp: string): number {
  const point = timestamp.indexOf('.')
  return point < 0 || timestamp.length - point <= 5
    ? Date.parse(timestamp)
    : Date.parse(`${timestamp.slice(0, point + 4)}Z`)
}

/** Nanoseconds since midnight. */
export function nanosOf(time: string): number {
  const fraction = time.length > 9 ? Number(time.slice(9).padEnd(9, '0')) : 0
  const seconds = Number(time.slice(0, 2)) * 3600 + Number(time.slice(3, 5)) * 60 + Number(time.slice(6, 8))
  return seconds * NANOS_PER_SECOND + fraction
}

function two(number: number): string {
  return String(number).padStart(2, '0')
}
