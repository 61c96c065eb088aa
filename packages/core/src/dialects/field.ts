import { IsothermError } from '../errors.js'
import type { Column } from '../model/column.js'
import type { Field, Fill, PhysicalColumn } from './layout.js'
import { NotAccepted, type ValueCodec } from './values.js'
import type { Wire } from './wire.js'

/** A field that lies in one physical column of the same type. */
export function plainField(
  table: string,
  column: Column,
  codec: ValueCodec,
  options: { readonly fill: Fill; readonly written: boolean },
): Field {
  const physical: PhysicalColumn = {
    name: column.name,
    type: column.type,
    nullable: column.nullable,
    written: options.written,
    encode: (value) => codec.encode(value),
  }
  const named = <T>(read: () => T): T => {
    try {
      return read()
    } catch (error) {
      throw error instanceof NotAccepted ? notAccepted(table, column, error) : error
    }
  }
  return {
    column,
    physical: [physical],
    fill: options.fill,
    accept: (value) => named(() => codec.accept(value)),
    parse: ([wire]) => named(() => codec.parse(wire as Wire)),
    compare: (a, b) => codec.compare(a as never, b as never),
  }
}

function notAccepted(table: string, column: Column, error: NotAccepted): IsothermError {
  return new IsothermError('INVALID_VALUE', `${table}.${column.property} ${error.message}`, {
    table,
    column: column.property,
  })
}
