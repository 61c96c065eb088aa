import { IsothermError } from '@isotherm/core'
import { type WireType, preciseDate } from '@isotherm/core/adapter'
import type { Column } from 'drizzle-orm'

// Values as the clients of PostgreSQL take them and give them back: text, mostly.

export function isoDay(date: Date): string {
  return date.toISOString().slice(0, 10)
}

const MOMENT =
  /^(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2})(?::(\d{2})(\.\d{1,9})?)? ?(?:Z|([+-])(\d{2})(?::?(\d{2})(?::?(\d{2}))?)?)$/i

/** A timestamp in PostgreSQL's format, or in ISO 8601. */
export function moment(value: unknown, column: Column): unknown {
  if (typeof value !== 'string') return value
  const [, day, minutes, seconds = '00', fraction = '', sign = '+', ...offset] =
    MOMENT.exec(value.trim()) ?? []
  const [hours = 0, ...sixtieths] = offset.map((part: string | undefined) => Number(part ?? 0))
  if (day === undefined || hours > 23 || sixtieths.some((part) => part > 59)) {
    throw new IsothermError(
      'INVALID_VALUE',
      `${column.name} takes a timestamp with its time zone, not ${JSON.stringify(value)}.`,
      { fix: "Write the offset: '2026-01-31 12:00:00+00'.", column: column.name },
    )
  }
  // Before 1900, PostgreSQL returns offsets of local time with seconds, which Date does not read.
  const [m = 0, s = 0] = sixtieths
  const ahead = (hours * 3600 + m * 60 + s) * (sign === '-' ? -1000 : 1000)
  const utc = new Date(Date.parse(`${day}T${minutes}:${seconds}Z`) - ahead)
  // An invalid Date, for the codec to refuse.
  return Number.isNaN(utc.getTime()) ? utc : preciseDate(`${utc.toISOString().slice(0, 19)}${fraction}Z`)
}

/** PGlite reads a small bigint as a number, and Drizzle's relational queries read each one as JSON. */
export function bigintOf(value: number, column: Column): bigint {
  if (Number.isSafeInteger(value)) return BigInt(value)
  throw new IsothermError(
    'INVALID_VALUE',
    `${column.name} is about ${value}, and has lost digits: Drizzle's relational query reads it as JSON, whose numbers are exact up to 2^53 only.`,
    {
      fix: `Leave it out (columns: { … }), and read it as text: extras: { id: sql\`\${table.column}::text\`.as('id') }. Or use a select with a join.`,
      column: column.name,
    },
  )
}

/** @throws {IsothermError} `INVALID_VALUE` for what `timestamptz` would round in silence: it keeps microseconds. */
export function refuseNanoseconds(timestamp: string, column: Column): void {
  if (!/\.\d{6}0*[1-9]/.test(timestamp)) return
  throw new IsothermError(
    'INVALID_VALUE',
    `${column.name} of PostgreSQL takes microseconds, and ${timestamp} has nanoseconds: they would be lost.`,
    { fix: 'Round it, or keep it in a bigint.', column: column.name },
  )
}

/** A value as a driver of PostgreSQL's takes it, in the form that Isotherm has it. */
export function fromDriver(value: unknown, type: WireType, column: Column): unknown {
  if (type.kind === 'array' && Array.isArray(value)) {
    return value.map((item) => (item === null ? null : fromDriver(item, type.of, column)))
  }
  if (type.kind === 'numeric' && typeof value === 'number') return String(value)
  if (type.kind === 'date' && value instanceof Date) return isoDay(value)
  if (type.kind === 'bytes' && value instanceof Uint8Array) return Buffer.from(value)
  if (typeof value !== 'string') return value
  switch (type.kind) {
    case 'int64':
      return /^-?\d+$/.test(value) ? BigInt(value) : value
    case 'float32':
    case 'float64':
      return Number(value)
    case 'bool':
      return /^(?:t|true|f|false)$/i.test(value) ? /^t/i.test(value) : value
    case 'timestamp':
      return moment(value, column)
    case 'bytes':
      return value.startsWith('\\x') ? Buffer.from(value.slice(2), 'hex') : value
    case 'json':
      return JSON.parse(value) as unknown
    default:
      return value
  }
}
