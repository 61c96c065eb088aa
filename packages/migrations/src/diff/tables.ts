import { known } from '@isotherm/core/engine'
import { folded, matched, mentions, sameName } from '../names.js'
import type { PhysicalForeignKey, PhysicalIndex } from '@isotherm/core/tools'
import type { PhysicalSchema, PhysicalTable } from '../physical-schema.js'
import { type ColumnsDiff, diffColumns } from './columns.js'
import type { DiffContext } from './context.js'
import { type ColumnRenames, keyColumns } from './renames.js'
import { diffInterleaving, diffKey } from './key.js'

/** A table that both schemas have. */
interface TablePair {
  readonly from: PhysicalTable
  readonly to: PhysicalTable
}

/** By the folded names of the tables that both schemas have. */
type ColumnsDiffs = ReadonlyMap<string, ColumnsDiff>

/**
 * The column for whose sake a foreign key has to go and come again; undefined where it may stay. The columns of either side
 * keep their type and their NULL while one is there.
 */
function blockingKey(table: string, key: PhysicalForeignKey, diffs: ColumnsDiffs): string | undefined {
  return (
    changed(diffs.get(folded(table)), key.columns) ?? changed(diffs.get(folded(key.table)), key.references)
  )
}

function changed(diff: ColumnsDiff | undefined, columns: readonly string[]): string | undefined {
  return columns.find((column) => diff?.retyped.has(folded(column)) || diff?.nullability.has(folded(column)))
}

/** The column because of which a check has to be dropped and created again: one that changes its type. */
function blockingCheck(
  expression: string,
  { retyped }: ColumnsDiff,
  { lexicalSyntax }: DiffContext,
): string | undefined {
  return [...retyped].find((column) => mentions(expression, column, lexicalSyntax))
}

/**
 * The column for whose sake an index has to go and come again: a part of its key that begins, or ceases, to take NULL, or is
 * computed in another way.
 */
function blockingIndex(
  { parts }: PhysicalIndex,
  { nullability }: ColumnsDiff,
  redefined: ReadonlySet<string>,
): string | undefined {
  return parts.find(({ column }) => nullability.has(folded(column)) || redefined.has(folded(column)))?.column
}

/** Columns that are computed in another way from now on, folded. */
function redefinedColumns(context: DiffContext, from: PhysicalTable, to: PhysicalTable): ReadonlySet<string> {
  return new Set(
    to.columns.flatMap(({ name, made }) => {
      if (made?.by !== 'generated') return []
      const old = from.columns.find((column) => sameName(column.name, name))?.made
      return old?.by === 'generated' && !context.same(old.expression, made.expression) ? [folded(name)] : []
    }),
  )
}

/** How things are changed that a table has by name, and that the database drops and adds as a whole. */
interface Remaking<T> {
  drop(gone: { readonly name: string; readonly because?: string }): void
  add(thing: T): void
  /** Why one has to go and come again; undefined where it may stay. */
  because(from: T, to: T): string | undefined
  /** Handles an object that stays. */
  keep?(from: T, to: T): void
}

/** Drops removed objects, adds new ones, and drops and creates again those that cannot be altered. */
function remake<T extends { readonly name: string }>(
  from: readonly T[],
  to: readonly T[],
  remaking: Remaking<T>,
): void {
  const { both, gone, added } = matched(from, to)
  for (const { name } of gone) remaking.drop({ name })
  for (const thing of added) remaking.add(thing)
  for (const { from: old, to: thing } of both) {
    const because = remaking.because(old, thing)
    if (because === undefined) {
      remaking.keep?.(old, thing)
      continue
    }
    remaking.drop({ name: old.name, because })
    remaking.add(thing)
  }
}

function diffChecks(
  context: DiffContext,
  from: PhysicalTable,
  to: PhysicalTable,
  columns: ColumnsDiff,
): void {
  const table = to.name
  remake(from.checks, to.checks, {
    drop: (gone) => context.change('drop-constraints', { kind: 'drop-check', table, ...gone }),
    add: (check) => context.change('add-constraints', { kind: 'add-check', table, check }),
    because(old, check) {
      const column = blockingCheck(check.expression, columns, context)
      if (column !== undefined) return `${column} changes its type`
      return context.same(old.expression, check.expression) ? undefined : 'its expression changes'
    },
  })
}

/** Source: https://cloud.google.com/spanner/docs/foreign-keys/how-to */
function diffForeignKeys(
  context: DiffContext,
  { from, to }: TablePair,
  diffs: ColumnsDiffs,
  pairs: readonly TablePair[],
): void {
  const table = to.name
  remake(from.foreignKeys, to.foreignKeys, {
    drop: (gone) => context.change('drop-constraints', { kind: 'drop-foreign-key', table, ...gone }),
    add: (foreignKey) => context.change('add-constraints', { kind: 'add-foreign-key', table, foreignKey }),
    because(old, foreignKey) {
      const column = blockingKey(table, foreignKey, diffs)
      if (column !== undefined) return `${column} changes`
      const index = context.sql.ddlSyntax.refersToIndexes && indexMadeAgain(context, foreignKey, diffs, pairs)
      if (index !== undefined) return `it relies on the index ${index}`
      return keyText(old) === keyText(foreignKey) ? undefined : 'its definition changes'
    },
  })
}

