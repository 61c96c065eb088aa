import { folded, matched, sameName } from '../names.js'
import type { PhysicalIndex, PhysicalTable } from '../physical-schema.js'
import type { ColumnsDiff } from './columns.js'
import type { DiffContext } from './context.js'
import { indexInTheWay, redefinedColumns } from './dependents.js'

/** Source: https://cloud.google.com/spanner/docs/secondary-indexes */
export function diffIndexes(
  context: DiffContext,
  from: PhysicalTable,
  to: PhysicalTable,
  columns: ColumnsDiff,
): void {
  const table = to.name
  const { both, gone, added } = matched(from.indexes, to.indexes)
  const redefined = redefinedColumns(context, from, to)
  for (const { name } of gone) context.change('drop-indexes', { kind: 'drop-index', table, name })
  for (const index of added) context.change('create-indexes', { kind: 'create-index', table, index })
  for (const { from: old, to: index } of both) {
    const column = indexInTheWay(index, columns, redefined)
    const same = indexText(context, old, index) === indexText(context, index, old)
    if (column === undefined && same) {
      diffStored(context, table, old, index)
      continue
    }
    context.change('drop-indexes', {
      kind: 'drop-index',
      table,
      name: old.name,
      because: same ? `${column} changes` : 'it is to be another one',
    })
    context.change('create-indexes', { kind: 'create-index', table, index })
  }
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
