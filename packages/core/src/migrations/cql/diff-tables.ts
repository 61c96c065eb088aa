import type { StoredColumn } from '../../dialects/cql/stored-table.js'
import { cqlType } from '../../dialects/cql/types.js'
import type { PhysicalIndex } from '../physical-schema.js'
import { diffKey } from './diff-key.js'
import { matchedByName, NEW_TABLE, type KeyspaceDiff } from './keyspace-diff.js'
import type { KeyspaceTable } from './physical-tables.js'

/** By the name of the table: old names of key columns to new ones. */
export type KeyRenames = ReadonlyMap<string, ReadonlyMap<string, string>>

const NONE: ReadonlyMap<string, string> = new Map()

/**
 * What becomes of tables, their columns, options and indexes.
 *
 * Source: https://cassandra.apache.org/doc/5.0/cassandra/reference/cql-commands/alter-table.html
 */
export function diffTables(diff: KeyspaceDiff, renames: KeyRenames): void {
  const { both, gone, added } = matchedByName(diff.from.tables, diff.to.tables)
  for (const [old, table] of both) {
    const renamed = renames.get(table.name) ?? NONE
    if (isSharedOtherwise(diff, old, table)) continue
    diffKey(diff, old, table, renamed)
    diffColumns(diff, old, table, renamed)
    diffOptions(diff, old, table)
    diffIndexes(diff, old, table)
  }
  for (const table of added) {
    diff.change({ kind: 'create-table', table: table.name, foreignKeys: [] })
    addIndexes(diff, table, table.indexes)
  }
  for (const { name: table, indexes } of gone) {
    for (const { name } of indexes) diff.change({ kind: 'drop-index', table, name })
    diff.change({ kind: 'drop-table', table, destructive: true })
  }
}

/** Whether a table takes in the rows of another, or gives them up: both are made as they are for good. */
function isSharedOtherwise(diff: KeyspaceDiff, from: KeyspaceTable, to: KeyspaceTable): boolean {
  const [before, after] = [from, to].map(({ layouts }) => layouts.map(({ table }) => table.name))
  if (diff.live || before!.join() === after!.join()) return false
  const [old, now] = [before!, after!].map((tables) => tables.join(' and '))
  diff.refuse({
    kind: 'interleaving',
    table: to.name,
    message: `holds the rows of ${old!}, and is to hold those of ${now!}.`,
    fix: `Give the interleaved table a table of its own, with rows: 'own', or keep it as it was. ${NEW_TABLE}`,
  })
  return true
}

function diffColumns(
  diff: KeyspaceDiff,
  from: KeyspaceTable,
  to: KeyspaceTable,
  renamed: ReadonlyMap<string, string>,
): void {
  const table = to.name
  const old = from.columns.map((column) => ({ ...column, name: renamed.get(column.name) ?? column.name }))
  const { both, gone, added } = matchedByName(old, to.columns)
  if (isCounter(from) !== isCounter(to)) {
    diff.refuse({
      kind: 'counter',
      table,
      message: `is ${isCounter(from) ? 'a table' : 'no table'} of counters, and stays that.`,
      fix: NEW_TABLE,
    })
    return
  }
  const inKey = new Set([...from.key, ...to.key].map(({ name }) => name))
  for (const [before, after] of both)
    refuseOther(diff, table, before, after, inKey.has(after.name) ? NEW_TABLE : NEW_COLUMN)
  const nullable = nullableColumns(to)
  for (const column of added) {
    const { name, type, static: isStatic } = column
    if (inKey.has(name)) continue
    const takesNull = nullable.has(name)
    diff.change({
      kind: 'add-column',
      table,
      column: { name, type, nullable: takesNull },
      ...(isStatic && { static: true }),
      // A counter that nobody has counted by is zero.
      ...(!takesNull && type.kind !== 'counter' && { unfilled: true }),
    })
  }
  for (const { name: column } of gone) {
    if (inKey.has(column)) continue
    if (diff.has.dropsColumns) diff.change({ kind: 'drop-column', table, column, destructive: true })
    else refuseDrop(diff, table, column)
  }
}

/** Those that a model takes NULL in: the database takes it in all that are in no key. */
function nullableColumns({ layouts }: KeyspaceTable): ReadonlySet<string> {
  const columns = layouts.flatMap(({ fields }) => fields.flatMap(({ physical }) => physical))
  return new Set(columns.flatMap(({ name, nullable }) => (nullable ? [name] : [])))
}

function isCounter({ columns }: KeyspaceTable): boolean {
  return columns.some(({ type }) => type.kind === 'counter')
}

const NEW_COLUMN = 'Add a column of another name, fill it, read from it, and drop the old one later.'

function refuseOther(
  diff: KeyspaceDiff,
  table: string,
  from: StoredColumn,
  to: StoredColumn,
  fix: string,
): void {
  const column = to.name
  const [before, after] = [cqlType(from.type), cqlType(to.type)]
  if (before !== after) {
    diff.refuse({
      kind: 'column-type',
      table,
      column,
      message: `is of type ${before}, and is to be ${after}.`,
      fix,
    })
  } else if (from.static !== to.static) {
    const [was, is] = [from, to].map((each) =>
      each.static ? 'one value for a partition' : 'a value of each row',
    )
    diff.refuse({
      kind: 'static',
      table,
      column,
      message: `is ${was!}, and is to be ${is!}.`,
      fix,
    })
  }
}

function refuseDrop(diff: KeyspaceDiff, table: string, column: string): void {
  diff.refuse({
    kind: 'drop',
    table,
    column,
    message: 'is to go, and this target drops no column.',
    fix: `Leave it in the model, nullable, and write nothing to it. ${NEW_TABLE}`,
  })
}

function diffOptions(diff: KeyspaceDiff, from: KeyspaceTable, to: KeyspaceTable): void {
  const [before, after] = [from, to].map(({ timeToLive }) => timeToLive ?? 0)
  if (before === after) return
  diff.change({ kind: 'set-table-options', table: to.name, timeToLive: after!, before: before! })
}

function isIn({ name, column }: KeyspaceTable['indexes'][number], { indexes }: KeyspaceTable): boolean {
  return indexes.some((each) => each.name === name && each.column.name === column.name)
}

/** An index that is over another column now is made again. */
function diffIndexes(diff: KeyspaceDiff, from: KeyspaceTable, to: KeyspaceTable): void {
  for (const index of from.indexes) {
    if (!isIn(index, to)) diff.change({ kind: 'drop-index', table: to.name, name: index.name })
  }
  addIndexes(
    diff,
    to,
    to.indexes.filter((index) => !isIn(index, from)),
  )
}

function addIndexes(
  diff: KeyspaceDiff,
  { name: table }: KeyspaceTable,
  indexes: KeyspaceTable['indexes'],
): void {
  for (const { name, column } of indexes) {
    const index: PhysicalIndex = {
      name,
      unique: false,
      nullFiltered: false,
      parts: [{ column: column.name, order: 'asc' }],
      storing: [],
      notNull: [],
    }
    diff.change({ kind: 'create-index', table, index })
  }
}
