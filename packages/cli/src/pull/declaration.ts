import type { ColumnSchema, DialectName, Schema, TableSchema } from '@isotherm/core'
import { columnsNamed, declaresHash, hashedColumns, isHash } from './hashing.js'
import { sqlMaking } from './made-sql.js'
import type { Value, ValueRecord } from './source-text.js'
import { fieldType, typeArguments, type UserTypeNames } from './type-source.js'

export type Builder =
  | ColumnSchema['type']['kind']
  | 'shardKey'
  | 'hashKey'
  | 'bitReversedId'
  | 'uuidV4'
  | 'descTimestamp'
  | 'parentKey'

/** How a column is declared, in either style. */
export interface Declaration {
  readonly property: string
  /** As `defineTable` calls it. */
  readonly builder: Builder
  readonly args: readonly Value[]
  /** Said beside it; absent where the builder says it, or where the column is in no key. */
  readonly key?: 'asc' | 'desc'
  /** Whether it takes a place in the key, by itself or by `key`. */
  readonly isKey: boolean
  /** The type of the row's field. */
  readonly field: string
  /** What whoever reads the model should know of it. */
  readonly note?: string
}

type Type = ColumnSchema['type']
type Source = NonNullable<ColumnSchema['source']>

export interface DeclarationContext {
  readonly schema: Schema
  readonly dialect: DialectName
  /** The models of user types, by the names of the types. Absent where there are none. */
  readonly types?: UserTypeNames
}

const NONE: UserTypeNames = new Map()

export function declarationsOf(table: TableSchema, context: DeclarationContext): Declaration[] {
  const hashed = hashedColumns(table, context.dialect)
  return table.columns.map((found): Declaration => {
    if (found.inherited) return inherited(found, context.types ?? NONE)
    const hashedBy = hashed.get(found.property)
    const column = { ...found, immutable: found.immutable || hashedBy !== undefined }
    const order = table.primaryKey.find(({ property }) => property === column.property)?.order
    const special = specialOf(table, column, order, context)
    const usual = special && (special.builder === 'descTimestamp' ? 'desc' : 'asc')
    const note =
      !found.immutable && hashedBy !== undefined ? hashedNote(hashedBy) : special ? undefined : noteOf(column)
    return {
      property: column.property,
      ...(order && order !== usual && { key: order }),
      isKey: special !== undefined || order !== undefined,
      ...(special ?? plain(table, column, context)),
      ...(note !== undefined && { note }),
    }
  })
}

function hashedNote(by: string): string {
  return `Hashed into ${by}: an update would leave the row where nobody looks for it, and is refused.`
}

/** What a plain column cannot say. */
function noteOf({ source, default: written }: ColumnSchema): string | undefined {
  if (source?.kind === 'shard') {
    return `A shard over ${source.of.join(', ')}, in a form that shard keys do not have: no read fans out over it.`
  }
  if (source?.kind === 'hash')
    return `A hash of ${source.of.join(', ')}, in a form that hash keys do not have.`
  if (source?.kind === 'timestamp' && written !== undefined)
    return 'The database has a default beside the commit timestamp, which no model declares.'
  if (source?.kind === 'bit-reversed' && source.from === 'client')
    return 'Counted by the application: bitReversedId, from its counter.'
  return undefined
}

/** The child computes a shard that it inherits, or takes it from its parent: no insert has to name it. */
function inherited({ property, type, source }: ColumnSchema, types: UserTypeNames): Declaration {
  const field = fieldType(type, types)
  return {
    property,
    builder: 'parentKey',
    args: [],
    isKey: true,
    field: isHash(source) ? `Generated<${field}>` : field,
  }
}

type Declared = Pick<Declaration, 'builder' | 'args' | 'field'>

function declared(builder: Builder, options: ValueRecord, field: string): Declared {
  const given = Object.values(options).some((value) => value !== undefined)
  return { builder, args: given ? [options] : [], field }
}