/** The index with the columns that a foreign key refers to, if it goes, or goes and comes again. */
function indexMadeAgain(
  context: DiffContext,
  { table, references }: PhysicalForeignKey,
  diffs: ColumnsDiffs,
  pairs: readonly TablePair[],
): string | undefined {
  const pair = pairs.find(({ from }) => sameName(from.name, table))
  if (!pair) return undefined
  const wanted = references.map(folded).toSorted().join()
  return pair.from.indexes.find((old) => {
    if (
      !old.unique ||
      old.parts
        .map(({ column }) => folded(column))
        .toSorted()
        .join() !== wanted
    )
      return false
    const index = pair.to.indexes.find(({ name }) => sameName(name, old.name))
    return (
      !index || becauseOfIndex(context, pair, known(diffs, folded(pair.to.name)), old, index) !== undefined
    )
  })?.name
}

function keyText({ columns, table, references, onDelete, enforced }: PhysicalForeignKey): string {
  return JSON.stringify([columns.map(folded), folded(table), references.map(folded), onDelete, enforced])
}

/**
 * Source: https://cloud.google.com/spanner/docs/ttl/working-with-ttl
 *
 * @param renamed the columns that get another name: old name, folded, to new
 */
function diffRowDeletion(
  context: DiffContext,
  from: PhysicalTable,
  to: PhysicalTable,
  { goneEarly }: ColumnsDiff,
  renamed: ReadonlyMap<string, string>,
): void {
  const [old, policy, table] = [from.rowDeletion, to.rowDeletion, to.name]
  const because = old && goneEarly.has(folded(old.column)) ? `${old.column} goes` : undefined
  const isDropped = old && (!policy || because !== undefined)
  // Before tables below it may keep their rows.
  if (isDropped)
    context.change('drop-constraints', { kind: 'drop-row-deletion', table, ...(policy && { because }) })
  if (!policy) return
  if (!old || isDropped) {
    // After all that would keep rows is gone.
    context.change('row-deletion', { kind: 'add-row-deletion', table, policy, dataLoss: true })
  } else if (folded(old.column) !== folded(policy.column) || old.days !== policy.days) {
    const column = renamed.get(folded(old.column)) ?? old.column
    const deletesMore = folded(column) !== folded(policy.column) || old.days > policy.days
    context.change('add-constraints', {
      kind: 'replace-row-deletion',
      table,
      policy,
      ...(deletesMore && { dataLoss: true }),
    })
  }
}

/** Source: https://cloud.google.com/spanner/docs/secondary-indexes */
function diffIndexes(
  context: DiffContext,
  from: PhysicalTable,
  to: PhysicalTable,
  columns: ColumnsDiff,
): void {
  const table = to.name
  remake(from.indexes, to.indexes, {
    drop: (gone) => context.change('drop-indexes', { kind: 'drop-index', table, ...gone }),
    add: (index) => context.change('create-indexes', { kind: 'create-index', table, index }),
    because: (old, index) => becauseOfIndex(context, { from, to }, columns, old, index),
    keep: (old, index) => diffStored(context, table, old, index),
  })
}

/** Why an index has to go and come again; undefined where it may stay. */
function becauseOfIndex(
  context: DiffContext,
  { from, to }: TablePair,
  columns: ColumnsDiff,
  old: PhysicalIndex,
  index: PhysicalIndex,
): string | undefined {
  if (indexText(old) !== indexText(index) || !sameFilter(context, [from, old], [to, index]))
    return 'its definition changes'
  const storesOthers = [...old.storing, ...index.storing].some(
    (each) => lacks(old, each) || lacks(index, each),
  )
  if (storesOthers && !context.sql.ddlSyntax.alter.stored) return 'its stored columns change'
  const column = blockingIndex(index, columns, redefinedColumns(context, from, to))
  return column === undefined ? undefined : `${column} changes`
}

/** All but the filter, and what can be added and dropped. */
function indexText({ unique, nullFiltered, parts, interleaveIn }: PhysicalIndex): string {
  return JSON.stringify([
    unique,
    nullFiltered,
    parts.map(({ column, order, nulls }) => [folded(column), order, nulls]),
    interleaveIn === undefined ? '' : folded(interleaveIn),
  ])
}

type IndexOfTable = readonly [PhysicalTable, PhysicalIndex]

function sameFilter({ live, sql }: DiffContext, from: IndexOfTable, to: IndexOfTable): boolean {
  if (filterText(from[1].notNull) === filterText(to[1].notNull)) return true
  if (!live) return false
  // A filter on a column that is never NULL leaves out no row, and the emulator does not store it.
  const [reported, wanted] = [leftOut(from), leftOut(to)]
  const isReported = sql.ddlSyntax.alter.tellsFilters || reported.length > 0
  return !isReported || filterText(reported) === filterText(wanted)
}

function filterText(columns: readonly string[]): string {
  return JSON.stringify(columns.map(folded).sort())
}

