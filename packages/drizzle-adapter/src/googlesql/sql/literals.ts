import { IsothermError } from '@isotherm/core'
import { bytesLiteral, googleSqlLiteral, quoteText, signed } from '@isotherm/spanner/adapter'
import type { Wire, WireType } from '@isotherm/core/adapter'
import { Param, Placeholder, is } from 'drizzle-orm'

// Values as GoogleSQL writes them, for DDL, which takes no parameters.
// Source: https://cloud.google.com/spanner/docs/reference/standard-sql/lexical#literals

/** A name between backticks: many are keywords. */
export function quoteName(name: string): string {
  // Nearly every name is as it should be, and this runs for every column of a query.
  return UNSAFE_NAME.test(name) ? `\`${name.replace(UNSAFE, escaped)}\`` : `\`${name}\``
}

const UNSAFE = /[\\'`]|\p{Cc}/gu
const UNSAFE_NAME = /[\\'`]|\p{Cc}/u

function escaped(character: string): string {
  return character < ' ' || character > '~' ? `\\u${hex(character.charCodeAt(0), 4)}` : `\\${character}`
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0')
}

/**
 * A value in the form that the driver takes, with the type of its column; without a column, as the user wrote it.
 *
 * @throws {IsothermError} `UNSUPPORTED_MODEL` for a placeholder, and for a value that has no literal without a type.
 */
export function literal(value: unknown, type: WireType | undefined): string {
  if (type) return googleSqlLiteral(value as Wire, type)
  return value === null ? 'NULL' : untyped(value)
}

function untyped(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return quoteText(value)
    case 'bigint':
      return signed(String(value))
    case 'boolean':
      return String(value).toUpperCase()
    case 'number':
      return Number.isFinite(value) ? signed(String(value)) : `CAST(${quoteText(String(value))} AS FLOAT64)`
    default:
      if (value instanceof Uint8Array) return bytesLiteral(value)
      if (value instanceof Date) return `TIMESTAMP ${quoteText(value.toISOString())}`
      throw noLiteral(value)
  }
}

function noLiteral(value: unknown): IsothermError {
  const placeholder = is(value, Param) ? value.value : value
  return is(placeholder, Placeholder)
    ? new IsothermError(
        'UNSUPPORTED_MODEL',
        `The placeholder ${placeholder.name} is used where a schema needs a value.`,
        { fix: 'Write the value itself.' },
      )
    : new IsothermError('UNSUPPORTED_MODEL', 'An object or an array has no literal without its type.', {
        fix: 'Give its column: sql.param(value, column).',
      })
}
