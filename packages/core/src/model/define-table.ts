import type { LosslessNumber } from 'lossless-json'
import type { ColumnDefinition, ColumnPatch } from './column.js'
import * as patch from './column-patch.js'
import type { ColumnOptions, LengthOptions, TimestampOptions } from './column-patch.js'
import type { ScalarType } from './column-type.js'
import { definitionKey, type TableModel } from './model.js'
import type { Generated } from './row.js'
import type { IndexOptions } from './secondary-index.js'
import type { SqlExpression } from './sql-expression.js'
import type { TableDefinition, TableOptions } from './table.js'

/**
 * A JSON document. Integers that a number cannot hold are a `bigint`; fractions that it cannot hold, which only PostgreSQL's
 * `jsonb` keeps, a `LosslessNumber`.
 */
export type Json =
  | string
  | number
  | bigint
  | LosslessNumber
  | boolean
  | null
  | readonly Json[]
  | { readonly [name: string]: Json | undefined }

/** A column that is being declared; its type parameter is the type of the row's field. */
export class ColumnBuilder<Value> {
  declare readonly value: Value
  readonly patch: ColumnPatch

  constructor(patch: ColumnPatch) {
    this.patch = patch
  }

  /** Makes the column a part of the primary key, after those declared before it. */
  key(order: 'asc' | 'desc' = 'asc'): ColumnBuilder<Value> {
    return new ColumnBuilder({ ...this.patch, key: order })
  }
}

/**
 * The type of a row's field, from what was said of the column: NULL where it may be NULL, `Generated` where the database
 * makes it.
 */
type Field<Value, Options> = ColumnBuilder<
  MayBeNull<Options> extends true
    ? Value | null
    : Options extends { readonly default: SqlExpression } | { readonly generated: SqlExpression }
      ? Generated<Value>
      : Value
>

/** True as well for a `boolean` of which only run time knows the value. */
type MayBeNull<Options> = Options extends { readonly nullable: infer Nullable }
  ? true extends Nullable
    ? true
    : false
  : false

type Int64Value<Options> = Options extends { readonly as: infer As }
  ? ('number' extends As ? number : never) | ('bigint' extends As ? bigint : never)
  : bigint

type HashValue<Options> = Options extends { readonly algorithm: infer Algorithm }
  ? Algorithm extends 'farm-fingerprint'
    ? bigint
    : Uint8Array
  : bigint

interface ScalarValues {
  bool: boolean
  int64: bigint
  float32: number
  float64: number
  numeric: string
  string: string
  bytes: Uint8Array
  date: string
  timestamp: Date
  json: Json
  uuid: string
}

function scalar<Kind extends 'bool' | 'float32' | 'float64' | 'numeric' | 'date' | 'json'>(kind: Kind) {
  return <const Options extends ColumnOptions>(options?: Options): Field<ScalarValues[Kind], Options> =>
    new ColumnBuilder(patch.column({ kind }, options))
}

export const columnBuilders = {
  bool: scalar('bool'),
  float32: scalar('float32'),
  float64: scalar('float64'),
  numeric: scalar('numeric'),
  date: scalar('date'),
  json: scalar('json'),
  int64: <const Options extends patch.Int64Options>(options?: Options): Field<Int64Value<Options>, Options> =>
    new ColumnBuilder(patch.int64Column(options)),
  uuid: <const Options extends patch.UuidOptions>(options?: Options): Field<string, Options> =>
    new ColumnBuilder(patch.uuidColumn(options)),
  string: <const Options extends LengthOptions>(options?: Options): Field<string, Options> =>
    new ColumnBuilder(patch.column({ kind: 'string', length: options?.length ?? 'max' }, options)),
  bytes: <const Options extends LengthOptions>(options?: Options): Field<Uint8Array, Options> =>
    new ColumnBuilder(patch.column({ kind: 'bytes', length: options?.length ?? 'max' }, options)),
  timestamp: <const Options extends TimestampOptions>(
    options?: Options,
  ): ColumnBuilder<
    MayBeNull<Options> extends true
      ? Date | null
      : Options extends
            | { readonly default: 'now' | 'commit' | Exclude<SqlExpression, string> }
            | { readonly generated: SqlExpression }
        ? Generated<Date>
        : Date
  > => new ColumnBuilder(patch.timestampColumn(options)),
  array: <Kind extends ScalarType['kind'], const Options extends ColumnOptions>(
    of: Extract<ScalarType, { kind: Kind }>,
    options?: Options,
  ): Field<readonly (ScalarValues[Kind] | null)[], Options> =>
    new ColumnBuilder(patch.arrayColumn(of, options)),

  shardKey: (options: patch.ShardKeyOptions): ColumnBuilder<Generated<bigint>> =>
    new ColumnBuilder(patch.shardKeyColumn(options)),
  /** The whole hash of other columns as a key part: a 64-bit fingerprint, or a digest. */
  hashKey: <const Options extends patch.HashKeyOptions>(
    options: Options,
  ): ColumnBuilder<Generated<HashValue<Options>>> => new ColumnBuilder(patch.hashKeyColumn(options)),
  bitReversedId: (options?: patch.BitReversedIdOptions): ColumnBuilder<Generated<bigint>> =>
    new ColumnBuilder(patch.bitReversedIdColumn(options)),
  /** A number that a counter of the application's counts up, for people to read: an invoice's, an employee's. */
  sequential: (options: patch.SequentialOptions): ColumnBuilder<Generated<bigint>> =>
    new ColumnBuilder(patch.sequentialColumn(options)),
  uuidV4: (options?: patch.UuidV4Options): ColumnBuilder<Generated<string>> =>
    new ColumnBuilder(patch.uuidV4Column(options)),
  descTimestamp: <From extends 'now' | 'commit' | 'given' = 'given'>(
    options?: patch.DescTimestampOptions & { readonly default?: From },
  ): ColumnBuilder<From extends 'given' ? Date : Generated<Date>> =>
    new ColumnBuilder(patch.descTimestampColumn(options)),
  /** A key part inherited from the parent: same name, same type, same place in the key. */
  parentKey: <Value>(): ColumnBuilder<Value> => new ColumnBuilder(patch.parentKeyColumn()),
}

export type TableBuilder = typeof columnBuilders

export interface DefineTableOptions<Property extends string = string> extends TableOptions<Property> {
  readonly indexes?: readonly IndexOptions<Property>[]
}

/**
 * Declares a table without a class. What `@Table` and its decorators say, `defineTable` can say too.
 *
 * @example
 * const UserAccessLog = defineTable('UserAccessLog', (t) => ({
 *   shardId: t.shardKey({ shards: 64, of: ['userId'] }),
 *   lastAccess: t.descTimestamp({ default: 'now' }),
 *   userId: t.int64().key(),
 *   page: t.string({ length: 1024, nullable: true }),
 * }))
 */
export function defineTable<Columns extends Record<string, ColumnBuilder<unknown>>>(
  name: string,
  columns: (t: TableBuilder) => Columns,
  options: DefineTableOptions<keyof Columns & string> = {},
): TableModel<{ [Property in keyof Columns]: Columns[Property]['value'] }> & { readonly name: string } {
  const { indexes = [], ...tableOptions } = options
  const definition: TableDefinition = {
    name,
    columns: Object.entries(columns(columnBuilders)).map(([property, builder]): ColumnDefinition => ({
      property,
      ...builder.patch,
    })),
    indexes,
    options: tableOptions,
  }
  return { name, [definitionKey]: () => definition }
}
