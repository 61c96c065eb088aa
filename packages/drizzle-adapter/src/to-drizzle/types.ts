import type { Insert, Model } from '@isotherm/core'

// What the compiler knows of a model's table: what the class says of its fields. The rest is known at run time only.

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
 * What the results of joins call a table that was given no name. No type tells what `@Table` was told, so the name is of no
 * use in the code; but models of other fields have other names, and so the rows of two tables are told apart. Give names
 * where two have the same fields.
 */
export type NameOf<M> = string & NameMark<M>

/** Exported only so that the declarations of a user's package can name it. */
export interface NameMark<M> {
  readonly [modelType]: (model: M) => M
}

/**
 * The columns of a model's table, as Drizzle describes them to the compiler. A timestamp is a `Date` both ways; what is read is
 * a `PreciseDate`, which has kept its nanoseconds.
 */
export type ColumnConfigs<M extends AnyModel, TableName extends string> = {
  [Property in keyof Insert<FieldsOf<M>> & string]-?: ColumnConfig<
    Exclude<Insert<FieldsOf<M>>[Property], undefined>,
    Pick<Insert<FieldsOf<M>>, Property>,
    TableName
  >
}

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
  /** What the results of joins call the table. Default: its name in the database, which no type tells. */
  readonly name: Name
}
