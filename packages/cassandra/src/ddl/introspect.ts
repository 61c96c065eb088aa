import {
  type Column,
  type ColumnType,
  IsothermError,
  type ScalarType,
  type Schema,
  type SecondaryIndex,
  type Table,
  type Token,
  type WireType,
  isName,
  isSymbol,
  tokenize,
  typesWithin,
  paired,
} from '@isotherm/core/engine'
import type { CatalogReader, ElementType, KeyPart, UserType } from '@isotherm/core/tools'
import { cqlLexicalSyntax } from '../cql/identifier.js'

// A keyspace as the catalogue has it.

interface KeyspaceRow {
  readonly table: string
  /** In seconds; 0: rows stay. */
  readonly ttlSeconds: number
}

interface KeyspaceColumn {
  readonly table: string
  readonly name: string
  readonly type: string
  readonly kind: 'partition_key' | 'clustering' | 'static' | 'regular'
  readonly position: number
  readonly order: 'asc' | 'desc' | 'none'
}

interface KeyspaceType {
  readonly name: string
  readonly fields: readonly string[]
  readonly types: readonly string[]
}

interface KeyspaceIndex {
  readonly table: string
  readonly name: string
  readonly kind: string
  readonly options: ReadonlyMap<string, string>
}

interface KeyspaceCatalog {
  readonly tables: readonly KeyspaceRow[]
  readonly columns: readonly KeyspaceColumn[]
  readonly types: readonly KeyspaceType[]
  readonly indexes: readonly KeyspaceIndex[]
  readonly views: readonly string[]
}

const TEXT: WireType = { kind: 'string', length: 'max' }
const INT: WireType = { kind: 'int32' }
const TEXTS: WireType = { kind: 'array', of: TEXT, frozen: true }
const OPTIONS: WireType = { kind: 'map', key: TEXT, of: TEXT, frozen: true }

/** Source: https://cassandra.apache.org/doc/5.0/cassandra/architecture/storage-engine.html and `DESCRIBE KEYSPACE system_schema`. */
async function readKeyspace(
  reader: Pick<CatalogReader, 'query'>,
  keyspace: string,
): Promise<KeyspaceCatalog> {
  const read = (
    table: string,
    columns: Readonly<Record<string, WireType>>,
  ): ReturnType<CatalogReader['query']> =>
    reader.query(
      {
        text: `SELECT ${Object.keys(columns).join(', ')} FROM system_schema.${table} WHERE keyspace_name = ?`,
        parameters: [{ name: 'keyspace_name', type: TEXT, value: keyspace }],
      },
      Object.values(columns),
    )
  const [tables, columns, types, indexes, views] = await Promise.all([
    read('tables', { table_name: TEXT, default_time_to_live: INT }),
    read('columns', {
      table_name: TEXT,
      column_name: TEXT,
      type: TEXT,
      kind: TEXT,
      position: INT,
      clustering_order: TEXT,
    }),
    read('types', { type_name: TEXT, field_names: TEXTS, field_types: TEXTS }),
    read('indexes', { table_name: TEXT, index_name: TEXT, kind: TEXT, options: OPTIONS }),
    read('views', { view_name: TEXT }),
  ])
  return {
    tables: tables.map(([table, ttlSeconds]) => ({
      table: String(table),
      ttlSeconds: Number(ttlSeconds ?? 0),
    })),
    columns: columns.map(([table, name, type, kind, position, order]) => ({
      table: String(table),
      name: String(name),
      type: String(type),
      kind: kind as KeyspaceColumn['kind'],
      position: Number(position),
      order: (order as string).toLowerCase() as KeyspaceColumn['order'],
    })),
    types: types.map(([name, fields, of]) => ({
      name: String(name),
      fields: fields as string[],
      types: of as string[],
    })),
    indexes: indexes.map(([table, name, kind, options]) => ({
      table: String(table),
      name: String(name),
      kind: String(kind),
      options: options as ReadonlyMap<string, string>,
    })),
    views: views.map(([name]) => String(name)),
  }
}

const SCALARS: Readonly<Record<string, ScalarType>> = {
  ascii: { kind: 'ascii' },
  bigint: { kind: 'int64' },
  blob: { kind: 'bytes', length: 'max' },
  boolean: { kind: 'bool' },
  counter: { kind: 'counter' },
  date: { kind: 'date' },
  decimal: { kind: 'decimal' },
  double: { kind: 'float64' },
  duration: { kind: 'duration' },
  float: { kind: 'float32' },
  inet: { kind: 'inet' },
  int: { kind: 'int32' },
  smallint: { kind: 'int16' },
  text: { kind: 'string', length: 'max' },
  time: { kind: 'time' },
  timestamp: { kind: 'timestamp' },
  timeuuid: { kind: 'timeuuid' },
  tinyint: { kind: 'int8' },
  uuid: { kind: 'uuid' },
  varchar: { kind: 'string', length: 'max' },
  varint: { kind: 'varint' },
}

/**
 * A type in the catalogue's syntax: `frozen<map<text, "address">>`.
 *
 * Source: https://cassandra.apache.org/doc/5.0/cassandra/reference/cql-commands/create-table.html
 *
 * @param userTypes names of those that the keyspace has
 * @returns undefined for one that Isotherm does not have
 */
export function columnTypeOf(text: string, userTypes: ReadonlySet<string>): ColumnType | undefined {
  const reading = { tokens: tokenize(text, cqlLexicalSyntax).flatMap(unshifted), at: 0, userTypes }
  const type = readType(reading)
  return reading.at === reading.tokens.length ? type : undefined
}

