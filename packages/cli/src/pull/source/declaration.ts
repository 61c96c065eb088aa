import { sqlFor } from '@isotherm/core/tools'
import {
  type ColumnDefault,
  type ColumnSchema,
  type DefaultValue,
  type Dialect,
  type ElementType,
  type Schema,
  type SqlDialect,
  type SqlExpression,
  type TableSchema,
  compileDdl,
  lintRules,
} from '@isotherm/core'
import { defaultValueOf, innerTypes, known } from '@isotherm/core/adapter'
import { Called, Code, type Value, type ValueRecord } from './source-text.js'
import { columnsNamed, declaresHash, hashedColumns, isHash } from './hashing.js'

// A column's default as a model says it: a value of TypeScript's, or SQL that is marked.

type Type = ColumnSchema['type']

function defaultSource(type: Type, kept: ColumnDefault, dialect: Dialect): Value {
  if ('sql' in kept) return new Called('sql', typeof kept.sql === 'string' ? kept.sql : { ...kept.sql })
  try {
    return valueSource(type, kept.value)
  } catch (error) {
    if (!(error instanceof Unsayable)) throw error
    return new Called('sql', { [dialect.name]: defaultSql(type, kept, dialect as SqlDialect) })
  }
}

/** The same as SQL of one dialect. */
export function defaultSql(type: Type, kept: ColumnDefault, dialect: SqlDialect): string {
  if ('sql' in kept) return sqlFor(kept.sql, dialect.name) ?? ''
  return dialect.sql.literal(kept.value, type)
}

/** A value for which TypeScript has no literal. */
class Unsayable extends Error {}

const MILLISECONDS = /^[^.]+(?:\.\d{1,3})?Z$/

function valueSource(type: Type, kept: DefaultValue): Value {
  if (type.kind === 'array') {
    const items = kept as readonly (string | number | boolean | null)[]
    return items.map((item) => (item === null ? new Code('null') : valueSource(type.of, item)))
  }
  switch (type.kind) {
    case 'int64':
      return type.as === 'number' ? Number(kept) : BigInt(kept as string)
    case 'float32':
    case 'float64':
      return typeof kept === 'number' ? kept : new Code(kept as string)
    case 'bytes':
      return new Called('Buffer.from', kept as string, 'base64')
    case 'timestamp':
      // A Date has at most three digits.
      if (!MILLISECONDS.test(kept as string)) throw new Unsayable()
      return new Called('new Date', kept as string)
    case 'json':
      return jsonSource(defaultValueOf(type, kept))
    default:
      return kept as string | boolean
  }
}

function jsonSource(document: unknown): Value {
  switch (typeof document) {
    case 'string':
    case 'number':
    case 'bigint':
    case 'boolean':
      return document
    default:
      if (document === null) return new Code('null')
      if (Array.isArray(document)) return document.map(jsonSource)
      if (Object.getPrototypeOf(document) !== Object.prototype) throw new Unsayable()
      return Object.fromEntries(
        Object.entries(document as object).map(([name, item]) => [name, jsonSource(item)]),
      )
  }
}

// Some of the values that Isotherm computes can be declared for a column in SQL only: for example a shard that may be NULL.
// The SQL comes from the DDL of a small schema, so that it is the same as in the whole schema's DDL.

const noRules = (dialect: Dialect): Readonly<Record<string, 'off'>> =>
  Object.fromEntries(lintRules(dialect).map((rule) => [rule, 'off' as const]))

const DEFINITION = / (?:DEFAULT|AS) \((.*)\)(?: STORED)?,?$/

/** The SQL by which the database makes a column's value, computed from those other columns. */
export function sqlMaking(
  column: Pick<ColumnSchema, 'type' | 'source'>,
  of: readonly ColumnSchema[],
  dialect: Dialect,
): string {
  const property = unlike(of.flatMap((each) => [each.name, each.property]))
  const { source } = column
  const schema: Schema = {
    version: 1,
    tables: [
      {
        name: 'Made',
        columns: [
          { ...plainColumn(column.type), property, name: property, ...(source && { source }) },
          ...of.map(({ property: own, name, type, nullable }) => ({
            ...plainColumn(type),
            property: own,
            name,
            nullable,
          })),
        ],
        primaryKey: [{ property, order: 'asc' }],
        indexes: [],
        checks: [],
        foreignKeys: [],
        suppressions: [],
      },
    ],
    namespaces: [],
    sequences: [],
    views: [],
    changeStreams: [],
  }
  const [statement = ''] = compileDdl(schema, { dialect, severity: noRules(dialect) })
  return DEFINITION.exec(statement.split('\n')[1] ?? '')?.[1] ?? ''
}

function plainColumn(type: ColumnSchema['type']): Omit<ColumnSchema, 'property' | 'name'> {
  return { type, nullable: false, immutable: true, inherited: false }
}

function unlike(names: readonly string[]): string {
  let name = 'made'
  while (names.some((each) => each.toLowerCase() === name)) name += 'x'
  return name
}

/** The model of a user type, by the type's name in the database. */
export type UserTypeNames = ReadonlyMap<string, { readonly identifier: string }>

const FIELDS: Readonly<Partial<Record<Type['kind'], string>>> = {
  bool: 'boolean',
  int32: 'number',
  int16: 'number',
  int8: 'number',
  varint: 'bigint',
  float32: 'number',
  float64: 'number',
  numeric: 'string',
  decimal: 'string',
  string: 'string',
  ascii: 'string',
  bytes: 'Uint8Array',
  date: 'string',
  time: 'string',
  timestamp: 'Date',
  duration: 'string',
  json: 'JsonDocument',
  uuid: 'string',
  timeuuid: 'string',
  inet: 'string',
  counter: 'bigint',
  vector: 'readonly number[]',
}

