import {
  type PhysicalColumn,
  type Schema,
  type TableLayout,
  type WireType,
  storedTable,
  itemAt,
} from '@isotherm/core/engine'
import type { Order, UserType } from '@isotherm/core/tools'
import { ROW_MARKER_COLUMN } from '../cql/fold.js'
import type { CqlCapabilities } from '../cql/capabilities.js'
import { quote } from '../cql/identifier.js'
import { cqlType } from '../cql/types.js'

export interface StoredColumn {
  readonly name: string
  readonly type: WireType
  /** One value for all rows of a partition. */
  readonly static?: true
}

/** A table of the database: that of one model, or of a parent and the child whose rows are stored in its partitions. */
export interface StoredTable {
  readonly name: string
  /** The layouts whose rows it holds, a parent's before its child's. */
  readonly layouts: readonly TableLayout[]
  /** Partition key, clustering columns, static columns, and the rest. */
  readonly columns: readonly StoredColumn[]
  readonly key: readonly { readonly name: string; readonly order: Order }[]
  /** How many leading columns of the key make the partition key. */
  readonly partition: number
  /** In seconds. */
  readonly ttlSeconds?: number
  /** Writes to it may say when they vanish. */
  readonly writesExpire?: true
}

/**
 * The tables of the database that hold these layouts' rows, in the layouts' order.
 *
 * @param layouts those of all tables of a schema: a parent and its child make one table together
 */
export function storedTables(layouts: readonly TableLayout[]): readonly StoredTable[] {
  const families = new Map<string, TableLayout[]>()
  for (const layout of layouts) {
    const name = storedTable(layout)
    const family = families.get(name)
    if (family) family.push(layout)
    else families.set(name, [layout])
  }
  return [...families].map(([name, family]) => storedOf(name, family))
}

function storedOf(name: string, family: readonly TableLayout[]): StoredTable {
  const parent = family.find(({ stored }) => stored?.as === 'static')
  // The child's key begins with the parent's; without a child's layout the parent's is all there is.
  const rows = family.find((layout) => layout !== parent) ?? itemAt(family, 0)
  const { key, partition = key.length } = rows
  const inKey = new Set(key.map(({ column }) => column.name))
  const kept = (layout: TableLayout, isStatic: boolean): PhysicalColumn[] =>
    layout.fields
      .filter(({ column }) => (layout === parent || column.static === true) === isStatic)
      .flatMap(({ physical }) => physical)
      .filter((column) => !inKey.has(column.name))
  const columns: StoredColumn[] = [
    ...key.map(({ column }) => plain(column)),
    ...(parent ? [{ ...plain(ROW_MARKER_COLUMN), static: true as const }] : []),
    ...family
      .flatMap((layout) => kept(layout, true))
      .map((column) => ({ ...plain(column), static: true as const })),
    ...family.flatMap((layout) => kept(layout, false)).map(plain),
  ]
  const { ttlSeconds, writesExpire } = rows.table
  return {
    name,
    layouts: parent ? [parent, ...family.filter((layout) => layout !== parent)] : family,
    columns,
    key: key.map(({ column, order }) => ({ name: column.name, order })),
    partition,
    ...(ttlSeconds !== undefined && { ttlSeconds }),
    ...(writesExpire && { writesExpire }),
  }
}

function plain({ name, type }: PhysicalColumn): StoredColumn {
  return { name, type }
}

/** The CQL syntax that creates and changes a schema. */
export interface CqlDdlSyntax {
  type(type: UserType): string
  table(table: StoredTable): string
  /** Of one column; the index of a map is over its values. */
  index(table: string, index: { readonly name: string; readonly column: StoredColumn }): string
  dropTable(table: string): string
  dropType(type: string): string
  dropIndex(index: string): string
  addColumn(table: string, column: StoredColumn): string
  dropColumn(table: string, column: string): string
  renameKeyColumn(table: string, from: string, to: string): string
  addTypeField(type: string, field: { readonly name: string; readonly type: StoredColumn['type'] }): string
  /** Statements in the order in which they must run. Seconds; undefined: rows stay. */
  tableOptions(
    table: string,
    options: { readonly ttlSeconds: number | undefined },
    before: { readonly ttlSeconds: number | undefined },
  ): string[]
}

/**
 * Sources: https://cassandra.apache.org/doc/5.0/cassandra/developing/cql/ddl.html,
 * https://docs.aws.amazon.com/keyspaces/latest/devguide/cql.ddl.html
 */
