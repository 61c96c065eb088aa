import type { Wire, WireType } from '@isotherm/core/engine'
import { literal as quoteText } from './lexical-syntax.js'
import { spannerPostgreSqlType } from './types.js'

// Values as Spanner's PostgreSQL dialect writes them, for DDL, which takes no parameters.

/** A value as it is sent, of a column's type. */
export function spannerPostgreSqlLiteral(wire: Wire, type: WireType): string {
  if (wire === null) return `null::${spannerPostgreSqlType(type)}`
  const text = quoteText(String(wire))
  switch (type.kind) {
    case 'bool':
      return String(wire)
    case 'string':
    case 'uuid':
      return type.kind === 'uuid' && type.storage === 'native' ? `${text}::uuid` : text
    case 'bytes':
      return `${quoteText(`\\x${Buffer.from(String(wire), 'base64').toString('hex')}`)}::bytea`
    case 'array': {
      const items = wire as readonly Wire[]
      const { of } = type
      // Spanner casts only empty arrays; otherwise the items determine the type.
      if (items.length === 0) return `'{}'::${spannerPostgreSqlType(type)}`
      return `array[${items.map((item) => spannerPostgreSqlLiteral(item, of)).join(', ')}]`
    }
    default:
      // The emulator casts no text to real. Below zero, a plain number would take the operator before it for its own.
      return `${type.kind === 'float32' && typeof wire === 'number' ? `(${wire})` : text}::${spannerPostgreSqlType(type)}`
  }
}
