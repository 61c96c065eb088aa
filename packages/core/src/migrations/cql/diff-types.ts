import { cqlType } from '../../dialects/cql/types.js'
import type { StoredColumn } from '../../dialects/cql/stored-table.js'
import { typesWithin, type ColumnType } from '../../model/column-type.js'
import { findUserType, type UserType } from '../../model/schema.js'
import { matchedByName, type KeyspaceDiff } from './keyspace-diff.js'
import type { Keyspace } from './physical-tables.js'

/**
 * Types get fields, behind those that they have, and lose none.
 *
 * Source: https://cassandra.apache.org/doc/5.0/cassandra/reference/cql-commands/alter-type.html
 */
export function diffTypes(diff: KeyspaceDiff): void {
  const { both, gone, added } = matchedByName(diff.from.types, diff.to.types)
  for (const type of added) diff.change({ kind: 'create-type', type })
  for (const [old, now] of both) diffFields(diff, old, now)
  for (const { name } of gone.toReversed()) diff.change({ kind: 'drop-type', name })
}

function diffFields(diff: KeyspaceDiff, from: UserType, to: UserType): void {
  const { name } = to
  const refused = (message: string, fix: string): void =>
    diff.refuse({ kind: 'user-type', table: name, message, fix })
  const changed = from.fields.findIndex((field, at) => spelled(field) !== spelled(to.fields[at]))
  if (changed >= 0) {
    const [old, now] = [from.fields[changed]!, to.fields[changed]]
    const there = now ? spelled(now) : 'nothing'
    refused(
      `has the field ${spelled(old)} in place ${changed + 1}, and is to have ${there} there.`,
      'A user type keeps its fields as they are: put new ones behind them, or make a type of another name and columns of it.',
    )
    return
  }
  const fields = to.fields.slice(from.fields.length)
  if (fields.length === 0) return
  if (!diff.has.altersTypes) {
    refused(
      `is to get the field ${fields[0]!.name}, and this target changes no user type.`,
      'Make a type of another name, and columns of it.',
    )
    return
  }
  const table = inPartitionKey(diff.from, name)
  if (table !== undefined) {
    refused(
      `is to get the field ${fields[0]!.name}, and rows of ${table} are found by it: it is in the partition key.`,
      'Make a type of another name, and a table of another name with it.',
    )
    return
  }
  for (const { name: field, type } of fields)
    diff.change({ kind: 'add-type-field', type: name, field: { name: field, type } })
}

function spelled(field: { readonly name: string; readonly type: ColumnType } | undefined): string {
  return field ? `${field.name} ${cqlType(field.type)}` : ''
}

function inPartitionKey({ tables, types }: Keyspace, type: string): string | undefined {
  const uses = ({ type: used }: Pick<StoredColumn, 'type'>): boolean => mentions(used, type, types)
  return tables.find(({ columns, partition }) => columns.slice(0, partition).some(uses))?.name
}

function mentions(used: ColumnType, name: string, types: readonly UserType[]): boolean {
  return typesWithin(used).some(
    (each) =>
      each.kind === 'udt' &&
      (each.name === name ||
        findUserType({ userTypes: types }, each.name)?.fields.some((field) =>
          mentions(field.type, name, types),
        )),
  )
}
