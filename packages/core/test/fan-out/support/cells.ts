import { type PhysicalColumn, type TableLayout, type Wire, preciseDate } from '@isotherm/core/engine'
import type { PlainRow } from '@isotherm/core/tools'
import { wiresOf } from '../../../src/engine/codec.js'

/** A cell as a driver reads it. */
export function cellOf({ fields }: TableLayout, row: PlainRow, column: PhysicalColumn): unknown {
  const field = fields.find(({ physical }) => physical.includes(column))!
  const wire = wiresOf(field, row[field.column.property])[field.physical.indexOf(column)]!
  return wire === null ? null : decoded(column, wire)
}

function decoded({ type }: PhysicalColumn, wire: Wire): unknown {
  switch (type.kind) {
    case 'int64':
    case 'varint':
      return BigInt(wire as string)
    case 'timestamp':
      return preciseDate(wire as string)
    case 'bytes':
      return Buffer.from(wire as string, 'base64')
    case 'float32':
    case 'float64':
      return Number(wire)
    default:
      return wire
  }
}
