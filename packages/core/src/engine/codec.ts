import type { Field, PhysicalColumn, TableLayout, Wire, WireType } from '../layout/layout.js'
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
        let at = 0
        for (const property of properties) row[property] = cells[at++]
        return row
      },
    }
  }
  let next = 0
  const placed = fields.map((field) => {
    const start = next
    next += field.physical.length
    return { field, property: field.column.property, start }
  })
  return {
    columns,
    types,
    decode(cells) {
      const row: PlainRow = {}
      for (const { field, property, start } of placed)
        row[property] = field.join ? field.join(cells, start) : cells[start]
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

/** A cell in its stored form, without interpreting it: documents keep their text, numbers all their digits. */
export function wireOfCell(type: WireType, cell: unknown): Wire {
  if (cell === null || cell === undefined) return null
  switch (type.kind) {
    case 'int64':
      return (cell as bigint).toString()
    case 'float32':
    case 'float64':
      return Number.isFinite(cell) ? (cell as number) : (cell as number).toString()
    case 'bytes':
      return (cell as Buffer).toString('base64')
    case 'timestamp':
      return (cell as Date).toISOString()
    case 'array':
      return (cell as readonly unknown[]).map((each) => wireOfCell(type.of, each))
    default:
      return cell as Wire
  }
}
