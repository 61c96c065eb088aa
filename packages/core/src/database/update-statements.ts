import { IsothermError } from '../errors.js'
import type { TableLayout } from '../dialects/layout.js'
import type { Statement } from '../dialects/statement.js'
import { keyWires, wiresOf } from './codec.js'
import type { CompiledTable } from './compiled-table.js'
import type { TransactionContext } from './driver.js'
import type { PreparedChange } from './writes.js'
import { sqlOf } from '../dialects/dialect.js'

/**
 * Changes rows by statement.
 *
 * @throws {IsothermError} `NOT_FOUND` where a row does not exist.
 */
export async function updateByStatement(
  context: TransactionContext,
  table: CompiledTable,
  changes: readonly PreparedChange[],
): Promise<void> {
  if (changes.length === 0) return
  const counts = await context.execute(changes.map((change) => updateStatement(table, change)))
  const missing = counts.indexOf(0)
  if (missing < 0) return
  const { layout } = table
  const key = keyWires(layout, changes[missing]!.key).filter((_, at) => {
    // Nobody knows of a mirror.
    const { column, field } = layout.key[at]!
    return column !== field.mirror
  })
  throw new IsothermError('NOT_FOUND', `${layout.table.name} has no row with the key (${key.join(', ')}).`, {
    fix: 'Insert it, or use upsert.',
    table: layout.table.name,
  })
}

function updateStatement(table: CompiledTable, { key, changes }: PreparedChange): Statement {
  const { layout, dialect } = table
  const set = changes.flatMap(({ property, value }) => {
    const field = layout.byProperty.get(property)!
    const wires = wiresOf(field, value)
    return field.physical.map((column, at) => ({ column, value: wires[at]! }))
  })
  return sqlOf(dialect, 'An update by statement').statements.update(layout, set, keyWires(layout, key))
}

/** Whether the database makes a part of the key, and the value of a column outside it. */
export function hasDefaultsBesideKey({ columns, key }: TableLayout): boolean {
  const keyColumns = new Set(key.map((part) => part.column))
  const isMade = ({ made }: (typeof columns)[number]): boolean =>
    made !== undefined && made.by !== 'commit-timestamp'
  return (
    columns.some((column) => keyColumns.has(column) && isMade(column)) &&
    columns.some((column) => !keyColumns.has(column) && isMade(column) && column.written)
  )
}
