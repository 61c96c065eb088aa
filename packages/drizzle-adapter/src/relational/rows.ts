import type { Cells } from '@isotherm/core/adapter'
import type { Column } from 'drizzle-orm'
import { put } from '../session/put.js'
import { columnDecoder, fieldDecoder, type CellDecoder } from '../session/rows.js'
import type { RelationalNode } from './plan.js'

type Row = Record<string, unknown>

interface RowPlan {
  /** At the place of their cells. */
  readonly fields: readonly { readonly name: string; readonly decoder: CellDecoder | undefined }[]
  /** After the fields. Their cells are rows: arrays of cells. */
  readonly relations: readonly { readonly name: string; readonly isOne: boolean; readonly plan: RowPlan }[]
}

/** How cells become nested rows, compiled once per query. A row of its own is a cell that is an array of cells. */
export function relationalRowMapper(
  node: RelationalNode,
  decoderFor: (column: Column) => CellDecoder = columnDecoder,
): (cells: Cells) => Row {
  const plan = planOf(node, decoderFor)
  return (cells) => read(plan, cells)
}

function planOf({ fields, relations }: RelationalNode, decoderFor: (column: Column) => CellDecoder): RowPlan {
  return {
    fields: fields.map(({ name, field }) => ({ name, decoder: fieldDecoder(field, decoderFor) })),
    relations: relations.map(({ name, node }) => ({
      name,
      isOne: node.isOne,
      plan: planOf(node, decoderFor),
    })),
  }
}

function read({ fields, relations }: RowPlan, cells: Cells): Row {
  const row: Row = {}
  for (let at = 0; at < fields.length; at++) {
    const { name, decoder } = fields[at]!
    const cell = cells[at]
    put(row, name, cell === null || !decoder ? cell : decoder.decode(cell))
  }
  for (let at = 0; at < relations.length; at++) {
    const { name, isOne, plan } = relations[at]!
    const found = cells[fields.length + at] as readonly Cells[]
    if (isOne) put(row, name, found.length > 0 ? read(plan, found[0]!) : null)
    else put(row, name, readAll(plan, found))
  }
  return row
}

function readAll(plan: RowPlan, found: readonly Cells[]): Row[] {
  const rows: Row[] = []
  for (let at = 0; at < found.length; at++) rows.push(read(plan, found[at]!))
  return rows
}