/** The type of a row's field. */
export function fieldType(type: Type, names: UserTypeNames): string {
  switch (type.kind) {
    case 'int64':
      return type.as === 'number' ? 'number' : 'bigint'
    case 'array':
      return `readonly (${fieldType(type.of, names)} | null)[]`
    case 'set':
      return `ReadonlySet<${fieldType(type.of, names)}>`
    case 'map':
      return `ReadonlyMap<${fieldType(type.key, names)}, ${fieldType(type.of, names)}>`
    case 'tuple':
      return `readonly [${type.of.map((each) => `${fieldType(each, names)} | null`).join(', ')}]`
    case 'udt':
      return known(names, type.name).identifier
    default:
      return FIELDS[type.kind]!
  }
}

/** The arguments of a builder before its options. */
export function typeArguments(type: Type, names: UserTypeNames): readonly Value[] {
  switch (type.kind) {
    case 'array':
    case 'set':
      return [element(type.of, names)]
    case 'map':
      return [plainType(type.key), element(type.of, names)]
    case 'tuple':
      return [type.of.map((each) => element(each, names))]
    case 'udt':
      return [new Code(known(names, type.name).identifier)]
    case 'vector':
      return [type.dimensions]
    default:
      return []
  }
}

/** Inside another type all is frozen: the model of a user type need not say so. */
function element(type: ElementType, names: UserTypeNames): Value {
  return type.kind === 'udt' ? new Code(known(names, type.name).identifier) : plainType(type)
}

/** A type is plain data, and is written unchanged. */
function plainType(type: object): ValueRecord {
  return Object.fromEntries(
    Object.entries(type).map(([key, value]: [string, unknown]) => [key, plainValue(value)]),
  )
}

function plainValue(value: unknown): Value {
  if (Array.isArray(value)) return value.map(plainValue)
  return typeof value === 'object' && value !== null ? plainType(value) : (value as Value)
}

/** The user types whose models are arguments of a builder. */
export function userTypeArguments(type: Type): readonly string[] {
  return [type, ...innerTypes(type)].flatMap((each) => (each.kind === 'udt' ? [each.name] : []))
}

type Builder =
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
  /** Declared besides the builder; absent if the builder implies it, or if the column is in no key. */
  readonly key?: 'asc' | 'desc'
  /** Whether it is a part of the key, by its builder or by `key`. */
  readonly isKey: boolean
  /** The type of the row's field. */
  readonly field: string
  /** A note for readers of the model. */
  readonly note?: string
}

type Source = NonNullable<ColumnSchema['source']>

interface DeclarationContext {
  readonly schema: Schema
  readonly dialect: Dialect
  /** The models of user types, by the names of the types. Absent if there are none. */
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
      isKey: order !== undefined,
      ...(special ?? plain(table, column, context)),
      ...(note !== undefined && { note }),
    }
  })
}

function hashedNote(by: string): string {
  return `Hashed into ${by}: an update would change the key of the row, and is refused.`
}

/** A note on properties that a plain column cannot declare. */
function noteOf({ source, default: written }: ColumnSchema): string | undefined {
  if (source?.kind === 'shard') {
    return `A shard over ${source.of.join(', ')}, in a form that shard keys do not support: fan-outs do not use it.`
  }
  if (source?.kind === 'hash')
    return `A hash of ${source.of.join(', ')}, in a form that hash keys do not support.`
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
  const hasOptions = Object.values(options).some((value) => value !== undefined)
  return { builder, args: hasOptions ? [options] : [], field }
}

/** Columns that have a declaration of their own. */
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
  const key = order === undefined ? false : undefined
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
      return declared('uuidV4', { name, key, storage: storageOf(type) }, 'Generated<string>')
    }
    case 'bit-reversed': {
      const { from, sequence, startCounter, skipRange } = source
      if (from === 'client') return undefined
      const counters = {
        startCounter: startCounter === undefined ? undefined : BigInt(startCounter),
        skipRange: skipRange?.map(BigInt),
      }
      const options = from === 'sequence' ? { from, sequence } : counters
      return declared('bitReversedId', { name, key, ...options }, 'Generated<bigint>')
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
    notNull: made.notNull,
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
  readonly notNull?: true | undefined
}

/** The SQL that makes a column's value. */
function madeOf(table: TableSchema, column: ColumnSchema, { dialect }: DeclarationContext): Made {
  const { source, generated } = column
  if (generated) {
    const { expression, stored, notNull } = generated
    return { generated: sqlValue(expression), stored, notNull }
  }
  if (column.default !== undefined && !isTimestamp(source))
    return { default: defaultSource(column.type, column.default, dialect) }
  if (isHash(source)) {
    if (source.computedBy === 'client') return {}
    return { generated: { [dialect.name]: sqlMaking(column, columnsNamed(table, source.of), dialect) } }
  }
  const isDefault =
    source?.kind === 'uuid-v4' || (source?.kind === 'bit-reversed' && source.from === 'sequence')
  return isDefault ? { default: new Called('sql', { [dialect.name]: sqlMaking(column, [], dialect) }) } : {}
}

function isTimestamp(source: Source | undefined): boolean {
  return source?.kind === 'timestamp'
}

export function sqlValue(expression: SqlExpression): Value {
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
