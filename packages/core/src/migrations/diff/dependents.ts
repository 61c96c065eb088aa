import { mentions } from '../expressions.js'
import { folded, sameName } from '../names.js'
import type { PhysicalForeignKey, PhysicalIndex, PhysicalTable } from '../physical-schema.js'
import type { ColumnsDiff } from './columns.js'
import type { DiffContext } from './context.js'

/** By the folded names of the tables that both schemas have. */
export type ColumnsDiffs = ReadonlyMap<string, ColumnsDiff>

/**
 * The column for whose sake a foreign key has to go and come again; undefined where it may stay. The columns of either side
 * keep their type and their NULL while one is there.
 */
export function keyInTheWay(table: string, key: PhysicalForeignKey, diffs: ColumnsDiffs): string | undefined {
  return (
    changed(diffs.get(folded(table)), key.columns) ?? changed(diffs.get(folded(key.table)), key.references)
  )
}

function changed(diff: ColumnsDiff | undefined, columns: readonly string[]): string | undefined {
  return columns.find((column) => diff?.retyped.has(folded(column)) || diff?.nullability.has(folded(column)))
}

/** The column for whose sake a check has to go and come again: one that changes its type. */
export function checkInTheWay(
  expression: string,
  { retyped }: ColumnsDiff,
  { sql }: DiffContext,
): string | undefined {
  return [...retyped].find((column) => mentions(expression, column, sql.name))
}

/**
 * The column for whose sake an index has to go and come again: a part of its key that begins, or ceases, to take NULL, or is
 * computed in another way.
 */
export function indexInTheWay(
  { parts }: PhysicalIndex,
  { nullability }: ColumnsDiff,
  redefined: ReadonlySet<string>,
): string | undefined {
  return parts.find(({ column }) => nullability.has(folded(column)) || redefined.has(folded(column)))?.column
}

/** Columns that are computed in another way from now on, folded. */
export function redefinedColumns(
  context: DiffContext,
  from: PhysicalTable,
  to: PhysicalTable,
): ReadonlySet<string> {
  return new Set(
    to.columns.flatMap(({ name, made }) => {
      const old = from.columns.find((column) => sameName(column.name, name))?.made
      return old?.by === 'generated' &&
        made?.by === 'generated' &&
        !context.same(old.expression, made.expression)
        ? [folded(name)]
        : []
    }),
  )
}
