import * as patch from '../model/column-patch.js'
import * as wideColumn from '../model/wide-column-patch.js'
import type { BucketSize, HashAlgorithm } from '../model/key.js'
import { refuseBare } from './bare.js'
import { fieldDecorator, type FieldDecorator } from './dual.js'

/**
 * Makes the column a part of the primary key, in the order of declaration.
 *
 * @example
 * \@Key() @Column.int64() userId!: bigint
 */
export function Key(options?: patch.KeyOptions): FieldDecorator<unknown> {
  refuseBare('Key', arguments)
  return fieldDecorator('Key', () => patch.keyOptionsColumn(options))
}

/**
 * A key part inherited from the parent that the table is interleaved in: same name, same type, same position.
 *
 * @typeParam Value the type of the parent's field, which the compiler then holds this one to
 * @example
 * \@ParentKey<Customer['customerId']>() customerId!: string
 */
export function ParentKey<Value = unknown>(): FieldDecorator<Value> {
  refuseBare('ParentKey', arguments)
  return fieldDecorator('ParentKey', () => patch.parentKeyColumn())
}

/**
 * A leading shard in `[0, shards)`, so that neighbouring keys are written in as many key ranges as there are shards. The
 * fan-out reader gives all of them back as one table.
 *
 * Source: Spanner's guide to schema design, "Use a hash of the unique key columns"
 * (https://cloud.google.com/spanner/docs/schema-design#fix_hash_the_key).
 *
 * @example
 * \@ShardKey({ shards: 64, of: ['userId'] }) shardId!: Generated<bigint>
 */
export function ShardKey(options: patch.ShardKeyOptions): FieldDecorator<bigint> {
  refuseBare('ShardKey', arguments)
  return fieldDecorator('ShardKey', () => patch.shardKeyColumn(options))
}

/**
 * The whole hash of other columns as a key part: a 64-bit fingerprint, or a digest. Alone, it is the key of rows that are
 * found by those columns; before them, it spreads rows that would be stored side by side.
 *
 * Source: Spanner's guide to schema design, on hashes of the unique key
 * (https://cloud.google.com/spanner/docs/schema-design#fix_hash_the_key).
 *
 * @example
 * \@HashKey({ of: ['url'], algorithm: 'sha256' }) urlHash!: Generated<Buffer>
 */
export function HashKey<const Algorithm extends HashAlgorithm = 'farm-fingerprint'>(
  options: patch.HashKeyOptions & { readonly algorithm?: Algorithm },
): FieldDecorator<Algorithm extends 'farm-fingerprint' ? bigint : Uint8Array> {
  refuseBare('HashKey', arguments)
  return fieldDecorator('HashKey', () => patch.hashKeyColumn(options))
}

/**
 * A number that the database counts up and stores with its bits reversed: unique and positive, but never stored beside the
 * one before it.
 *
 * Source: https://cloud.google.com/spanner/docs/primary-key-default-value#bit-reversed-sequence
 *
 * @example
 * \@BitReversedId() orderId!: Generated<bigint>
 */
export function BitReversedId(options?: patch.BitReversedIdOptions): FieldDecorator<bigint> {
  refuseBare('BitReversedId', arguments)
  return fieldDecorator('BitReversedId', () => patch.bitReversedIdColumn(options))
}

/**
 * A number for people to read, such as an invoice's: counted up by a generator of `@isotherm/core/sequences`. A key should
 * not begin with it, since each new row would be stored beside the last.
 *
 * @example
 * \@Sequential({ from: inTransaction('invoice') }) invoiceNumber!: Generated<bigint>
 */
export function Sequential(options: patch.SequentialOptions): FieldDecorator<bigint> {
  refuseBare('Sequential', arguments)
  return fieldDecorator('Sequential', () => patch.sequentialColumn(options))
}

/**
 * A random UUID, made by the client (known before the insert, safe to retry); the column has the database's own default
 * as well.
 *
 * Source: https://cloud.google.com/spanner/docs/primary-key-default-value#universally_unique_identifier_uuid
 *
 * @example
 * \@UuidV4() id!: Generated<string>
 */
export function UuidV4(options?: patch.UuidV4Options): FieldDecorator<string> {
  refuseBare('UuidV4', arguments)
  return fieldDecorator('UuidV4', () => patch.uuidV4Column(options))
}

/**
 * A timestamp as a descending key part: the newest rows of each shard come first.
 *
 * Source: https://cloud.google.com/spanner/docs/schema-design#ordering_timestamp-based_keys
 *
 * @example
 * \@DescTimestamp({ default: 'now' }) lastAccess!: Generated<Date>
 */
export function DescTimestamp(options?: patch.DescTimestampOptions): FieldDecorator<Date> {
  refuseBare('DescTimestamp', arguments)
  return fieldDecorator('DescTimestamp', () => patch.descTimestampColumn(options))
}

/**
 * The period, in UTC, that another column's time falls into, as a leading key part: it limits the size of a partition, and
 * tells a query which partitions to read. Isotherm makes it from the row's own time at the insert; a query that bounds that
 * time scans the buckets one after another.
 *
 * Source: Cassandra's guide to data modelling, "Breaking up large partitions"
 * (https://cassandra.apache.org/doc/latest/cassandra/developing/data-modeling/data-modeling_refining.html).
 *
 * @example
 * \@TimeBucket({ by: 'day', of: 'at', since: '2024-01-01' }) day!: Generated<string>
 */
export function TimeBucket<const By extends BucketSize>(
  options: wideColumn.TimeBucketOptions<string, By>,
): FieldDecorator<By extends 'hour' ? Date : string> {
  refuseBare('TimeBucket', arguments)
  return fieldDecorator('TimeBucket', () => wideColumn.timeBucketColumn(options))
}

/**
 * A version 1 UUID as a key part, ordered by the time in it: a clustering column of Cassandra that is unique as well.
 *
 * Source: https://cassandra.apache.org/doc/latest/cassandra/developing/cql/types.html (timeuuid)
 *
 * @example
 * \@TimeUuid({ default: 'now', order: 'desc' }) id!: Generated<string>
 */
export function TimeUuid(options?: wideColumn.TimeUuidOptions): FieldDecorator<string> {
  refuseBare('TimeUuid', arguments)
  return fieldDecorator('TimeUuid', () => wideColumn.timeUuidColumn(options))
}
