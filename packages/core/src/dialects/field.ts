import { IsothermError } from '../errors.js'
import type { Column } from '../model/column.js'
import type { Field, Fill, Made, PhysicalColumn } from './layout.js'
import { NotAccepted, type ValueCodec } from './values.js'
import type { Wire } from './wire.js'

/** A field that lies in one physical column of the same type. */
export function plainField(
  table: string,
  column: Column,
  codec: ValueCodec,
  options: { readonly fill: Fill; readonly made?: Made; readonly hidden?: true },
): Field {
  const { fill, made, hidden } = options
  const physical: PhysicalColumn = {
    name: column.name,
    type: column.type,
    nullable: column.nullable,
    written: made?.by !== 'generated',
    ...(made && { made }),
    ...(hidden && { hidden }),
    encode: (value) => codec.encode(value),
  }
  const { decode } = codec
  return {
    column,
    physical: [physical],
    fill,
    accept(value) {
      // Once per cell: no closure is made here.
      try {
        return codec.accept(value)
      } catch (error) {
        throw named(table, column, error)
      }
    },
    parse([wire]) {
      try {
        return codec.parse(wire as Wire)
      } catch (error) {
        throw named(table, column, error)
      }
    },
    ...(decode && {
      join(cells, at) {
        const cell = cells[at]
        if (cell === null || cell === undefined) return cell
        try {
          return decode(cell)
        } catch (error) {
          throw named(table, column, error)
        }
      },
    }),
    compare: (a, b) => codec.compare(a as never, b as never),
  }
}

/** Runs what may refuse a value, and says whose it was. */
export function fieldErrors(table: string, column: Column): <T>(run: () => T) => T {
  return (run) => {
    try {
      return run()
    } catch (error) {
      throw named(table, column, error)
    }
  }
}

function named(table: string, column: Column, error: unknown): unknown {
  if (!(error instanceof NotAccepted)) return error
  return new IsothermError('INVALID_VALUE', `${table}.${column.property} ${error.message}`, {
    table,
    column: column.property,
  })
}
