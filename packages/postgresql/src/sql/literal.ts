import type { Wire, WireType } from '@isotherm/core/engine'
import { quoteText } from './lexical-syntax.js'
import { postgresqlType } from './types.js'

/** A value of a column's type as it is stored, written for DDL, which takes no parameters. */
export function postgresqlLiteral(wire: Wire, type: WireType): string {
  if (wire === null) return `null::${postgresqlType(type)}`
  switch (type.kind) {
    case 'bool':
      return String(wire)
    case 'string':
      return quoteText(String(wire))
    case 'bytes':
      return `${quoteText(`\\x${Buffer.from(String(wire), 'base64').toString('hex')}`)}::bytea`
    case 'array': {
      const items = (wire as readonly Wire[]).map((item) => postgresqlLiteral(item, type.of))
      return `array[${items.join(', ')}]::${postgresqlType(type)}`
    }
    default:
      // Below zero, a number would take the operator before it for its own.
      return `${quoteText(Object.is(wire, -0) ? '-0' : String(wire))}::${postgresqlType(type)}`
  }
}
