import { IsothermError } from '@isotherm/core'
import { foreignKind, type Wire, type WireType } from '@isotherm/core/adapter'
import { is, Param, Placeholder } from 'drizzle-orm'

// Values as GoogleSQL writes them, for DDL, which takes no parameters.
// Source: https://cloud.google.com/spanner/docs/reference/standard-sql/lexical#literals

/** A text between single quotes. */
export function quoteText(text: string): string {
  return `'${text.replace(UNSAFE, escaped)}'`
}

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
 * A value as it is sent, of a column's type; or as a user wrote it, where no column says of what type it is.
 *
 * @throws {IsothermError} `UNSUPPORTED` for a placeholder, and for what has no literal without a type.
 */
export function literal(value: unknown, type: WireType | undefined): string {
  if (value === null) return type ? `CAST(NULL AS ${typeName(type)})` : 'NULL'
  return type ? typed(value as Wire, type) : untyped(value)
}

function typed(wire: Wire, type: WireType): string {
  switch (type.kind) {
    case 'bool':
      return String(wire).toUpperCase()
    case 'int64':
      return signed(String(wire))
    case 'float32':
    case 'float64':
      return typeof wire === 'number' ? float(wire) : `CAST(${quoteText(String(wire))} AS ${typeName(type)})`
    case 'numeric':
    case 'date':
    case 'timestamp':
    case 'json':
      return `${typeName(type)} ${quoteText(String(wire))}`
    case 'bytes':
      return bytes(Buffer.from(String(wire), 'base64'))
    case 'string':
      return quoteText(String(wire))
    case 'uuid':
      return type.storage === 'native' ? `CAST(${quoteText(String(wire))} AS UUID)` : quoteText(String(wire))
    case 'array': {
      const items = (wire as readonly Wire[]).map((item) => (item === null ? 'NULL' : typed(item, type.of)))
      return `${typeName(type)}[${items.join(', ')}]`
    }
    default:
      throw foreignKind(type)
  }
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
      if (value instanceof Uint8Array) return bytes(value)
      if (value instanceof Date) return `TIMESTAMP ${quoteText(value.toISOString())}`
      throw noLiteral(value)
  }
}

function noLiteral(value: unknown): IsothermError {
  const placeholder = is(value, Param) ? value.value : value
  return is(placeholder, Placeholder)
    ? new IsothermError(
        'UNSUPPORTED',
        `The placeholder ${placeholder.name} stands where a schema needs a value.`,
        { fix: 'Write the value itself.' },
      )
    : new IsothermError('UNSUPPORTED', 'An object or an array has no literal without its type.', {
        fix: 'Say the column that it is a value of: sql.param(value, column).',
      })
}

/** In parentheses, since two minus signs begin a comment. */
function signed(number: string): string {
  return number.startsWith('-') ? `(${number})` : number
}

/** With a point or an exponent: digits alone would be an integer. */
function float(value: number): string {
  const printed = Object.is(value, -0) ? '-0' : String(value)
  return signed(/[.e]/.test(printed) ? printed : `${printed}.0`)
}

function bytes(value: Uint8Array): string {
  return `b'${Array.from(value, (byte) => `\\x${hex(byte, 2)}`).join('')}'`
}

/** As expressions have it, without a length. */
function typeName(type: WireType): string {
  if (type.kind === 'array') return `ARRAY<${typeName(type.of)}>`
  if (type.kind === 'uuid') return type.storage === 'native' ? 'UUID' : 'STRING'
  return type.kind.toUpperCase()
}