interface Reading {
  readonly tokens: readonly Token[]
  at: number
  readonly userTypes: ReadonlySet<string>
}

/** Two that close are one operator where numbers are shifted. */
function unshifted(token: Token): Token[] {
  return isSymbol(token, '>>') ? ['>', '>'].map((text) => ({ kind: 'symbol', text })) : [token]
}

function readType(reading: Reading): ColumnType | undefined {
  const token = reading.tokens[reading.at++]
  if (!isName(token)) return undefined
  if (token.kind === 'word' && isSymbol(reading.tokens[reading.at], '<')) return readOf(token.text, reading)
  const scalar = token.kind === 'word' ? SCALARS[token.text] : undefined
  return scalar ?? (reading.userTypes.has(token.text) ? { kind: 'udt', name: token.text } : undefined)
}

/** The text between `<` and `>`. */
function readOf(word: string, reading: Reading): ColumnType | undefined {
  reading.at++
  const parts: ColumnType[] = []
  let dimensions: number | undefined
  for (;;) {
    const token = reading.tokens[reading.at]
    if (token?.kind === 'number') {
      dimensions = Number(token.text)
      reading.at++
    } else {
      const part = readType(reading)
      if (!part) return undefined
      parts.push(part)
    }
    const end = reading.tokens[reading.at++]
    if (isSymbol(end, '>')) break
    if (!isSymbol(end, ',')) return undefined
  }
  return composite(word, parts as ElementType[], dimensions)
}

function composite(
  word: string,
  parts: readonly ElementType[],
  dimensions: number | undefined,
): ColumnType | undefined {
  const [first, second] = parts
  if (!first) return undefined
  switch (word) {
    case 'frozen':
      return first.kind === 'tuple' ? first : ({ ...first, frozen: true } as ColumnType)
    case 'list':
      return { kind: 'array', of: first }
    case 'set':
      return { kind: 'set', of: first }
    case 'map':
      return second && { kind: 'map', key: first as ScalarType, of: second }
    case 'tuple':
      return { kind: 'tuple', of: parts }
    case 'vector':
      return first.kind === 'float32' && dimensions !== undefined
        ? { kind: 'vector', of: 'float32', dimensions }
        : undefined
    default:
      return undefined
  }
}

/**
 * The schema of a keyspace, as far as the catalogue shows it: only clients know of shards, time buckets, and tables that
 * are stored in the partitions of others, so these come back as the columns and tables that hold them. Properties have the
 * names of their columns.
 *
 * @throws {IsothermError} `UNSUPPORTED_OBJECT` naming the table and the column, or the index, for what no schema has.
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
    const fields = paired(row.fields, row.types).map(([field, cqlName]) => {
      const type = columnTypeOf(cqlName, names)
      if (!type) throw unsupported(name, field, `is of type ${cqlName}, which Isotherm does not support.`)
      for (const inner of typesWithin(type)) if (inner.kind === 'udt') add(inner.name)
      return { name: field, type, nullable: true as const }
    })
    made.set(name, { name, fields })
  }
  for (const { name } of types.toSorted((one, other) => (one.name < other.name ? -1 : 1))) add(name)
  return [...made.values()]
}

const KINDS: readonly KeyspaceColumn['kind'][] = ['partition_key', 'clustering', 'static', 'regular']

function tableOf({ table, ttlSeconds }: KeyspaceRow, catalog: KeyspaceCatalog): Table {
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
    ...(ttlSeconds > 0 && { ttlSeconds }),
    suppressions: [],
  }
}

function columnOf({ table, name, type: text, kind }: KeyspaceColumn, types: ReadonlySet<string>): Column {
  const type = columnTypeOf(text, types)
  if (!type) throw unsupported(table, name, `is of type ${text}, which Isotherm does not support.`)
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

/** An index over the values of a collection, or over a value as a whole: other indexes cannot be declared in a schema. */
function indexOf(
  { table, name, options }: KeyspaceIndex,
  columns: readonly KeyspaceColumn[],
): SecondaryIndex {
  const target = options.get('target') ?? ''
  const called = indexedColumn(target)
  const column = columns.find((each) => each.name === called)
  if (!SAI.test(options.get('class_name') ?? '') || !column) {
    throw new IsothermError(
      'UNSUPPORTED_OBJECT',
      `${table} has the index ${name} over ${target}, whose kind Isotherm does not support.`,
      {
        fix: "Declare the tables that you need as models, or make the index of the kind 'sai', over a column.",
        table,
      },
    )
  }
  return {
    name,
    parts: [{ property: column.name, order: 'asc' }],
    unique: false,
    nullFiltered: false,
    notNull: [],
    storing: [],
  }
}

function indexedColumn(target: string): string | undefined {
  const [first, open, inner] = tokenize(target, cqlLexicalSyntax)
  if (!isName(first)) return undefined
  if (!isSymbol(open, '(')) return first.text
  return isName(inner) && (first.text === 'values' || first.text === 'full') ? inner.text : undefined
}

function unsupported(table: string, column: string, what: string): IsothermError {
  return new IsothermError('UNSUPPORTED_OBJECT', `${table}.${column} ${what}`, {
    fix: 'Declare the tables that you need as models, without it: introspection never leaves a part of a table out.',
    table,
    column,
  })
}