/** The columns whose NULL does keep a row out. */
function leftOut([{ columns }, { notNull }]: IndexOfTable): string[] {
  return notNull.filter((name) => columns.some((column) => sameName(column.name, name) && column.nullable))
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

/** Compares the tables. */
export interface TablesDiff {
  /** For tables that both schemas have, by their folded names. */
  readonly columns: ReadonlyMap<string, ColumnsDiff>
  readonly gone: readonly PhysicalTable[]
}

export function diffTables(
  context: DiffContext,
  from: PhysicalSchema,
  to: PhysicalSchema,
  renames: ColumnRenames,
): TablesDiff {
  const { both, gone, added } = matched(from.tables, to.tables)
  const children = inheritedKeys(from.tables)
  const columns = new Map<string, ColumnsDiff>()
  for (const { from: old, to: table } of both) {
    if (old === table) {
      columns.set(folded(table.name), UNCHANGED)
      continue
    }
    if (old.name !== table.name) refuseCase(context, old.name, table.name)
    const inherited = children.get(folded(table.name)) ?? new Set()
    const renamed = renamesIn(renames, table)
    diffKey(context, old, table, renamed)
    columns.set(folded(table.name), diffColumns(context, { from: old, to: table, inherited, renamed }))
  }
  for (const { from: old, to: table } of both) {
    const diff = known(columns, folded(table.name))
    if (diff === UNCHANGED) continue
    diffInterleaving(context, old, table)
    diffChecks(context, old, table, diff)
    diffForeignKeys(context, { from: old, to: table }, columns, both)
    diffRowDeletion(context, old, table, diff, renamesIn(renames, table))
    diffIndexes(context, old, table, diff)
  }
  createTables(context, from, added)
  dropTables(context, gone, to)
  return { columns, gone }
}

function renamesIn(renames: ColumnRenames, { name }: PhysicalTable): ReadonlyMap<string, string> {
  return renames.get(folded(name)) ?? new Map<string, string>()
}

const UNCHANGED: ColumnsDiff = {
  retyped: new Set(),
  nullability: new Set(),
  gone: new Set(),
  added: new Set(),
  goneEarly: new Set(),
}

/** The key columns that the children of a table have too, by the table's name. */
function inheritedKeys(tables: readonly PhysicalTable[]): ReadonlyMap<string, ReadonlySet<string>> {
  const parents = new Set(tables.flatMap(({ parent }) => (parent ? [folded(parent.table)] : [])))
  return new Map(
    tables.flatMap((table) =>
      parents.has(folded(table.name)) ? [[folded(table.name), keyColumns(table)] as const] : [],
    ),
  )
}

function refuseCase(context: DiffContext, from: string, to: string): void {
  context.refuse({
    kind: 'name',
    table: to,
    message: `is ${from} in the database: Isotherm does not distinguish names that differ only in case.`,
    fix: `Keep the name ${from}.`,
  })
}

/** Each with its indexes. A foreign key to a table that comes later waits until all tables are there. */
function createTables(context: DiffContext, from: PhysicalSchema, added: readonly PhysicalTable[]): void {
  const { refersToIndexes } = context.sql.ddlSyntax
  // Tables that are there get their indexes later.
  const made = new Set(refersToIndexes ? [] : from.tables.map(({ name }) => folded(name)))
  for (const { name: table, foreignKeys, indexes } of added) {
    if (!refersToIndexes) made.add(folded(table))
    const [now, later] = [
      foreignKeys.filter((key) => made.has(folded(key.table))),
      foreignKeys.filter((key) => !made.has(folded(key.table))),
    ]
    context.change(
      'create-tables',
      { kind: 'create-table', table, foreignKeys: now.map(({ name }) => name) },
      ...indexes.map((index) => ({ kind: 'create-index', table, index }) as const),
    )
    for (const foreignKey of later)
      context.change('add-constraints', { kind: 'add-foreign-key', table, foreignKey })
    made.add(folded(table))
  }
}

/**
 * Children before parents. Foreign keys go before, since they hold on to the tables at both ends, and so do indexes, and
 * checks whose names are needed.
 */
function dropTables(context: DiffContext, gone: readonly PhysicalTable[], to: PhysicalSchema): void {
  const names = constraintNames(to)
  for (const { name: table, foreignKeys, checks, indexes } of gone) {
    for (const { name } of foreignKeys)
      context.change('drop-constraints', { kind: 'drop-foreign-key', table, name })
    for (const { name } of checks)
      if (names.has(folded(name))) context.change('drop-constraints', { kind: 'drop-check', table, name })
    for (const { name } of indexes) context.change('drop-indexes', { kind: 'drop-index', table, name })
  }
  for (const { name: table } of gone.toReversed())
    context.change('drop-tables', { kind: 'drop-table', table, dataLoss: true })
}

function constraintNames({ tables }: PhysicalSchema): ReadonlySet<string> {
  return new Set(
    tables.flatMap(({ checks, foreignKeys }) => [...checks, ...foreignKeys].map(({ name }) => folded(name))),
  )
}
