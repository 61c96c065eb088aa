import { folded, matched } from '../names.js'
import type { PhysicalSchema, PhysicalTable } from '../physical-schema.js'
import { keyColumns } from './column-facts.js'
import { diffColumns, type ColumnsDiff } from './columns.js'
import { diffChecks, diffForeignKeys, diffRowDeletion } from './constraints.js'
import type { DiffContext } from './context.js'
import { diffIndexes } from './indexes.js'
import { diffInterleaving, diffKey } from './key.js'
import type { ColumnRenames } from './renamed.js'

/** What becomes of the tables. */
export interface TablesDiff {
  /** Of the tables that both schemas have, by their folded names. */
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
    const diff = columns.get(folded(table.name))!
    if (diff === UNCHANGED) continue
    diffInterleaving(context, old, table)
    diffChecks(context, old, table, diff)
    diffForeignKeys(context, old, table, columns)
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
    message: `is ${from} in the database: a name that differs in its letters' case only is the same name.`,
    fix: `Keep the name ${from}.`,
  })
}

/** Each with its indexes. A foreign key to a table that comes later waits until all tables are there. */
function createTables(context: DiffContext, from: PhysicalSchema, added: readonly PhysicalTable[]): void {
  const made = new Set(from.tables.map(({ name }) => folded(name)))
  for (const { name: table, foreignKeys, indexes } of added) {
    made.add(folded(table))
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
    context.change('drop-tables', { kind: 'drop-table', table, destructive: true })
}

function constraintNames({ tables }: PhysicalSchema): ReadonlySet<string> {
  return new Set(
    tables.flatMap(({ checks, foreignKeys }) => [...checks, ...foreignKeys].map(({ name }) => folded(name))),
  )
}
