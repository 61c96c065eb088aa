import { type KeyRange, type Cells, type Reader, itemAt } from '@isotherm/core/engine'
import type { CompiledTable } from '@isotherm/core/tools'
import type { PhysicalColumn } from '@isotherm/core/engine'
import type { Wire } from '@isotherm/core/engine'
import { wireOfCell } from '@isotherm/core/tools'
import { shardBounds } from '@isotherm/core/tools'

/** A part of a table: the rows whose keys begin with these values, or all of them. */
export interface Part {
  readonly number: bigint
  readonly prefix: readonly Wire[]
}

/** All rows. */
export const WHOLE: Part = { number: 0n, prefix: [] }

/** A sharded table has a part for each shard: they can be read side by side. */
export function partsOf({ layout }: CompiledTable): readonly Part[] {
  const source = layout.shard?.column.source
  if (source?.kind !== 'shard') return [WHOLE]
  const { lowest, highest } = shardBounds(source)
  return Array.from({ length: highest - lowest + 1 }, (_, at) => {
    const number = BigInt(lowest + at)
    return { number, prefix: [String(number)] }
  })
}

/** The keys of a part behind one of them. */
export function rangeAfter({ prefix }: Part, position: readonly Wire[] | undefined): KeyRange {
  return {
    start: position ?? prefix,
    startOpen: position !== undefined,
    end: prefix,
    endOpen: false,
  }
}

/** The columns that a row is read from: those of its fields, and the additional ones of its key. */
export function scanColumns({ layout, codec }: CompiledTable): readonly PhysicalColumn[] {
  const mirrors = layout.key.map(({ column }) => column).filter((column) => !codec.columns.includes(column))
  return [...codec.columns, ...mirrors]
}

/** The key of a row that was read by `scanColumns`. */
export function scannedKey(
  { layout }: CompiledTable,
  columns: readonly PhysicalColumn[],
  cells: Cells,
): Wire[] {
  return layout.key.map(({ column }) => wireOfCell(column.type, cells[columns.indexOf(column)]))
}

/** All rows of a table, in batches in the order of its key. */
export async function* scan(reader: Reader, table: CompiledTable, batch: number): AsyncGenerator<Cells[]> {
  const columns = scanColumns(table)
  let position: Wire[] | undefined
  for (;;) {
    const range = rangeAfter(WHOLE, position)
    const rows = await reader.read({ layout: table.layout, columns, ranges: [range], limit: batch })
    if (rows.length > 0) yield rows
    if (rows.length < batch) return
    position = scannedKey(table, columns, itemAt(rows, -1))
  }
}
