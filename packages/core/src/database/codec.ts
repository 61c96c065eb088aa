import { type Field, type PhysicalColumn, type TableLayout } from '../dialects/layout.js'
import type { Wire, WireType } from '../dialects/wire.js'
import type { Cells } from './driver.js'

/** A row as a plain object. */
export type PlainRow = Record<string, unknown>

/** How rows of one table become cells and cells rows: compiled once, then no look-up per row. */
export interface RowCodec {
  /** The columns a row is read from. */
  readonly columns: readonly PhysicalColumn[]
  readonly types: readonly WireType[]
  decode(cells: Cells): PlainRow
}

/** @param fields those of a table, or some of them */
export function rowCodec(fields: readonly Field[]): RowCodec {
  const columns = fields.flatMap((field) => field.physical)
  const types = columns.map((column) => column.type)
  const properties = fields.map((field) => field.column.property)
  if (fields.every((field) => field.physical.length === 1 && !field.join)) {
    return {
      columns,
      types,
      decode(cells) {
        const row: PlainRow = {}
        for (let at = 0; at < properties.length; at++) row[properties[at]!] = cells[at]
        return row
      },
    }
  }
  let next = 0
  const starts = fields.map((field) => {
    const start = next
    next += field.physical.length
    return start
  })
  return {
    columns,
    types,
    decode(cells) {
      const row: PlainRow = {}
      fields.forEach((field, at) => {
        const start = starts[at]!
        row[properties[at]!] = field.join ? field.join(cells, start) : cells[start]
      })
      return row
    },
  }
}

/** A value of a row, which has been accepted or read, as its field stores it. */
export function wiresOf(field: Field, value: unknown): readonly Wire[] {
  return field.physical.map((column) => (value === null ? null : column.encode(value)))
}

/** The key of a row, as stored. */
export function keyWires({ key }: Pick<TableLayout, 'key'>, row: PlainRow): Wire[] {
  return key.map(({ field, column }) => {
    const value = row[field.column.property]
    return value === null ? null : column.encode(value)
  })
}