export function cqlDdlSyntax(has: CqlCapabilities): CqlDdlSyntax {
  return {
    type: ({ name, fields }) =>
      `CREATE TYPE ${quote(name)} (\n  ${fields.map(columnDefinition).join(',\n  ')}\n)`,
    table: (table) => createTable(table, has),
    index: (table, { name, column }) =>
      `CREATE INDEX ${quote(name)} ON ${quote(table)} (${indexedColumn(column)}) USING 'sai'`,
    dropTable: (table) => `DROP TABLE ${quote(table)}`,
    dropType: (type) => `DROP TYPE ${quote(type)}`,
    dropIndex: (index) => `DROP INDEX ${quote(index)}`,
    addColumn: (table, column) => `${alter(table)} ADD ${columnDefinition(column)}`,
    dropColumn: (table, column) => `${alter(table)} DROP ${quote(column)}`,
    renameKeyColumn: (table, from, to) => `${alter(table)} RENAME ${quote(from)} TO ${quote(to)}`,
    addTypeField: (type, field) => `ALTER TYPE ${quote(type)} ADD ${columnDefinition(field)}`,
    tableOptions: (table, { ttlSeconds = 0 }, before) => [
      // Once it is switched on it stays so, and one statement changes one property.
      ...(has.timeToLiveIsSwitched && before.ttlSeconds === undefined && ttlSeconds > 0
        ? [`${alter(table)} WITH ${SWITCHED_ON}`]
        : []),
      `${alter(table)} WITH default_time_to_live = ${ttlSeconds}`,
    ],
  }
}

function alter(table: string): string {
  return `ALTER TABLE ${quote(table)}`
}

// Source: https://docs.aws.amazon.com/keyspaces/latest/devguide/TTL-how-to-enable-custom-cql.html
const SWITCHED_ON = "CUSTOM_PROPERTIES = {'ttl': {'status': 'enabled'}}"

function columnDefinition({ name, type, static: isStatic }: StoredColumn): string {
  return `${quote(name)} ${cqlType(type)}${isStatic ? ' static' : ''}`
}

function createTable(
  { name, columns, key, partition, ttlSeconds, writesExpire }: StoredTable,
  { timeToLiveIsSwitched }: CqlCapabilities,
): string {
  const names = key.map((part) => quote(part.name))
  const clustering = key.slice(partition)
  const primaryKey = [`(${names.slice(0, partition).join(', ')})`, ...names.slice(partition)].join(', ')
  const options = [
    ...(clustering.length > 0
      ? [
          `CLUSTERING ORDER BY (${clustering
            .map((part) => `${quote(part.name)} ${part.order.toUpperCase()}`)
            .join(', ')})`,
        ]
      : []),
    ...(timeToLiveIsSwitched && (writesExpire || ttlSeconds !== undefined) ? [SWITCHED_ON] : []),
    ...(ttlSeconds === undefined ? [] : [`default_time_to_live = ${ttlSeconds}`]),
  ]
  const lines = [...columns.map(columnDefinition), `PRIMARY KEY (${primaryKey})`]
  const tail = options.length > 0 ? ` WITH ${options.join('\n  AND ')}` : ''
  return `CREATE TABLE ${quote(name)} (\n  ${lines.join(',\n  ')}\n)${tail}`
}

/** A value that is one to the database is indexed as one. */
function indexedColumn({ name, type }: StoredColumn): string {
  const isCollection = type.kind === 'array' || type.kind === 'set' || type.kind === 'map'
  return isCollection && type.frozen ? `full(${quote(name)})` : quote(name)
}

/**
 * The statements that make a schema, in the order in which they must run: each user type after those within it, tables, and
 * their indexes.
 *
 * @param layouts those of `schema.tables`, in their order
 */
export function cqlDdl(schema: Schema, layouts: readonly TableLayout[], syntax: CqlDdlSyntax): string[] {
  return [
    ...(schema.userTypes ?? []).map((type) => syntax.type(type)),
    ...storedTables(layouts).flatMap((table) => [
      syntax.table(table),
      ...storedIndexes(table).map((index) => syntax.index(table.name, index)),
    ]),
  ]
}

/** An index of a table of the database. */
export type StoredIndex = Parameters<CqlDdlSyntax['index']>[1]

export function storedIndexes({ layouts }: Pick<StoredTable, 'layouts'>): StoredIndex[] {
  return layouts.flatMap(({ indexes }) =>
    indexes.map(({ index, key }) => {
      const { name, type } = itemAt(key, 0).column
      return { name: index.name, column: { name, type } }
    }),
  )
}
