import { PreciseDate } from '@google-cloud/precise-date'

/** A moment to the nanosecond. Built from its parts: the class's own parser is wrong for many times before 1970. */
export function precise(text: string): PreciseDate {
  const [seconds, fraction = ''] = text.replace('Z', '').split('.')
  const digits = fraction.padEnd(9, '0')
  const date = new PreciseDate(Date.parse(`${seconds}.${digits.slice(0, 3)}Z`))
  date.setMicroseconds(Number(digits.slice(3, 6)))
  date.setNanoseconds(Number(digits.slice(6)))
  return date
}

/** The same moment to so many digits of its second, as an engine keeps it. */
export function cut(moment: Date, digits: number): PreciseDate {
  const text = moment.toISOString().replace('Z', '')
  return precise(`${text.slice(0, text.indexOf('.') + 1 + digits)}Z`)
}
