import { type ColumnSchema, type Dialect, IsothermError, type Schema, type TableSchema } from '@isotherm/core'
import { columnsNamed, declaresHash, declaresShard, inheritedFrom, isHash } from './hashing.js'
import { sqlMaking } from './declaration.js'
import { claim } from './naming.js'
import { innerTypes, typesWithin } from '@isotherm/core/adapter'

type Index = TableSchema['indexes'][number]

/**
 * The same schema, in which shards of indexes that models cannot declare are plain generated columns in front of the index:
 * their names differ from the generated ones, or they hash columns that a shard may not hash.
 */
export function withoutForeignShards(schema: Schema, dialect: Dialect): Schema {
  return { ...schema, tables: schema.tables.map((table) => withColumns(table, dialect)) }
}

function withColumns(table: TableSchema, dialect: Dialect): TableSchema {
  if (table.indexes.every((index) => declaresShard(table, index))) return table
  const taken = new Set(table.columns.map(({ property }) => property))
  const columns: ColumnSchema[] = [...table.columns]
  const indexes = table.indexes.map((index): Index => {
    const { shard, ...rest } = index
    if (!shard || declaresShard(table, index)) return index
    const property = claim(shard.column, taken)
    columns.push(generatedShard(table, shard, property, dialect))
    return { ...rest, parts: [{ property, order: 'asc' }, ...index.parts] }
  })
  return { ...table, columns, indexes }
}

function generatedShard(
  table: TableSchema,
  { column: name, shards, of }: NonNullable<Index['shard']>,
  property: string,
  dialect: Dialect,
): ColumnSchema {
  const type = { kind: 'int64' } as const
  const source = { kind: 'shard', strategy: 'hash', shards, of, computedBy: 'database' } as const
  const expression = { [dialect.name]: sqlMaking({ type, source }, columnsNamed(table, of), dialect) }
  return {
    property,
    name,
    type,
    nullable: false,
    immutable: false,
    inherited: false,
    hidden: true,
    generated: { expression, stored: false },
  }
}

interface Undeclarable {
  readonly table: string
  readonly column?: string
  readonly what: string
}

/**
 * Refuses objects that models cannot declare: a model without them would count as complete, and the next
 * migration would drop them.
 *
 * @throws {IsothermError} `UNSUPPORTED_OBJECT` with everything that is found.
 */
export function refuseUndeclarable(schema: Schema, dialect: Dialect): void {
  const found = schema.tables.flatMap((table): Undeclarable[] => [
    ...(table.primaryKey.length === 0 ? [{ table: table.name, what: 'has no primary key' }] : []),
    ...(table.columns.some(isRowMarker) ? [{ table: table.name, what: FOLDED }] : []),
    ...table.columns.flatMap((column) => {
      const what = column.inherited ? inheritance(table, column, schema, dialect) : making(column)
      return what === undefined ? [] : [{ table: table.name, column: column.name, what }]
    }),
  ])
  const [first] = found
  if (!first) return
  const list = found.map(
    ({ table, column, what }) => `${column === undefined ? table : `${table}.${column}`} ${what}`,
  )
  throw new IsothermError(
    'UNSUPPORTED_OBJECT',
    `Models cannot declare all of this database: ${list.join('; ')}. Nothing was written: models of the rest would be taken as ` +
      'the whole database: isotherm push would drop what is missing, and isotherm check would report it.',
    {
      fix: found.every(({ what }) => what === FOLDED) ? BY_HAND : OTHERWISE,
      table: first.table,
      ...(first.column !== undefined && { column: first.column }),
    },
  )
}

const FOLDED = 'has the rows of a parent and of its children, which are two models, but only one name'
const BY_HAND =
  'Pull a keyspace without this table, created from DESCRIBE KEYSPACE, and declare the two models by hand, ' +
  'with interleaveIn.'
const OTHERWISE = 'Change it in the database, or declare the tables that you need as models by hand.'

/** The column that Isotherm adds to a parent's fields, so that a parent without values exists too. */
function isRowMarker({ name, type, static: isStatic }: ColumnSchema): boolean {
  return name === '_row' && type.kind === 'bool' && isStatic === true
}

function making({ source, nullable, hidden, generated, type }: ColumnSchema): string | undefined {
  const deep = innermost(type)
  if (deep !== undefined) return `has the user type ${deep} within what is within another type`
  const isIdentity = source?.kind === 'bit-reversed' && source.from === 'identity'
  if (isIdentity && nullable) return 'is an identity that may be NULL'
  if (isIdentity && hidden) return 'is an identity that is hidden'
  if (source?.kind === 'timestamp' && generated) return 'is a commit timestamp that is generated'
  return undefined
}

/** A key part of a child must equal its parent's. */
function inheritance(
  table: TableSchema,
  column: ColumnSchema,
  schema: Schema,
  dialect: Dialect,
): string | undefined {
  const { nullable, hidden, generated, source } = column
  const from = inheritedFrom(table, column, schema)
  if (!from) return 'is inherited, and no parent has it'
  const { table: parent, column: own } = from
  if (own.nullable !== nullable) return `may be NULL in one of ${table.name} and ${parent.name}`
  if (own.hidden !== hidden) return `is hidden in one of ${table.name} and ${parent.name}`
  if (generated) return `is a key part of ${parent.name} that this table computes by itself`
  const computes =
    isHash(source) &&
    source.computedBy === 'database' &&
    source.of.every((property) => table.columns.some((each) => each.property === property))
  if (computes && !declaresHash(parent, own, dialect))
    return `is computed here, and in ${parent.name} in a form that models do not have`
  return undefined
}

/** A user type whose model cannot be given to a builder, since it is nested too deeply. */
function innermost(type: ColumnSchema['type']): string | undefined {
  const deep = innerTypes(type).flatMap(innerTypes).flatMap(typesWithin)
  return deep.find((each) => each.kind === 'udt')?.name
}