/** What has a declaration of its own. */
function specialOf(
  table: TableSchema,
  column: ColumnSchema,
  order: 'asc' | 'desc' | undefined,
  { dialect }: DeclarationContext,
): Declared | undefined {
  const { source, type, nullable, immutable, hidden } = column
  const isPlain =
    !nullable && !immutable && !hidden && !column.generated && !column.static && column.default === undefined
  if (!isPlain) return undefined
  const name = nameOf(column)
  if (type.kind === 'timestamp' && order === 'desc') {
    const from = source?.kind === 'timestamp' ? source.from : undefined
    return declared('descTimestamp', { name, default: from }, from ? 'Generated<Date>' : 'Date')
  }
  switch (source?.kind) {
    case 'shard': {
      if (!declaresHash(table, column, dialect)) return undefined
      const { shards, first, signed, strategy, of, expression, computedBy } = source
      const how =
        strategy === 'hash' ? { signed, of, computedBy: byClient(computedBy), expression } : { strategy }
      return declared('shardKey', { name, shards, first, ...how }, 'Generated<bigint>')
    }
    case 'hash': {
      if (!declaresHash(table, column, dialect)) return undefined
      const algorithm = source.algorithm === 'farm-fingerprint' ? undefined : source.algorithm
      const options = { name, of: source.of, algorithm, computedBy: byClient(source.computedBy) }
      return declared('hashKey', options, algorithm ? 'Generated<Uint8Array>' : 'Generated<bigint>')
    }
    case 'uuid-v4': {
      if (type.kind !== 'uuid') return undefined
      return declared('uuidV4', { name, storage: storageOf(type) }, 'Generated<string>')
    }
    case 'bit-reversed': {
      const { from, sequence, startCounter, skipRange } = source
      if (from === 'client') return undefined
      const counters = {
        startCounter: startCounter === undefined ? undefined : BigInt(startCounter),
        skipRange: skipRange?.map(BigInt),
      }
      const options = from === 'sequence' ? { from, sequence } : counters
      return declared('bitReversedId', { name, ...options }, 'Generated<bigint>')
    }
    default:
      return undefined
  }
}

function plain(table: TableSchema, column: ColumnSchema, context: DeclarationContext): Declared {
  const { source, nullable, immutable, hidden } = column
  const { types = NONE } = context
  const type = typeOf(column)
  const made = madeOf(table, column, context)
  const options: ValueRecord = {
    ...typeOptions(type),
    name: nameOf(column),
    nullable: nullable || undefined,
    immutable: immutable || undefined,
    default: made.default ?? (source?.kind === 'timestamp' ? source.from : undefined),
    generated: made.generated,
    stored: made.stored === false ? false : undefined,
    hidden,
    static: column.static,
    frozen: 'frozen' in type ? type.frozen : undefined,
  }
  const isMade = options['default'] !== undefined || made.generated !== undefined
  const value = fieldType(type, types)
  const field = nullable ? `${value} | null` : isMade ? `Generated<${value}>` : value
  const { args } = declared(type.kind, options, field)
  return { builder: type.kind, args: [...typeArguments(type, types), ...args], field }
}

/** A UUID that is not made as one is just text, to a model as to the database. */
function typeOf({ type, source }: ColumnSchema): Type {
  const isText = type.kind === 'uuid' && source?.kind === 'uuid-v4' && storageOf(type) === undefined
  return isText ? { kind: 'string', length: 36 } : type
}

interface Made {
  readonly default?: Value
  readonly generated?: Value
  readonly stored?: boolean
}

/** The SQL that makes a column's value. */
function madeOf(table: TableSchema, column: ColumnSchema, { dialect }: DeclarationContext): Made {
  const { source, generated } = column
  if (generated) return { generated: sqlValue(generated.expression), stored: generated.stored }
  if (column.default !== undefined && !isTimestamp(source)) {
    // Of a timestamp, a text alone is no SQL.
    const isBare = column.type.kind === 'timestamp' && typeof column.default === 'string'
    return { default: isBare ? { [dialect]: column.default } : sqlValue(column.default) }
  }
  if (isHash(source)) {
    if (source.computedBy === 'client') return {}
    return { generated: { [dialect]: sqlMaking(column, columnsNamed(table, source.of), dialect) } }
  }
  const isDefault =
    source?.kind === 'uuid-v4' || (source?.kind === 'bit-reversed' && source.from === 'sequence')
  return isDefault ? { default: { [dialect]: sqlMaking(column, [], dialect) } } : {}
}

function isTimestamp(source: Source | undefined): boolean {
  return source?.kind === 'timestamp'
}

export function sqlValue(expression: NonNullable<ColumnSchema['default']>): Value {
  return typeof expression === 'string' ? expression : { ...expression }
}

function nameOf({ property, name }: ColumnSchema): string | undefined {
  return property === name ? undefined : name
}

function byClient(computedBy: 'client' | 'database'): 'client' | undefined {
  return computedBy === 'client' ? computedBy : undefined
}

function storageOf(type: Extract<Type, { readonly kind: 'uuid' }>): string | undefined {
  return type.storage === 'text' ? undefined : type.storage
}

function typeOptions(type: Type): ValueRecord {
  switch (type.kind) {
    case 'string':
    case 'bytes':
      return { length: type.length === 'max' ? undefined : type.length }
    case 'int64':
      return { as: type.as === 'number' ? type.as : undefined }
    case 'uuid':
      return { storage: storageOf(type) }
    default:
      return {}
  }
}
