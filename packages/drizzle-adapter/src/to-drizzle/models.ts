import {
  type ColumnSchema,
  type ColumnType,
  type Insert,
  IsothermError,
  type Model,
  type TableSchema,
  defineSchema,
  defineTable,
  isModel,
} from '@isotherm/core'
import {
  ColumnBuilder,
  type ColumnDeclaration,
  type OptionKinds,
  type TableDefinition,
  anything,
  checkArgument,
  checkOptions,
  definitionOf,
  either,
  foreignKind,
  kind,
  modelName,
  recordOf,
  required,
  text,
  known,
  present,
} from '@isotherm/core/adapter'
import type { ColumnDataType, Table } from 'drizzle-orm'
import { nameOf, renameInResults } from '../drizzle-internals.js'

// Drizzle's names for the types of columns.

/** The JavaScript type of a value. */
export function dataTypeOf(type: ColumnType): ColumnDataType {
  switch (type.kind) {
    case 'bool':
      return 'boolean'
    case 'int64':
      return type.as === 'number' ? 'number' : 'bigint'
    case 'float32':
    case 'float64':
      return 'number'
    case 'bytes':
      return 'buffer'
    case 'timestamp':
      return 'date'
    case 'json':
    case 'array':
      return type.kind
    default:
      return 'string'
  }
}

const NAMES: Readonly<Partial<Record<ColumnType['kind'], string>>> = {
  bool: 'SpannerBool',
  int64: 'SpannerInt64',
  float32: 'SpannerFloat32',
  float64: 'SpannerFloat64',
  numeric: 'SpannerNumeric',
  string: 'SpannerString',
  bytes: 'SpannerBytes',
  date: 'SpannerDate',
  timestamp: 'SpannerTimestamp',
  json: 'SpannerJson',
  uuid: 'SpannerUuid',
  array: 'SpannerArray',
}

const SOURCES = {
  shard: 'SpannerShardKey',
  hash: 'SpannerHashKey',
  'uuid-v4': 'SpannerUuidV4',
  'bit-reversed': 'SpannerBitReversedId',
  sequential: 'SpannerSequential',
  'time-bucket': 'SpannerTimeBucket',
  timeuuid: 'SpannerTimeUuid',
} as const

/** The name of such a column in this package's builders. */
export function columnTypeOf({ type, source, key }: ColumnDeclaration): string {
  if (source && source.kind !== 'timestamp') return SOURCES[source.kind]
  if (type?.kind === 'timestamp' && key === 'desc') return 'SpannerDescTimestamp'
  const stored = present(type, 'type of a column of a model')
  const name = NAMES[stored.kind]
  if (name === undefined) throw foreignKind(stored, 'googlesql')
  return name
}

/** A model's table: its declaration, and its columns and its key once its parents are known. */
export interface ModelShape {
  readonly definition: TableDefinition
  readonly columns: readonly ModelColumn[]
  readonly primaryKey: TableSchema['primaryKey']
}

export interface ModelColumn extends ColumnSchema {
  /** The declaration of a column of this package: its type, and how its values are made. */
  readonly declaration: ColumnDeclaration
}

/**
 * The columns and the key of a model. Its parents are resolved, but no other models: those that it refers to need not exist
 * yet.
 *
 * @throws {IsothermError} `SCHEMA_INVALID` for a value that is not a model.
 * @throws {SchemaError} with everything that is wrong with the columns, or those of a parent.
 */
function modelShape(model: object): ModelShape {
  const definition = definitionIn(model)
  const { columns, primaryKey } = resolved(model, definition.name)
  const declared = new Map(definition.columns.map((column) => [column.property, column]))
  return {
    definition,
    primaryKey,
    columns: columns.map((column) => {
      const order = primaryKey.find((part) => part.property === column.property)?.order
      const declaration = column.inherited
        ? inheritedDeclaration(column)
        : ownDeclaration(known(declared, column.property))
      return { ...column, declaration: { ...declaration, ...(order && { key: order }) } }
    }),
  }
}

function definitionIn(model: object): TableDefinition {
  const definition = definitionOf(model)
  if (definition) return definition
  throw new IsothermError('SCHEMA_INVALID', `${modelName(model)} is not a model.`, {
    fix: 'Decorate the class with @Table(name), or pass what defineTable returned.',
  })
}

/** A column's name, nullability and SQL are Drizzle's own to say. */
function ownDeclaration(definition: TableDefinition['columns'][number]): ColumnDeclaration {
  const { type, immutable, source, hidden, binding } = definition
  return {
    ...(type && { type }),
    ...(immutable !== undefined && { immutable }),
    ...(source && { source }),
    ...(hidden && { hidden }),
    ...(binding && { binding }),
  }
}

/** Only the caller knows the values of the parent's row, except what the values themselves show. */
function inheritedDeclaration({ type, source }: ColumnSchema): ColumnDeclaration {
  const isDerived = source?.kind === 'shard' || source?.kind === 'hash'
  return { parentKey: true, type, ...(isDerived && { source }) }
}

function resolved(model: object, name: string): TableSchema {
  const lineage = new Map<object, object>()
  for (let at: object | undefined = model; at && !lineage.has(at);) {
    const definition = definitionIn(at)
    lineage.set(at, keyModel(definition, lineage))
    at = definition.options.interleaveIn?.()
  }
  const { tables } = defineSchema([...lineage.values()])
  return present(
    tables.find((table) => table.name === name),
    `table ${name}`,
  )
}

