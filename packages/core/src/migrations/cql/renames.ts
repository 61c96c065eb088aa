import type { Renames } from '../renames.js'
import type { KeyRenames } from './diff-tables.js'
import type { KeyspaceDiff } from './keyspace-diff.js'
import type { KeyspaceTable } from './physical-tables.js'

/**
 * Key columns get other names; nothing else does.
 *
 * Source: https://cassandra.apache.org/doc/5.0/cassandra/reference/cql-commands/alter-table.html
 */
export function keyRenames(diff: KeyspaceDiff, { tables = {}, columns = {} }: Renames): KeyRenames {
  for (const [table, to] of Object.entries(tables)) {
    diff.refuse({
      kind: 'rename',
      table,
      message: `is to be renamed to ${to}, and a table of Cassandra keeps its name.`,
      fix: `Keep the name in the database, and call the model what you like.`,
    })
  }
  const renames = new Map<string, Map<string, string>>()
  for (const [table, pairs] of Object.entries(columns)) {
    const [from, to] = [diff.from, diff.to].map((each) => each.tables.find(({ name }) => name === table))
    for (const [column, name] of Object.entries(pairs)) {
      const isThere = from?.columns.some((each) => each.name === column) ?? false
      const obstacle = from && to ? obstacleTo(diff, from, to, column, name) : 'there is no such table'
      if (obstacle === undefined) {
        const known = renames.get(table) ?? new Map<string, string>()
        renames.set(table, known.set(column, name))
        diff.change({ kind: 'rename-key-column', table, from: column, to: name })
      } else {
        diff.refuse({
          kind: 'rename',
          table,
          column,
          message: `is to be renamed to ${name}: ${obstacle}.`,
          fix: isThere
            ? `Keep the column's name in the database, name: '${column}', and call the property what you like; or add a column, copy the values, and drop the old one.`
            : `Choose from ${(from?.columns ?? diff.from.tables).map((each) => each.name).join(', ')}.`,
        })
      }
    }
  }
  return renames
}

function obstacleTo(
  { has }: KeyspaceDiff,
  from: KeyspaceTable,
  to: KeyspaceTable,
  column: string,
  name: string,
): string | undefined {
  const [old, now] = [
    from.key.findIndex((part) => part.name === column),
    to.key.findIndex((part) => part.name === name),
  ]
  if (!from.columns.some((each) => each.name === column)) return 'there is no such column'
  if (!to.columns.some((each) => each.name === name)) return 'no model has a column of that name'
  if (from.columns.some((each) => each.name === name)) return 'there is a column of that name'
  if (to.columns.some((each) => each.name === column)) return 'the model still has the old one'
  if (old < 0 || now < 0) return 'only a column of the primary key can get another name'
  if (old !== now) return 'it has another place in the primary key'
  if (!has.renamesKeyColumns) return 'this target renames nothing'
  return undefined
}
