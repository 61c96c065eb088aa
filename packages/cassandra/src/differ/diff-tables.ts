import { cellsExpire } from '@isotherm/core/engine'
import { type PhysicalIndex, type Refusal, sameData, shardBounds } from '@isotherm/core/tools'
import {
  type KeyspaceDiff,
  type KeyspaceKey,
  type KeyspaceTable,
  NEW_TABLE,
  matchedByName,
  renamedKeyColumn,
} from './keyspace-diff.js'
import type { StoredColumn } from '../ddl/ddl.js'
import { ROW_MARKER_COLUMN } from '../cql/fold.js'
import { cqlType } from '../cql/types.js'

/**
 * The properties of a table that can never change.
 *
 * Source: https://cassandra.apache.org/doc/5.0/cassandra/reference/cql-commands/alter-table.html
 *
 * @param renamed the key columns that are renamed: old name to new
 */
export function diffKey(
  diff: KeyspaceDiff,
  from: KeyspaceTable,
  to: KeyspaceTable,
  renamed: ReadonlyMap<string, string>,
): void {
  const [kind, table] = ['primary-key', to.name] as const
  const [before, after] = [keyText(from, renamed), keyText(to)]
  if (before !== after) {
    const message = `has the primary key (${keyText(from)}), and the model has (${after}).`
    const other = diff.has.renamesKeyColumns ? renamedKeyColumn(from, to) : undefined
    const rename = other
      ? `If ${other.from} was renamed to ${other.to}, add --rename ${table}.${other.from}:${other.to}. Otherwise: `
      : ''
    diff.refuse({ kind, table, message, fix: `${rename}${NEW_TABLE}` })
    return
  }
  if (diff.live) return
  for (const key of to.clientKeys) {
    const refusal = clientDifference(from, key, renamed)
    if (refusal) diff.refuse({ kind, table, column: key.column, ...refusal })
  }
}

/** As CQL has it: the partition key in brackets of its own. */
function keyText(
  { key, partition }: KeyspaceTable,
  renamed: ReadonlyMap<string, string> = new Map(),
): string {
  const names = key.map(({ name }) => renamed.get(name) ?? name)
  const clustering = key
    .slice(partition)
    .map(({ name, order }) => `${renamed.get(name) ?? name}${order === 'desc' ? ' DESC' : ''}`)
  return [`(${names.slice(0, partition).join(', ')})`, ...clustering].join(', ')
}

type Difference = Pick<Refusal, 'message' | 'fix'>

/** Why existing rows would not be found any more; undefined if they would. */
function clientDifference(
  from: KeyspaceTable,
  { column, source }: KeyspaceKey,
  renamed: ReadonlyMap<string, string>,
): Difference | undefined {
  const old = from.clientKeys.find((each) => (renamed.get(each.column) ?? each.column) === column)?.source
  if (!old) {
    return {
      message: 'would be computed by the client: it might not find existing rows.',
      fix: `${NEW_TABLE} If all rows are there already, say so in the snapshot.json of the last migration.`,
    }
  }
  if (old.kind === 'shard' && source.kind === 'shard') {
    const [before, after] = [shardBounds(old), shardBounds(source)]
    if (after.lowest > before.lowest || after.highest < before.highest) {
      return {
        message: `has rows in the shards ${before.lowest} to ${before.highest}, and the model has the shards ${after.lowest} to ${after.highest}.`,
        fix: NEW_TABLE,
      }
    }
    // What no row's values tell is read from all shards, which may become more.
    if (source.strategy !== 'hash') return undefined
  }
  if (sameData(computed(old, renamed), computed(source))) return undefined
  return {
    message: 'would be computed differently: existing rows would not be found.',
    fix: NEW_TABLE,
  }
}

/** Everything that a row's value depends on: not how far a bucket scan goes, nor whether the database could compute it. */
function computed(source: KeyspaceKey['source'], renamed: ReadonlyMap<string, string> = new Map()): object {
  const named = (column: string): string => renamed.get(column) ?? column
  if (source.kind === 'time-bucket') return { kind: source.kind, by: source.by, of: named(source.of) }
  const { computedBy: _, ...rest } = source
  return { ...(source.kind === 'shard' && { first: 0 }), ...rest, of: source.of.map(named) }
}

/** By the name of the table: old names of key columns to new ones. */
export type KeyRenames = ReadonlyMap<string, ReadonlyMap<string, string>>

const NONE: ReadonlyMap<string, string> = new Map()

