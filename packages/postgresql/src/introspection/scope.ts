import { IsothermError } from '@isotherm/core/engine'
import type { CatalogReader } from '@isotherm/core/tools'
import {
  type CatalogColumn,
  type CatalogConstraint,
  type CatalogIndex,
  type CatalogNamespace,
  type CatalogOther,
  type CatalogRelation,
  type CatalogSequence,
  readColumns,
  readConstraints,
  readIndexes,
  readNamespaces,
  readOthers,
  readRelations,
  readSequences,
} from './catalog.js'

// The part of a database that is read, with names as a schema has them.

/** Where the tables of other programs cannot be in the way. */
export const ALONE = 'the first of search_path is read alone, if it is not public.'

export interface Named<Row> {
  readonly row: Row
  /** With its named schema; names in the current schema go without. */
  readonly name: string
}

export interface ScopedTable extends Named<CatalogRelation> {
  readonly columns: readonly CatalogColumn[]
  readonly key: readonly string[]
  /** All but the primary key. */
  readonly constraints: readonly CatalogConstraint[]
  readonly indexes: readonly Named<CatalogIndex>[]
}

export interface Scope {
  readonly namespaces: readonly string[]
  /** With a primary key, by name. */
  readonly tables: readonly ScopedTable[]
  readonly sequences: readonly Named<CatalogSequence>[]
  readonly views: readonly Named<CatalogRelation>[]
  readonly materialized: readonly (Named<CatalogRelation> & { readonly indexes: readonly CatalogIndex[] })[]
  readonly others: readonly CatalogOther[]
  note(text: string): void
}

/**
 * Reads the catalogue. Names without a schema mean the current one, the first of `search_path`. If that is not `public`, the database
 * is taken for that schema alone, as one that several applications share.
 */
export async function readScope(reader: CatalogReader): Promise<Scope> {
  const [namespaces, relations, columns, constraints, indexes, sequences, others] = await Promise.all([
    readNamespaces(reader),
    readRelations(reader),
    readColumns(reader),
    readConstraints(reader),
    readIndexes(reader),
    readSequences(reader),
    readOthers(reader),
  ])
  const note = (text: string): void => reader.note?.(text)
  const names = namesRead(namespaces, note)
  const named = <Row extends { readonly schema: string; readonly name: string }>(
    rows: readonly Row[],
  ): Named<Row>[] =>
    rows.flatMap((row) => {
      const schema = names.get(row.schema)
      if (schema === undefined) return []
      refuseDots(row.name, row.name)
      return [{ row, name: schema === '' ? row.name : `${schema}.${row.name}` }]
    })
  const [columnsOf, constraintsOf] = [grouped(columns), grouped(constraints)]
  const indexesOf = grouped(indexes)
  const found = named(relations)
  const kinds = (kind: string): Named<CatalogRelation>[] => found.filter(({ row }) => row.kind === kind)
  const tables = [...kinds('r'), ...kinds('p')]
    .filter(({ row }) => !row.isPartition)
    .toSorted(byName)
    .map((table): ScopedTable => {
      const own = constraintsOf.get(table.row.oid) ?? []
      return {
        ...table,
        columns: columnsOf.get(table.row.oid) ?? [],
        key: own.find(({ kind }) => kind === 'p')?.columns ?? [],
        constraints: own.filter(({ kind }) => kind !== 'p'),
        indexes: named(indexesOf.get(table.row.oid) ?? []),
      }
    })
  for (const { name } of kinds('f'))
    note(`${name} is a foreign table, which models do not have: it was left out.`)
  for (const table of tables) noteTable(table, note)
  const keyed = tables.filter(({ key }) => key.length > 0)
  for (const { name, columns } of keyed) for (const column of columns) refuseDots(name, column.name)
  return {
    namespaces: [...names.values()].filter((name) => name !== ''),
    tables: keyed,
    sequences: named(sequences).toSorted(byName),
    views: kinds('v').toSorted(byName),
    materialized: kinds('m').map((view) => ({ ...view, indexes: indexesOf.get(view.row.oid) ?? [] })),
    others: others.filter(({ schema }) => schema === null || names.has(schema)),
    note,
  }
}

/** The names of schemas as names of objects begin with them, by number: the current one's is empty. */
function namesRead(
  namespaces: readonly CatalogNamespace[],
  note: (text: string) => void,
): ReadonlyMap<string, string> {
  const current = namespaces.find(({ isCurrent }) => isCurrent)
  const isShared = current !== undefined && current.name !== 'public'
  const left = namespaces.filter(({ isCurrent, isEmpty }) => isShared && !isCurrent && !isEmpty)
  if (left.length > 0) {
    note(
      `The schema ${current?.name}, the first of search_path, was read alone. Left out: ${left.map(({ name }) => name).join(', ')}.`,
    )
  }
  for (const { name } of namespaces) if (!isShared) refuseDots(name, name)
  return new Map(
    namespaces
      .filter(({ isCurrent }) => !isShared || isCurrent)
      .map(({ oid, name, isCurrent }) => [oid, isCurrent ? '' : name]),
  )
}

function noteTable({ name, key, row }: ScopedTable, note: (text: string) => void): void {
  if (key.length === 0) {
    note(`${name} has no primary key, by which rows are found: it was left out.`)
    return
  }
  if (row.partitionKey !== null)
    note(`${name} is partitioned by ${row.partitionKey}: it was read as one table, without its partitions.`)
  if (row.inherits) note(`${name} inherits from another table: it was read with all columns as its own.`)
  if (row.isUnlogged)
    note(`${name} is UNLOGGED, which models do not have: it was read as a table that is logged.`)
}

/** In a schema, a dot ends the name of a named schema. */
function refuseDots(object: string, name: string): void {
  if (!name.includes('.')) return
  throw new IsothermError(
    'UNSUPPORTED_OBJECT',
    `${object}: the name ${JSON.stringify(name)} has a dot in it.`,
    {
      fix: `Rename it, or keep the tables of your models in a schema of their own: ${ALONE}`,
    },
  )
}

function byName(one: { readonly name: string }, other: { readonly name: string }): number {
  return one.name < other.name ? -1 : 1
}

function grouped<Row extends { readonly table: string }>(rows: readonly Row[]): ReadonlyMap<string, Row[]> {
  const groups = new Map<string, Row[]>()
  for (const row of rows) {
    const group = groups.get(row.table)
    if (group) group.push(row)
    else groups.set(row.table, [row])
  }
  return groups
}
