import { cqlType } from '../../dialects/cql/types.js'
import type { RenameCandidate } from '../renames.js'
import { matchedByName } from './keyspace-diff.js'
import type { Keyspace, KeyspaceTable } from './physical-tables.js'

/** Key columns that may have got another name: the key is the same but for one. */
export function keyRenameCandidates(from: Keyspace, to: Keyspace): RenameCandidate[] {
  return matchedByName(from.tables, to.tables).both.flatMap(([old, table]) => {
    const renamed = renamedKeyColumn(old, table)
    // Nothing else can have become of a key column: the table would be another one.
    return renamed ? [{ kind: 'column', table: table.name, ...renamed, likeness: 1 }] : []
  })
}

/** The one column in which two keys differ, by nothing but its name. */
export function renamedKeyColumn(
  old: KeyspaceTable,
  table: KeyspaceTable,
): { readonly from: string; readonly to: string } | undefined {
  if (old.key.length !== table.key.length || old.partition !== table.partition) return undefined
  const others = table.key.flatMap((_, at) => (partText(old, at) === partText(table, at) ? [] : [at]))
  const [at, ...more] = others
  if (at === undefined || more.length > 0 || shapeOf(old, at) !== shapeOf(table, at)) return undefined
  return { from: old.key[at]!.name, to: table.key[at]!.name }
}

function partText(table: KeyspaceTable, at: number): string {
  return `${table.key[at]!.name} ${shapeOf(table, at)}`
}

function shapeOf({ key, columns }: KeyspaceTable, at: number): string {
  const { name, order } = key[at]!
  return `${cqlType(columns.find((column) => column.name === name)!.type)} ${order}`
}
