import type { Condition } from '../dialects/condition.js'
import { keyFields, type Field, type PhysicalColumn } from '../dialects/layout.js'
import { wiresOf, type PlainRow } from './codec.js'
import type { CompiledTable } from './compiled-table.js'
import type { TransactionContext } from './driver.js'
import { sqlOf } from '../dialects/dialect.js'

// Completes rows with what the database has made of them.

/** Puts cells into a row, by the columns that they were read from. */
export function complete(
  row: PlainRow,
  fields: readonly Field[],
  columns: readonly PhysicalColumn[],
  cells: readonly unknown[],
): void {
  for (const field of fields) {
    const at = columns.indexOf(field.physical[0]!)
    const value = field.join ? field.join(cells, at) : cells[at]
    // A NULL where there can be none is a value that the engine kept to itself.
    row[field.column.property] = value === null && !field.column.nullable ? undefined : value
  }
}

/** Finds generated key parts by the rest of the key and by what they follow from, a statement for each row. */
export async function completeKeys(
  context: TransactionContext,
  { layout, codec, dialect }: CompiledTable,
  rows: readonly PlainRow[],
  unknown: readonly Field[],
): Promise<void> {
  const sources = unknown.flatMap((field) => generatedFrom(field) ?? [])
  const inKey = new Set(keyFields(layout))
  const known = layout.fields.filter(
    (field) => !unknown.includes(field) && (inKey.has(field) || sources.includes(field.column.property)),
  )
  const types = codec.columns.map((column) => column.type)
  for (const row of rows) {
    const of = known.map((field): Condition => {
      const value = row[field.column.property]
      return value === null
        ? { kind: 'null', field }
        : { kind: 'compare', field, op: 'eq', value, wires: wiresOf(field, value) }
    })
    const statement = sqlOf(dialect, 'A key that the database computes').statements.select({
      layout,
      condition: { kind: 'and', of },
      order: [],
      limit: 1,
    })
    const [cells] = await context.query(statement, types)
    if (cells) complete(row, unknown, codec.columns, cells)
  }
}

/** The properties that a generated key part follows from; undefined where its expression is all that is known. */
export function generatedFrom({ column: { source } }: Field): readonly string[] | undefined {
  return source?.kind === 'shard' ? source.of : undefined
}
