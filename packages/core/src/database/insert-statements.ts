import type { Field, PhysicalColumn } from '../dialects/layout.js'
import type { Wire } from '../dialects/wire.js'
import { keyWires, type PlainRow } from './codec.js'
import type { CompiledTable } from './compiled-table.js'
import type { TransactionContext } from './driver.js'
import { complete, completeKeys, generatedFrom } from './complete.js'
import type { PreparedInsert, RowGroup } from './insert-plan.js'
import { sqlOf } from '../dialects/dialect.js'

/** Inserts by statement, and completes the prepared rows with what the database made. */
export async function insertReturning(
  context: TransactionContext,
  table: CompiledTable,
  prepared: PreparedInsert,
  groups: readonly RowGroup[],
): Promise<void> {
  const { layout, dialect } = table
  const { statements, maxParameters } = sqlOf(dialect, 'An insert by statement')
  for (const group of groups) {
    const { returned, readBack, unknownKey } = waysBack(table, group)
    const returning = returned.flatMap((field) => field.physical)
    const types = returning.map((column) => column.type)
    // A row of which the database makes every column still has to name one.
    const columns = group.columns.length > 0 ? group.columns : [firstWritten(table)]
    const perStatement = Math.max(1, Math.floor(maxParameters / columns.length))
    for (let from = 0; from < group.rows.length; from += perStatement) {
      const wires = group.rows.slice(from, from + perStatement)
      const rows = group.places.slice(from, from + perStatement).map((place) => prepared.rows[place]!)
      const statement = statements.insert(layout, columns, wires, returning)
      if (returning.length === 0) await context.execute([statement])
      else {
        const answers = await context.returning(statement, types)
        answers.forEach((cells, at) => complete(rows[at]!, returned, returning, cells))
      }
      if (unknownKey.length > 0) await completeKeys(context, table, rows, unknownKey)
      if (readBack.length > 0) await completeByReading(context, table, rows, readBack)
    }
  }
}

function firstWritten({ layout }: CompiledTable): PhysicalColumn {
  return (
    layout.key.map((part) => part.column).find((column) => column.written) ??
    layout.columns.find((column) => column.written)!
  )
}

/** How what the database made comes back: with the statement, or by reading the rows afterwards. */
function waysBack({ layout, dialect }: CompiledTable, { made }: RowGroup) {
  const { returnsGenerated } = sqlOf(dialect, 'An insert by statement')
  // A key that waits for its commit timestamp finds nothing yet.
  const waits = layout.key.some(({ field }) => field.fill.by === 'commit-timestamp')
  const needsReading = made.filter(
    (field) => !returnsGenerated && !waits && field.physical.some((column) => !column.written),
  )
  const inKey = new Set(layout.key.map((part) => part.field))
  /** To be known before anything can be read by key. */
  const unknownKey = needsReading.filter((field) => inKey.has(field) && generatedFrom(field))
  const readBack = needsReading.filter((field) => !inKey.has(field))
  return {
    returned: made.filter((field) => !unknownKey.includes(field) && !readBack.includes(field)),
    readBack,
    unknownKey,
  }
}

async function completeByReading(
  context: TransactionContext,
  { layout, codec }: CompiledTable,
  rows: readonly PlainRow[],
  fields: readonly Field[],
): Promise<void> {
  const byKey = new Map<string, PlainRow>()
  const keys: (readonly Wire[])[] = []
  for (const row of rows) {
    const key = keyWires(layout, row)
    keys.push(key)
    byKey.set(JSON.stringify(key), row)
  }
  for (const cells of await context.read({ layout, columns: codec.columns, keys })) {
    const row = byKey.get(JSON.stringify(keyWires(layout, codec.decode(cells))))
    if (row) complete(row, fields, codec.columns, cells)
  }
}
