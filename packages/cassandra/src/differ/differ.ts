import { cqlType } from '../cql/types.js'
import type { CqlDdlSyntax, StoredColumn } from '../ddl/ddl.js'
import {
  type ColumnType,
  type Schema,
  type Table,
  type TableLayout,
  findUserType,
  typesWithin,
  itemAt,
} from '@isotherm/core/engine'
import {
  type LaidOut,
  type RenameObstacle,
  type Renames,
  type SchemaDiffer,
  type UserType,
  columnNameObstacle,
  unknownName,
} from '@isotherm/core/tools'
import {
  type Keyspace,
  KeyspaceDiff,
  type KeyspaceTable,
  keyRenameCandidates,
  keyspaceOf,
  matchedByName,
  renderedCql,
} from './keyspace-diff.js'
import { type KeyRenames, diffTables } from './diff-tables.js'
import type { CqlCapabilities } from '../cql/capabilities.js'
import { cqlLayout } from '../cql/layout.js'

/**
 * New fields of a type come after its existing ones, and a type cannot lose fields.
 *
 * Source: https://cassandra.apache.org/doc/5.0/cassandra/reference/cql-commands/alter-type.html
 */
function diffTypes(diff: KeyspaceDiff): void {
  const { both, gone, added } = matchedByName(diff.from.types, diff.to.types)
  for (const type of added) diff.change({ kind: 'create-type', type })
  for (const [old, now] of both) diffFields(diff, old, now)
  for (const { name } of gone.toReversed()) diff.change({ kind: 'drop-type', name })
}

function diffFields(diff: KeyspaceDiff, from: UserType, to: UserType): void {
  const { name } = to
  const refused = (message: string, fix: string): void =>
    diff.refuse({ kind: 'user-type', table: name, message, fix })
  const changed = from.fields.findIndex((field, at) => rendered(field) !== rendered(to.fields[at]))
  if (changed >= 0) {
    const [old, now] = [itemAt(from.fields, changed), to.fields[changed]]
    const there = now ? rendered(now) : 'nothing'
    refused(
      `has the field ${rendered(old)} at position ${changed + 1}, and the model has ${there} there.`,
      'The fields of a user type cannot change: add new ones at the end, or create a type with another name.',
    )
    return
  }
  const fields = to.fields.slice(from.fields.length)
  const [first] = fields
  if (!first) return
  if (!diff.has.altersTypes) {
    refused(
      `would get the field ${first.name}, but this dialect cannot change a user type.`,
      'Create a type with another name, and columns of that type.',
    )
    return
  }
  const table = inPartitionKey(diff.from, name)
  if (table !== undefined) {
    refused(
      `would get the field ${first.name}, but the type is in the partition key of ${table}, by which rows are found.`,
      'Create a type with another name, and a table with another name.',
    )
    return
  }
  for (const { name: field, type } of fields)
    diff.change({ kind: 'add-type-field', type: name, field: { name: field, type } })
}