/**
 * Compares tables, their columns, options and indexes.
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
    diff.change({ kind: 'drop-table', table, dataLoss: true })
  }
}

function namesIn({ layouts }: KeyspaceTable): string[] {
  return layouts.map(({ table }) => table.name)
}

/** Whether a table takes in the rows of another, or gives them up: both are made as they are for good. */
function isSharedOtherwise(diff: KeyspaceDiff, from: KeyspaceTable, to: KeyspaceTable): boolean {
  const [before, after] = [namesIn(from), namesIn(to)]
  if (diff.live || before.join() === after.join()) return false
  diff.refuse({
    kind: 'interleaving',
    table: to.name,
    message: `stores the rows of ${before.join(' and ')}, but the model stores those of ${after.join(' and ')} there.`,
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
      message: `is ${isCounter(from) ? 'a table' : 'not a table'} of counters, which cannot be changed.`,
      fix: NEW_TABLE,
    })
    return
  }
  const inKey = new Set([...from.key, ...to.key].map(({ name }) => name))
  for (const [before, after] of both)
    refuseOther(diff, table, before, after, inKey.has(after.name) ? NEW_TABLE : NEW_COLUMN)
  const nullable = nullableColumns(to)
  const expires = to.layouts.some((layout) => cellsExpire(layout.table))
  if (expires && !diff.live) {
    const [before, began] = [nullableColumns(from), !from.layouts.some((layout) => cellsExpire(layout.table))]
    for (const [old, { name: column }] of both) {
      if (inKey.has(column) || nullable.has(column) || column === ROW_MARKER_COLUMN.name) continue
      if (before.has(old.name) || (began && wasOptional(diff, table, column)))
        diff.change({ kind: 'require-column', table, column, dataLoss: true })
    }
  }
  for (const column of added) {
    const { name, type, static: isStatic } = column
    if (inKey.has(name)) continue
    const takesNull = nullable.has(name)
    if (!takesNull && expires) {
      diff.refuse({
        kind: 'not-null',
        table,
        column: name,
        message:
          'is new and not nullable, but rows of this table expire: existing rows would count as expired.',
        fix: 'Declare it nullable: true. Remove nullable once no row without it is left.',
      })
      continue
    }
    diff.change({
      kind: 'add-column',
      table,
      column: { name, type, nullable: takesNull },
      ...(isStatic && { static: true }),
      // A counter that has not been incremented is zero.
      ...(!takesNull && type.kind !== 'counter' && { unfilled: true }),
    })
  }
  for (const { name: column } of gone) {
    if (inKey.has(column)) continue
    if (diff.has.dropsColumns) diff.change({ kind: 'drop-column', table, column, dataLoss: true })
    else refuseDrop(diff, table, column)
  }
}

/** Whether existing rows may lack a column that the model requires: it was added to the table, or could be NULL. */
function wasOptional(diff: KeyspaceDiff, table: string, column: string): boolean {
  for (const { tables } of diff.earlier().toReversed()) {
    const there = tables.find(({ name }) => name === table)
    // A table that has been created since then, perhaps again, does not have the rows from before.
    if (!there) return false
    if (!there.columns.some(({ name }) => name === column) || nullableColumns(there).has(column)) return true
  }
  return false
}

/** The columns that may be NULL in the model: the database allows NULL outside of keys. */
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
      message: `is of type ${before}, and the model has ${after}.`,
      fix,
    })
  } else if (from.static !== to.static) {
    diff.refuse({
      kind: 'static',
      table,
      column,
      message: `is ${valueOf(from)}, and the model has ${valueOf(to)}.`,
      fix,
    })
  }
}

function valueOf(column: StoredColumn): string {
  return column.static ? 'one value for a partition' : 'a value of each row'
}

function refuseDrop(diff: KeyspaceDiff, table: string, column: string): void {
  diff.refuse({
    kind: 'drop',
    table,
    column,
    message: 'would be dropped, but this dialect does not support dropping columns.',
    fix: `Keep it in the model as nullable, and stop writing it. ${NEW_TABLE}`,
  })
}

function diffOptions(diff: KeyspaceDiff, from: KeyspaceTable, to: KeyspaceTable): void {
  const [before, after] = [from.ttlSeconds ?? 0, to.ttlSeconds ?? 0]
  if (before === after) return
  diff.change({ kind: 'set-table-options', table: to.name, ttlSeconds: after, before })
}

function isIn({ name, column }: KeyspaceTable['indexes'][number], { indexes }: KeyspaceTable): boolean {
  return indexes.some((each) => each.name === name && each.column.name === column.name)
}

/** An index over another column than before is created again. */
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
