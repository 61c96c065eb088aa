import { IsothermError } from '../../errors.js'
import { typesWithin } from '../../model/column-type.js'
import type { Column } from '../../model/column.js'
import type { KeyPart } from '../../model/key.js'
import type { Schema, UserType } from '../../model/schema.js'
import type { SecondaryIndex } from '../../model/secondary-index.js'
import type { Table } from '../../model/table.js'
import { isName, isSymbol } from '../../sql/token.js'
import { tokenize } from '../../sql/tokenize.js'
import type { CatalogReader } from '../introspection/catalog-query.js'
import {
  readKeyspace,
  type KeyspaceCatalog,
  type KeyspaceColumn,
  type KeyspaceIndex,
  type KeyspaceRow,
} from './introspect-catalog.js'
import { columnTypeOf } from './introspect-types.js'

/**
 * The schema of a keyspace, as far as the catalogue tells: shards, time buckets, and tables that lie in the partitions of
 * others, are known to clients alone, and come back as what they lie in. Properties have the names of their columns.
 *
 * @throws {IsothermError} `UNSUPPORTED` naming the table and the column, or the index, for what no schema has.
 */
export async function introspectCql(reader: Pick<CatalogReader, 'query'>, keyspace: string): Promise<Schema> {
  const catalog = await readKeyspace(reader, keyspace)
  if (catalog.views.length > 0) {
    process.emitWarning(`Materialized views are not read: ${catalog.views.join(', ')}.`, {
      type: 'IsothermIntrospectionWarning',
    })
  }
  const userTypes = userTypesOf(catalog)
  return {
    version: 1,
    tables: catalog.tables
      .toSorted((one, other) => (one.table < other.table ? -1 : 1))
      .map((row) => tableOf(row, catalog)),
    namespaces: [],
    sequences: [],
    views: [],
    changeStreams: [],
    ...(userTypes.length > 0 && { userTypes }),
  }
}

/** Each after those within it. */
function userTypesOf({ types }: KeyspaceCatalog): UserType[] {
  const names = new Set(types.map(({ name }) => name))
  const made = new Map<string, UserType>()
  const add = (name: string): void => {
    const row = types.find((type) => type.name === name)
    if (!row || made.has(name)) return
    const fields = row.fields.map((field, at) => {
      const type = columnTypeOf(row.types[at]!, names)
      if (!type) throw unsupported(name, field, `is of type ${row.types[at]!}, which Isotherm does not have.`)
      for (const inner of typesWithin(type)) if (inner.kind === 'udt') add(inner.name)
      return { name: field, type, nullable: true as const }
    })
    made.set(name, { name, fields })
  }
  for (const { name } of types.toSorted((one, other) => (one.name < other.name ? -1 : 1))) add(name)
  return [...made.values()]
}

const KINDS: readonly KeyspaceColumn['kind'][] = ['partition_key', 'clustering', 'static', 'regular']

function tableOf({ table, timeToLive }: KeyspaceRow, catalog: KeyspaceCatalog): Table {
  const types = new Set(catalog.types.map(({ name }) => name))
  const columns = catalog.columns
    .filter((column) => column.table === table)
    .toSorted(
      (one, other) =>
        KINDS.indexOf(one.kind) - KINDS.indexOf(other.kind) ||
        one.position - other.position ||
        (one.name < other.name ? -1 : 1),
    )
  const key = columns.filter(({ kind }) => kind === 'partition_key' || kind === 'clustering')
  const partition = key.filter(({ kind }) => kind === 'partition_key')
  return {
    name: table,
    columns: columns.map((column) => columnOf(column, types)),
    primaryKey: key.map(({ name, order }): KeyPart => ({
      property: name,
      order: order === 'desc' ? 'desc' : 'asc',
    })),
    indexes: catalog.indexes
      .filter((index) => index.table === table)
      .toSorted((one, other) => (one.name < other.name ? -1 : 1))
      .map((index) => indexOf(index, columns)),
    checks: [],
    foreignKeys: [],
    ...(partition.length > 1 && { partitionKey: partition.map(({ name }) => name) }),
    ...(timeToLive > 0 && { timeToLive }),
    exceptions: [],
  }
}

function columnOf({ table, name, type: text, kind }: KeyspaceColumn, types: ReadonlySet<string>): Column {
  const type = columnTypeOf(text, types)
  if (!type) throw unsupported(table, name, `is of type ${text}, which Isotherm does not have.`)
  return {
    property: name,
    name,
    type,
    nullable: kind === 'static' || (kind === 'regular' && type.kind !== 'counter'),
    immutable: false,
    inherited: false,
    ...(kind === 'static' && { static: true as const }),
  }
}

const SAI = /(?:^sai$|StorageAttachedIndex$)/i

/** Of a collection those of its values, and a value that is one as a whole: the others are no index of a schema's. */
function indexOf(
  { table, name, options }: KeyspaceIndex,
  columns: readonly KeyspaceColumn[],
): SecondaryIndex {
  const target = options.get('target') ?? ''
  const column = indexedColumn(target)
  if (!SAI.test(options.get('class_name') ?? '') || !columns.some((each) => each.name === column)) {
    throw new IsothermError(
      'UNSUPPORTED',
      `${table} has the index ${name} over ${target}, of a kind that Isotherm does not have.`,
      {
        fix: "Declare the tables that you need as models, or make the index of the kind 'sai', over a column.",
        table,
      },
    )
  }
  return {
    name,
    parts: [{ property: column!, order: 'asc' }],
    unique: false,
    nullFiltered: false,
    notNull: [],
    storing: [],
  }
}

function indexedColumn(target: string): string | undefined {
  const [first, open, inner] = tokenize(target, 'cql')
  if (!isName(first)) return undefined
  if (!isSymbol(open, '(')) return first.text
  return isName(inner) && (first.text === 'values' || first.text === 'full') ? inner.text : undefined
}

function unsupported(table: string, column: string, what: string): IsothermError {
  return new IsothermError('UNSUPPORTED', `${table}.${column} ${what}`, {
    fix: 'Declare the tables that you need as models, without it: introspection leaves no part of a table out.',
    table,
    column,
  })
}
