import type { StoredColumn } from '../../dialects/cql/stored-table.js'
import { cqlType } from '../../dialects/cql/types.js'
import type { KeyspaceDiff } from './keyspace-diff.js'
import type { Keyspace, KeyspaceTable } from './physical-tables.js'

/**
 * A column that went is remembered, since cells of it may still lie on disk: its name is taken again for the same kind of
 * column only, and that of a counter never.
 *
 * Source: https://cassandra.apache.org/doc/5.0/cassandra/reference/cql-commands/alter-table.html
 *
 * @param earlier oldest first
 */
export function refuseDropped(diff: KeyspaceDiff, earlier: () => readonly Keyspace[]): void {
  const added = diff.changes.filter((change) => change.kind === 'add-column')
  if (added.length === 0) return
  const before = earlier().toReversed()
  for (const { table, column, static: isStatic } of added) {
    const old = droppedColumn(before, table, column.name)
    if (!old) continue
    const [was, is] = [kindOf(old), kindOf({ ...column, ...(isStatic && { static: true }) })]
    if (was === is && old.type.kind !== 'counter') continue
    diff.refuse({
      kind: 'dropped-column',
      table,
      column: column.name,
      message: `was of type ${was} before it was dropped, and is to come back as ${is}.`,
      fix: `Give it another name in the database: name: '${column.name}_2'.`,
    })
  }
}

/** As it was last, in the table that there still is. */
function droppedColumn(before: readonly Keyspace[], table: string, column: string): StoredColumn | undefined {
  for (const { tables } of before) {
    const there: KeyspaceTable | undefined = tables.find(({ name }) => name === table)
    if (!there) return undefined
    const found = there.columns.find(({ name }) => name === column)
    if (found) return found
  }
  return undefined
}

function kindOf({ type, static: isStatic }: StoredColumn): string {
  return `${cqlType(type)}${isStatic ? ' static' : ''}`
}