function rendered(field: { readonly name: string; readonly type: ColumnType } | undefined): string {
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

/**
 * Cassandra remembers a dropped column, since cells of it may still be on disk: its name can be used again only for the
 * same type of column, and that of a counter never.
 *
 * Source: https://cassandra.apache.org/doc/5.0/cassandra/reference/cql-commands/alter-table.html
 */
function refuseDropped(diff: KeyspaceDiff): void {
  const added = diff.changes.filter((change) => change.kind === 'add-column')
  if (added.length === 0) return
  const before = diff.earlier().toReversed()
  for (const { table, column, static: isStatic } of added) {
    const old = droppedColumn(before, table, column.name)
    if (!old) continue
    const [was, is] = [kindOf(old), kindOf({ ...column, ...(isStatic && { static: true }) })]
    if (was === is && old.type.kind !== 'counter') continue
    diff.refuse({
      kind: 'dropped-column',
      table,
      column: column.name,
      message: `was of type ${was} before it was dropped, and cannot be added again as ${is}.`,
      fix: `Give it another name in the database: name: '${column.name}_2'.`,
    })
  }
}

/** The last form of a dropped column, in a table that still exists. */
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

/**
 * Key columns get other names; nothing else does.
 *
 * Source: https://cassandra.apache.org/doc/5.0/cassandra/reference/cql-commands/alter-table.html
 */
function keyRenames(diff: KeyspaceDiff, { tables = {}, columns = {} }: Renames): KeyRenames {
  for (const [table, to] of Object.entries(tables)) {
    diff.refuse({
      kind: 'rename',
      table,
      message: `cannot be renamed to ${to}: Cassandra cannot rename tables.`,
      fix: `Keep the name in the database, and rename the model only.`,
    })
  }
  const renames = new Map<string, Map<string, string>>()
  for (const [table, pairs] of Object.entries(columns)) {
    const [from, to] = [diff.from, diff.to].map((each) => each.tables.find(({ name }) => name === table))
    for (const [column, name] of Object.entries(pairs)) {
      const obstacle =
        from && to
          ? obstacleTo(diff, from, to, column, name)
          : unknownName('there is no such table', table, diff.to.tables)
      if (obstacle === undefined) {
        const known = renames.get(table) ?? new Map<string, string>()
        renames.set(table, known.set(column, name))
        diff.change({ kind: 'rename-key-column', table, from: column, to: name })
      } else {
        diff.refuse({
          kind: 'rename',
          table,
          column,
          message: `cannot be renamed to ${name}: ${obstacle.what}.`,
          fix: obstacle.fix,
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
): RenameObstacle | undefined {
  const misnamed = columnNameObstacle(
    [column, name],
    [from.columns, to.columns],
    (one, other) => one === other,
  )
  if (misnamed) return misnamed
  const obstacle = (what: string): RenameObstacle => ({
    what,
    fix: `Keep the column's name in the database, name: '${column}', and rename the property only; or add a column, copy the values, and drop the old one.`,
  })
  const [old, now] = [
    from.key.findIndex((part) => part.name === column),
    to.key.findIndex((part) => part.name === name),
  ]
  if (old < 0 || now < 0) return obstacle('only a column of the primary key can be renamed')
  if (old !== now) return obstacle('it has another position in the primary key')
  if (!has.renamesKeyColumns) return obstacle('this dialect does not support renames')
  return undefined
}

/** The dialect's parts of a comparison of keyspaces. */
interface CqlDifferParts {
  readonly has: CqlCapabilities
  readonly ddlSyntax: CqlDdlSyntax
  /** Refuses what the dialect does not have. */
  layout(table: Table, schema: Schema): TableLayout
}

/** How a keyspace with one schema becomes one with another. */
export function cqlDiffer({ has, ddlSyntax, layout }: CqlDifferParts): SchemaDiffer {
  // How a table is stored depends on other tables, whose rows it may hold, and on user types, so each schema is laid out on
  // its own.
  const laidOut = (schema: Schema, layoutOf: typeof layout): LaidOut => ({
    schema,
    layouts: schema.tables.map((table) => layoutOf(table, schema)),
  })
  return {
    // A keyspace that is there is taken as it is: only what it is to become can be refused.
    layOut: (schema, like) => laidOut(schema, like ? cqlLayout : layout),
    diff(from, to, { renames, live, earlier }) {
      const diff = new KeyspaceDiff(has, [keyspaceOf(from), keyspaceOf(to)], live, () =>
        earlier.map((schema) => keyspaceOf(laidOut(schema, cqlLayout))),
      )
      const renamed = keyRenames(diff, renames)
      diffTypes(diff)
      diffTables(diff, renamed)
      refuseDropped(diff)
      return { changes: diff.changes, refusals: diff.refusals }
    },
    statements: (changes, to) => renderedCql(changes, to, ddlSyntax).map((sql) => ({ kind: 'ddl', sql })),
    renameCandidates: (from, to) => keyRenameCandidates(keyspaceOf(from), keyspaceOf(to)),
    // Nothing but a key column gets another name, and that is never dropped.
    cannotRename: (what) => `CQL cannot rename ${what}.`,
    // The database knows no operations that others could ask for: what became of each statement is found out by itself.
    batchLength: () => 1,
  }
}
