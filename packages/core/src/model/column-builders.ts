import { ColumnBuilder, type Field, type MayBeNull } from './column-builder.js'
import * as patch from './column-patch.js'
import type { ColumnOptions, LengthOptions, TimestampOptions } from './column-patch.js'
import type { ScalarType } from './column-type.js'
import * as wideColumn from './wide-column-patch.js'
import type { CompositeOptions, ElementSource } from './wide-column-patch.js'
import type { BucketSize } from './key.js'
import type { Generated } from './row.js'
import type { Sql, SqlExpression } from './sql-expression.js'
import type { UserTypeSource } from './user-type.js'
import type { ScalarValues, TupleValue, ValueOf } from './value-types.js'

type Int64Value<Options> = Options extends { readonly as: infer As }
  ? ('number' extends As ? number : never) | ('bigint' extends As ? bigint : never)
  : bigint

type HashValue<Options> = Options extends { readonly algorithm: infer Algorithm }
  ? Algorithm extends 'farm-fingerprint'
    ? bigint
    : Uint8Array
  : bigint

function scalar<Kind extends patch.PlainKind>(kind: Kind) {
  return <const Options extends ColumnOptions<boolean, ScalarValues[Kind]>>(
    options?: Options,
  ): Field<ScalarValues[Kind], Options> => new ColumnBuilder(patch.scalarColumn(kind, options))
}

/** Columns of every type. */
export const typeBuilders = {
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
  string: <const Options extends LengthOptions<boolean, string>>(options?: Options): Field<string, Options> =>
    new ColumnBuilder(patch.textColumn('string', options)),
  bytes: <const Options extends LengthOptions<boolean, Uint8Array>>(
    options?: Options,
  ): Field<Uint8Array, Options> => new ColumnBuilder(patch.textColumn('bytes', options)),
  timestamp: <const Options extends TimestampOptions>(
    options?: Options,
  ): ColumnBuilder<
    MayBeNull<Options> extends true
      ? Date | null
      : Options extends
            | { readonly default: 'now' | 'commit' | Date | patch.IsoText | Sql }
            | { readonly generated: SqlExpression }
        ? Generated<Date>
        : Date
  > => new ColumnBuilder(patch.timestampColumn(options)),
  array: <
    const Of extends ElementSource,
    const Options extends CompositeOptions<boolean, readonly (ValueOf<Of> | null)[]>,
  >(
    of: Of,
    options?: Options,
  ): Field<readonly (ValueOf<Of> | null)[], Options> =>
    new ColumnBuilder(wideColumn.arrayColumn(of, options)),

  // The types of Cassandra.
  int32: scalar('int32'),
  int16: scalar('int16'),
  int8: scalar('int8'),
  /** A whole number of any size, as a `bigint`. */
  varint: scalar('varint'),
  /** An exact decimal of any size, as a string. */
  decimal: scalar('decimal'),
  /** A time of day to the nanosecond, as `13:30:54.123456789`. */
  time: scalar('time'),
  /** Months, days and nanoseconds, as `1mo2d3ns`: no key, and without an order. */
  duration: scalar('duration'),
  /** An IPv4 or IPv6 address, as text. */
  inet: scalar('inet'),
  /** A version 1 UUID, ordered by its time. For a key that the client makes use `timeUuid`. */
  timeuuid: scalar('timeuuid'),
  ascii: scalar('ascii'),
  /** A number that can only be incremented, in a table that has only counters beside its key. */
  counter: scalar('counter'),
  set: <const Of extends ElementSource, const Options extends CompositeOptions>(
    of: Of,
    options?: Options,
  ): Field<ReadonlySet<ValueOf<Of>>, Options> => new ColumnBuilder(wideColumn.setColumn(of, options)),
  map: <const Key extends ScalarType, const Of extends ElementSource, const Options extends CompositeOptions>(
    key: Key,
    of: Of,
    options?: Options,
  ): Field<ReadonlyMap<ValueOf<Key>, ValueOf<Of>>, Options> =>
    new ColumnBuilder(wideColumn.mapColumn(key, of, options)),
  tuple: <const Of extends readonly ElementSource[], const Options extends ColumnOptions>(
    of: Of,
    options?: Options,
  ): Field<TupleValue<Of>, Options> => new ColumnBuilder(wideColumn.tupleColumn(of, options)),
  /** A value of a user type, as an object. */
  udt: <const Type extends UserTypeSource, const Options extends CompositeOptions>(
    type: Type,
    options?: Options,
  ): Field<ValueOf<Type>, Options> => new ColumnBuilder(wideColumn.udtColumn(type, options)),
  /** A fixed number of 32-bit floats. */
  vector: <const Options extends ColumnOptions>(
    dimensions: number,
    options?: Options,
  ): Field<readonly number[], Options> => new ColumnBuilder(wideColumn.vectorColumn(dimensions, options)),
}

export const columnBuilders = {
  ...typeBuilders,

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
  /** A version 1 UUID as a key part, ordered by the time in it. */
  timeUuid: <From extends 'now' | 'required' = 'required'>(
    options?: wideColumn.TimeUuidOptions & { readonly default?: From },
  ): ColumnBuilder<From extends 'required' ? string : Generated<string>> =>
    new ColumnBuilder(wideColumn.timeUuidColumn(options)),
  descTimestamp: <From extends 'now' | 'commit' | 'required' = 'required'>(
    options?: patch.DescTimestampOptions & { readonly default?: From },
  ): ColumnBuilder<From extends 'required' ? Date : Generated<Date>> =>
    new ColumnBuilder(patch.descTimestampColumn(options)),
  /** The period that another column's time falls into, as a key part: so that a partition ends. */
  timeBucket: <const By extends BucketSize>(
    options: wideColumn.TimeBucketOptions<string, By>,
  ): ColumnBuilder<Generated<By extends 'hour' ? Date : string>> =>
    new ColumnBuilder(wideColumn.timeBucketColumn(options)),
  /** A key part inherited from the parent: same name, same type, same position in the key. */
  parentKey: <Value>(): ColumnBuilder<Value> => new ColumnBuilder(patch.parentKeyColumn()),
}

export type TableBuilder = typeof columnBuilders

/** Columns as fields of a user type: of any type, and no keys. */
export type UserTypeBuilder = Omit<typeof typeBuilders, 'counter'>
