import {
  type ColumnSchema,
  type Dialect,
  type Schema,
  type TableSchema,
  defineSchema,
  defineTable,
} from '@isotherm/core'
import { ancestorsOf } from './naming.js'

type Index = TableSchema['indexes'][number]
type Source = NonNullable<ColumnSchema['source']>
type HashSource = Extract<Source, { readonly kind: 'shard' | 'hash' }>

/** Whether models can say of a key part that it is a shard or a hash: a database has more of them than models allow. */
export function declaresHash(table: TableSchema, column: ColumnSchema, dialect: Dialect): boolean {
  const { source, nullable, hidden, type } = column
  if (!isHash(source) || nullable || hidden) return false
  if (source.kind === 'shard' && type.kind !== 'int64') return false
  if (source.kind === 'hash' && !holdsHash(type, source.algorithm, dialect)) return false
  const columns = columnsNamed(table, source.of)
  const outside = columns.filter(({ property }) => !isKey(table, property))
  if (!columns.every(isKnown)) return false
  if (source.computedBy === 'client' || (source.kind === 'shard' && source.expression !== undefined))
    return true
  // https://cloud.google.com/spanner/docs/generated-column/how-to#primary-key-generated-column
  const [only, ...more] = outside
  if (more.length > 0 || only?.source || only?.default !== undefined) return false
  return columns.every(({ type: { kind, ...rest } }) => {
    const storage = 'storage' in rest ? rest.storage : undefined
    return kind !== 'uuid' || (storage !== 'int64-pair' && storage !== 'bytes')
  })
}

export function isHash(source: Source | undefined): source is HashSource {
  return source?.kind === 'shard' || source?.kind === 'hash'
}

function holdsHash(type: ColumnSchema['type'], algorithm: string, dialect: Dialect): boolean {
  if (algorithm === 'farm-fingerprint') return type.kind === 'int64'
  const hasLength = keepsLength(dialect) || (type.kind === 'bytes' && type.length !== 'max')
  return type.kind === 'bytes' && (!hasLength || type.length === (algorithm === 'sha256' ? 32 : 64))
}

/** Whether bytes have a length in the database, rather than in the models alone. */
function keepsLength({ sql }: Dialect): boolean {
  const typeOf = (length: number | 'max'): string | undefined => sql?.sqlType({ kind: 'bytes', length })
  return typeOf(1) !== typeOf('max')
}

/** A value that is known before the row is written. */
function isKnown({ source, generated }: ColumnSchema): boolean {
  return !generated && !isHash(source) && source?.kind !== 'bit-reversed' && !isCommitTimestamp(source)
}

function isCommitTimestamp(source: Source | undefined): boolean {
  return source?.kind === 'timestamp' && source.from === 'commit'
}

function isKey({ primaryKey }: TableSchema, property: string): boolean {
  return primaryKey.some((part) => part.property === property)
}

export function columnsNamed(
  { columns }: TableSchema,
  properties: readonly string[],
): readonly ColumnSchema[] {
  return properties.flatMap((property) => columns.find((column) => column.property === property) ?? [])
}

/**
 * The columns outside the key that shards and hashes are computed from, each with the column that hashes it: a model has to
 * declare that they never change.
 */
export function hashedColumns(table: TableSchema, dialect: Dialect): ReadonlyMap<string, string> {
  return new Map(
    table.columns.flatMap((column) => {
      const { source, inherited, property } = column
      if (!isHash(source) || inherited || !declaresHash(table, column, dialect)) return []
      const outside = source.of.filter((each) => !isKey(table, each))
      return outside.map((each) => [each, property] as const)
    }),
  )
}

/** The same schema with hashed columns marked as immutable, as models require. */
export function withImmutableHashed(schema: Schema, dialect: Dialect): Schema {
  const tables = schema.tables.map((table) => {
    const hashed = hashedColumns(table, dialect)
    const columns = table.columns.map((column) =>
      hashed.has(column.property) ? { ...column, immutable: true } : column,
    )
    return { ...table, columns }
  })
  return { ...schema, tables }
}

/** The column as the table says that it is inherited from. */
export function inheritedFrom(
  table: TableSchema,
  { property }: ColumnSchema,
  schema: Schema,
): { readonly table: TableSchema; readonly column: ColumnSchema } | undefined {
  for (const ancestor of ancestorsOf(table, schema)) {
    const column = ancestor.columns.find((each) => each.property === property)
    if (column && !column.inherited) return { table: ancestor, column }
  }
  return undefined
}

/** Whether an index can be declared with its shard: with the generated name, and over columns that it may hash. */
export function declaresShard(table: TableSchema, index: Index): boolean {
  const { shard, name } = index
  if (!shard) return true
  const hashes = columnsNamed(table, shard.of).every(
    ({ source, generated }) => !generated && !isHash(source) && !isCommitTimestamp(source),
  )
  return hashes && shardColumnOf(name) === shard.column
}

const NAME = /^(?:[A-Za-z]\w{0,127}\.)?[A-Za-z]\w{0,127}$/

/** The name of the shard column of an index. */
function shardColumnOf(name: string): string | undefined {
  if (!NAME.test(name)) return undefined
  const indexes = [{ name, on: ['id'], shard: { shards: 1, of: ['id'] } }] as const
  // A name that no index has, since an index may not have its table's.
  const table = defineTable(
    `${name}_`.slice(-20).replace(/^[^A-Za-z]*/, 'T'),
    (t) => ({ id: t.int64().key() }),
    { indexes },
  )
  return defineSchema([table]).tables[0]?.indexes[0]?.shard?.column
}
