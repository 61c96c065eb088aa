import { foreignKind } from '@isotherm/core/engine'
import type { Wire, WireType } from '@isotherm/core/engine'

// Values as GoogleSQL writes them, for DDL, which takes no parameters.
// Source: https://cloud.google.com/spanner/docs/reference/standard-sql/lexical#literals

/** A text between single quotes. */
export function quoteText(text: string): string {
  return `'${text.replace(UNSAFE, escaped)}'`
}

const UNSAFE = /[\\'`]|\p{Cc}/gu

function escaped(character: string): string {
  return character < ' ' || character > '~'
    ? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
    : `\\${character}`
}

/** A value as it is sent, of a column's type. */
export function googleSqlLiteral(wire: Wire, type: WireType): string {
  if (wire === null) return `CAST(NULL AS ${typeName(type)})`
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
      return bytesLiteral(Buffer.from(String(wire), 'base64'))
    case 'string':
      return quoteText(String(wire))
    case 'uuid':
      return type.storage === 'native' ? `CAST(${quoteText(String(wire))} AS UUID)` : quoteText(String(wire))
    case 'array': {
      const { of } = type
      const items = (wire as readonly Wire[]).map((item) =>
        item === null ? 'NULL' : googleSqlLiteral(item, of),
      )
      return `${typeName(type)}[${items.join(', ')}]`
    }
    default:
      throw foreignKind(type, 'googlesql')
  }
}

/** In parentheses, since two minus signs begin a comment. */
export function signed(number: string): string {
  return number.startsWith('-') ? `(${number})` : number
}

/** With a point or an exponent: digits alone would be an integer. */
function float(value: number): string {
  const printed = Object.is(value, -0) ? '-0' : String(value)
  return signed(/[.e]/.test(printed) ? printed : `${printed}.0`)
}

export function bytesLiteral(value: Uint8Array): string {
  return `b'${Array.from(value, (byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')}'`
}

/** As expressions have it, without a length. */
function typeName(type: WireType): string {
  if (type.kind === 'array') return `ARRAY<${typeName(type.of)}>`
  if (type.kind === 'uuid') return type.storage === 'native' ? 'UUID' : 'STRING'
  return type.kind.toUpperCase()
}