/** A table without the declarations that involve other tables. */
function keyModel({ name, columns, options }: TableDefinition, models: ReadonlyMap<object, object>): object {
  const { interleaveIn, primaryKey } = options
  const builders = columns.map(({ property, ...patch }) => [property, new ColumnBuilder<unknown>(patch)])
  return defineTable(name, () => Object.fromEntries(builders) as Record<string, ColumnBuilder<unknown>>, {
    ...(interleaveIn && { interleaveIn: () => known(models, interleaveIn()) }),
    ...(primaryKey && { primaryKey }),
  })
}

// What the compiler knows about a model's table: the types of the class's fields. Everything else is known only at run
// time.

/** A class with `@Table`, or what `defineTable` returned. */
export type AnyModel = Model<unknown>

/** The fields of a model's rows, with their `Generated` marks. */
export type FieldsOf<M extends AnyModel> = M extends abstract new (...args: never[]) => infer Fields
  ? Fields
  : M extends Model<infer Fields>
    ? Fields
    : never

declare const modelType: unique symbol

/**
 * The name of a table without a name in the results of joins. No type shows the argument of `@Table`, so code cannot use
 * this name; but models with other fields have other names, and so the rows of two tables can be distinguished. Give names
 * if two models have the same fields.
 */
export type NameOf<M> = string & NameMark<M>

/** Exported only so that the declarations of a user's package can name it. */
export interface NameMark<M> {
  readonly [modelType]: (model: M) => M
}

/**
 * The columns of a model's table, as Drizzle describes them to the compiler. A timestamp is a `Date` in reads and writes; a
 * read returns a `PreciseDate`, which keeps its nanoseconds.
 */
export type ColumnConfigs<M extends AnyModel, TableName extends string> = {
  [Property in keyof Insert<FieldsOf<M>> & string]-?: ColumnConfig<
    ColumnValue<Exclude<Insert<FieldsOf<M>>[Property], undefined>>,
    Pick<Insert<FieldsOf<M>>, Property>,
    TableName
  >
}

/** Inserts take a timestamp as text too. */
type ColumnValue<Value> = unknown extends Value
  ? Value
  : [Extract<Value, Date>] extends [never]
    ? Value
    : Exclude<Value, string>

/** One of them, of a field of this type. */
export interface ColumnConfig<Value, Field, TableName extends string> {
  name: string
  tableName: TableName
  dataType: DataType<Exclude<Value, null>>
  columnType: string
  data: Exclude<Value, null>
  driverParam: unknown
  notNull: null extends Value ? false : true
  hasDefault: null extends Value ? false : object extends Field ? true : false
  isPrimaryKey: boolean
  isAutoincrement: false
  hasRuntimeDefault: false
  enumValues: undefined
  baseColumn: never
  identity: undefined
  generated: undefined
}

/** A field of an array's type may be a document of JSON as well. */
type DataType<Data> = unknown extends Data
  ? 'json'
  : [Data] extends [bigint]
    ? 'bigint'
    : [Data] extends [number]
      ? 'number'
      : [Data] extends [string]
        ? 'string'
        : [Data] extends [boolean]
          ? 'boolean'
          : [Data] extends [Date]
            ? 'date'
            : [Data] extends [Uint8Array]
              ? 'buffer'
              : [Data] extends [readonly unknown[]]
                ? 'array' | 'json'
                : 'json'

export interface ToDrizzleOptions<Name extends string = string> {
  /** The name of the table in the results of joins. Default: its name in the database, which types do not show. */
  readonly name: Name
}

/** Makes a model's table; that of another model is to be asked for when it is needed, and not before. */
type MakeTable<T extends Table> = (shape: ModelShape, model: object) => T

const MODELS = either(
  'a model, or models by their names: { customers: Customer }',
  kind('a model', isModel),
  recordOf(anything),
)
const TO_DRIZZLE_OPTIONS: OptionKinds<ToDrizzleOptions> = { name: required(text("'customers'")) }

/** The tables of models in one dialect, one of each. */
export class ModelTables<T extends Table> {
  readonly #make: MakeTable<T>
  readonly #tables = new WeakMap<object, T>()
  readonly #shapes = new WeakMap<object, ModelShape>()
  readonly #named = new WeakMap<Table, string>()

  constructor(make: MakeTable<T>) {
    this.#make = make
  }

  /** @throws {IsothermError} as `toDrizzle` does. */
  of(model: object): T {
    let table = this.#tables.get(model)
    if (!table) this.#tables.set(model, (table = this.#make(this.shapeOf(model), model)))
    return table
  }

  shapeOf(model: object): ModelShape {
    let shape = this.#shapes.get(model)
    if (!shape) this.#shapes.set(model, (shape = modelShape(model)))
    return shape
  }

  /** The argument of `toDrizzle`: a model, optionally with a name, or models by their names. */
  tablesFor(models: object, options: ToDrizzleOptions | undefined): unknown {
    if (options !== undefined) checkOptions('toDrizzle', TO_DRIZZLE_OPTIONS, options)
    const isOne = typeof models !== 'object' || models === null
    if (!isOne) checkArgument('toDrizzle', 'models', MODELS, models)
    if (isOne || isModel(models))
      return options?.name === undefined ? this.of(models) : this.#called(models, options.name)
    return Object.fromEntries(
      Object.entries(models).map(([name, model]) => [name, this.#called(model as object, name)]),
    )
  }

  #called(model: object, name: string): T {
    const table = this.of(model)
    const before = this.#named.get(table)
    if (before !== undefined && before !== name) {
      throw new IsothermError(
        'UNSUPPORTED_MODEL',
        `The table ${nameOf(table)} would be called ${name} in the results of joins, but already has the name ${before}.`,
        { fix: `Use one name for it everywhere, or alias(table, '${name}').`, table: nameOf(table) },
      )
    }
    this.#named.set(table, name)
    renameInResults(table, name)
    return table
  }
}
