import { folded, sameName } from '../names.js'
import type { PhysicalIndex, PhysicalTable } from '../physical-schema.js'
import type { ColumnsDiff } from './columns.js'
import type { DiffContext } from './context.js'
import { indexInTheWay, redefinedColumns } from './dependents.js'
import { remake } from './remake.js'

/** Source: https://cloud.google.com/spanner/docs/secondary-indexes */
export function diffIndexes(
  context: DiffContext,
  from: PhysicalTable,
  to: PhysicalTable,
  columns: ColumnsDiff,
): void {
  const table = to.name
  const redefined = redefinedColumns(context, from, to)
  remake(from.indexes, to.indexes, {
    drop: (gone) => context.change('drop-indexes', { kind: 'drop-index', table, ...gone }),
    add: (index) => context.change('create-indexes', { kind: 'create-index', table, index }),
    because(old, index) {
      const same = indexText(context, old, index) === indexText(context, index, old)
      if (!same) return 'it is to be another one'
      const column = indexInTheWay(index, columns, redefined)
      return column === undefined ? undefined : `${column} changes`
    },
    keep: (old, index) => diffStored(context, table, old, index),
  })
}

/** All but what can be added and dropped. */
function indexText(context: DiffContext, index: PhysicalIndex, other: PhysicalIndex): string {
  const { unique, nullFiltered, parts, notNull, interleaveIn } = index
  // The emulator does not tell of filters.
  const untold = context.live && (notNull.length === 0 || other.notNull.length === 0)
  return JSON.stringify([
    unique,
    nullFiltered,
    parts.map(({ column, order, nulls }) => [folded(column), order, nulls]),
    untold ? [] : notNull.map(folded),
    interleaveIn === undefined ? '' : folded(interleaveIn),
  ])
}

function diffStored(context: DiffContext, table: string, from: PhysicalIndex, to: PhysicalIndex): void {
  const index = to.name
  for (const column of from.storing)
    if (lacks(to, column))
      context.change('drop-indexes', { kind: 'drop-stored-column', table, index, column })
  for (const column of to.storing)
    if (lacks(from, column))
      context.change('create-indexes', { kind: 'add-stored-column', table, index, column })
}

function lacks({ storing }: PhysicalIndex, column: string): boolean {
  return !storing.some((each) => sameName(each, column))
}
