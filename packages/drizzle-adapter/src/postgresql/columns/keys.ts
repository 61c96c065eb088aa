import {
  type ColumnBuilderBaseConfig,
  type ColumnDataType,
  type HasDefault,
  type IsPrimaryKey,
  type NotNull,
  type SQL,
  is,
  sql,
} from 'drizzle-orm'
import { SpannerPgColumn, SpannerPgColumnBuilder } from './common.js'
import {
  type DeclaredAs,
  type DeclaredColumn,
  type WithoutName,
  nameAlone,
  nameAndConfig,
  nameAndOptions,
} from '../../columns/declared-column.js'
import type {
  BitReversedIdOptions as CoreBitReversedIdOptions,
  DescTimestampOptions as CoreDescTimestampOptions,
  HashKeyOptions as CoreHashKeyOptions,
  SequentialOptions as Options,
  ShardKeyOptions as CoreShardKeyOptions,
} from '@isotherm/core'
import { type ColumnDeclaration, checkArgument, columnBuilders, kind } from '@isotherm/core/adapter'
import type { UuidV4Config } from '../../googlesql/columns/keys.js'
import { PgColumn, PgColumnBuilder, type PgTable } from 'drizzle-orm/pg-core'
import { columnConfigOf } from '../../drizzle-internals.js'

export interface ByteaConfig<Name extends string> extends ColumnBuilderBaseConfig<'buffer', 'SpannerBytea'> {
  name: Name
  data: Uint8Array
  driverParam: string
  enumValues: undefined
}

/** Bytes, which `drizzle-orm/pg-core` has no column for. */
export function bytea(): SpannerPgColumnBuilder<ByteaConfig<''>>
export function bytea<Name extends string>(name: Name): SpannerPgColumnBuilder<ByteaConfig<Name>>
export function bytea(first?: string, ...others: readonly unknown[]): unknown {
  const name = nameAlone('bytea', first, ...others)
  return new SpannerPgColumnBuilder(name, 'buffer', 'SpannerBytea', {
    type: { kind: 'bytes', length: 'max' },
  })
}

/**
 * The time at which the transaction that wrote the row took effect: put in where an insert leaves it out. An update sets it
 * by `pendingCommitTimestamp()`. `returning` does not return the value, which is not known before the commit.
 *
 * @example
 * changedAt: commitTimestamp().notNull(),
 */
export function commitTimestamp(): CommitTimestampBuilder<''>
export function commitTimestamp<Name extends string>(name: Name): CommitTimestampBuilder<Name>
export function commitTimestamp(first?: string, ...others: readonly unknown[]): unknown {
  const name = nameAlone('commitTimestamp', first, ...others)
  return new SpannerPgColumnBuilder(name, 'date', 'SpannerCommitTimestamp', {
    type: { kind: 'timestamp' },
    source: { kind: 'timestamp', from: 'commit' },
  })
}

/** The commit timestamp of the transaction, for an `update` or an `insert` of a column that takes one. */
export function pendingCommitTimestamp(): SQL<Date> {
  return sql`spanner.pending_commit_timestamp()`
}

type CommitTimestampBuilder<Name extends string> = HasDefault<
  SpannerPgColumnBuilder<{
    name: Name
    dataType: 'date'
    columnType: 'SpannerCommitTimestamp'
    data: Date
    driverParam: string
    enumValues: undefined
  }>
>

// Key parts for tables of `pgTable`.

/** A key part whose value the caller gives. */
type KeyBuilder<
  Name extends string,
  DataType extends ColumnDataType,
  ColumnType extends string,
  Data,
> = NotNull<IsPrimaryKey<SpannerPgColumnBuilder<DeclaredColumn<Name, DataType, ColumnType, Data>>>>

/** A key part that is made where an insert leaves it out. */
type MadeKeyBuilder<
  Name extends string,
  DataType extends ColumnDataType,
  ColumnType extends string,
  Data,
> = HasDefault<KeyBuilder<Name, DataType, ColumnType, Data>>

/** The same, or a plain column with `key: false`. */
type MadeBuilder<
  Name extends string,
  DataType extends ColumnDataType,
  ColumnType extends string,
  Data,
  Options,
> = Options extends { readonly key: false }
  ? HasDefault<NotNull<SpannerPgColumnBuilder<DeclaredColumn<Name, DataType, ColumnType, Data>>>>
  : MadeKeyBuilder<Name, DataType, ColumnType, Data>

export type ShardKeyOptions = WithoutName<CoreShardKeyOptions>
type ShardKeyBuilder<Name extends string> = MadeKeyBuilder<Name, 'bigint', 'SpannerShardKey', bigint>

/**
 * A leading key part that spreads rows over shards; filled in where an insert leaves it out.
 *
 * @example
 * shardId: shardKey({ shards: 64, of: ['userId'] }),
 */
export function shardKey(options: ShardKeyOptions): ShardKeyBuilder<''>
export function shardKey<Name extends string>(name: Name, options: ShardKeyOptions): ShardKeyBuilder<Name>
export function shardKey(first: string | ShardKeyOptions, second?: ShardKeyOptions): unknown {
  const { name, options } = nameAndOptions('shardKey', first, second)
  return new SpannerPgColumnBuilder(name, 'bigint', 'SpannerShardKey', columnBuilders.shardKey(options).patch)
}

export type HashKeyOptions = WithoutName<CoreHashKeyOptions>
type HashKeyBuilder<Name extends string, Options extends HashKeyOptions> = Options extends {
  readonly algorithm: 'sha256' | 'sha512'
}
  ? MadeKeyBuilder<Name, 'buffer', 'SpannerHashKey', Uint8Array>
  : MadeKeyBuilder<Name, 'bigint', 'SpannerHashKey', bigint>

/**
 * The whole hash of other columns as a key part: a 64-bit fingerprint, or a digest; filled in where an insert leaves it out.
 *
 * @example
 * id: hashKey({ of: ['email'], algorithm: 'sha256' }),
 */
export function hashKey<const Options extends HashKeyOptions>(options: Options): HashKeyBuilder<'', Options>
export function hashKey<Name extends string, const Options extends HashKeyOptions>(
  name: Name,
  options: Options,
): HashKeyBuilder<Name, Options>
export function hashKey(first: string | HashKeyOptions, second?: HashKeyOptions): unknown {
  const { name, options } = nameAndOptions('hashKey', first, second)
  const { patch } = columnBuilders.hashKey(options)
  const dataType = patch.type?.kind === 'bytes' ? 'buffer' : 'bigint'
  return new SpannerPgColumnBuilder(name, dataType, 'SpannerHashKey', patch)
}

export type BitReversedIdOptions = WithoutName<CoreBitReversedIdOptions>
type BitReversedIdBuilder<Name extends string, Options> = MadeBuilder<
  Name,
  'bigint',
  'SpannerBitReversedId',
  bigint,
  Options
>

/**
 * A number that is counted up and stored with its bits reversed, so that rows made one after another are stored apart: by
 * the database, or by a counter of the application. Use it on Spanner in place of PostgreSQL's `serial`.
 */
export function bitReversedId<const Options extends BitReversedIdOptions>(
  options?: Options,
): BitReversedIdBuilder<'', Options>
export function bitReversedId<Name extends string, const Options extends BitReversedIdOptions>(
  name: Name,
  options?: Options,
): BitReversedIdBuilder<Name, Options>
export function bitReversedId(first?: string | BitReversedIdOptions, second?: BitReversedIdOptions): unknown {
  const { name, config } = nameAndConfig('bitReversedId', first, second)
  const { patch } = columnBuilders.bitReversedId(config)
  return new SpannerPgColumnBuilder(name, 'bigint', 'SpannerBitReversedId', patch)
}

type UuidV4Builder<Name extends string, Config> = MadeBuilder<Name, 'string', 'SpannerUuidV4', string, Config>

/** A random UUID as a key part; made where an insert leaves it out. */
export function uuidV4<const Config extends UuidV4Config>(config?: Config): UuidV4Builder<'', Config>
export function uuidV4<Name extends string, const Config extends UuidV4Config>(
  name: Name,
  config?: Config,
): UuidV4Builder<Name, Config>
export function uuidV4(first?: string | UuidV4Config, second?: UuidV4Config): unknown {
  const { name, config } = nameAndConfig('uuidV4', first, second)
  return new SpannerPgColumnBuilder(name, 'string', 'SpannerUuidV4', columnBuilders.uuidV4(config).patch)
}

type From = NonNullable<CoreDescTimestampOptions['default']>
export type DescTimestampOptions<Default extends From = From> = WithoutName<CoreDescTimestampOptions> & {
  readonly default?: Default
}
type DescTimestampBuilder<Name extends string, Default extends From> = Default extends 'required'
  ? KeyBuilder<Name, 'date', 'SpannerDescTimestamp', Date>
  : MadeKeyBuilder<Name, 'date', 'SpannerDescTimestamp', Date>

/** A timestamp as a key part that descends: the newest rows of a shard come first. */
export function descTimestamp<Default extends From = 'required'>(
  options?: DescTimestampOptions<Default>,
): DescTimestampBuilder<'', Default>
export function descTimestamp<Name extends string, Default extends From = 'required'>(
  name: Name,
  options?: DescTimestampOptions<Default>,
): DescTimestampBuilder<Name, Default>
export function descTimestamp(first?: string | DescTimestampOptions, second?: DescTimestampOptions): unknown {
  const { name, config } = nameAndConfig('descTimestamp', first, second)
  const { patch } = columnBuilders.descTimestamp(config)
  return new SpannerPgColumnBuilder(name, 'date', 'SpannerDescTimestamp', patch)
}

const PARENT_COLUMN = kind('a column of a table of pgTable: parentKey(customers.id)', (value) =>
  is(value, PgColumn),
)

/**
 * A key part of the parent, in a table that is interleaved in it: the parent's name and type. You need not give a shard or
 * a hash if the table has the columns that it is made from.
 *
 * @example
 * export const orders = pgTable(
 *   'orders',
 *   { customerId: parentKey(customers.customerId), orderId: uuidV4() },
 *   () => [interleaveIn(customers, { onDelete: 'cascade' })],
 * )
 */
export function parentKey<Column extends PgColumn>(column: Column): ParentKeyBuilder<Column>
export function parentKey(column: PgColumn): unknown {
  checkArgument('parentKey', 'column', PARENT_COLUMN, column)
  return new PgParentKeyBuilder(column)
}

type ColumnClass = new (table: PgTable, config: object) => PgColumn

/** A column of the parent's class, with what that column is made of. */
class PgParentKeyBuilder extends PgColumnBuilder {
  readonly #class: ColumnClass

  constructor(column: PgColumn) {
    super(column.keyAsName ? '' : column.name, column.dataType, column.columnType)
    this.#class = column.constructor as ColumnClass
    const declaration = is(column, SpannerPgColumn) ? inherited(column.declaration) : undefined
    const { name, keyAsName } = this.config
    // What makes a value makes it for the parent's row: the child's row has that one.
    Object.assign(this.config, columnConfigOf(column), {
      name,
      keyAsName,
      default: undefined,
      defaultFn: undefined,
      onUpdateFn: undefined,
      generated: undefined,
      generatedIdentity: undefined,
      isUnique: false,
      uniqueName: undefined,
      primaryKey: true,
      notNull: true,
      hasDefault: declaration?.source !== undefined,
      ...(declaration && { declaration }),
    })
  }

  /** Drizzle calls it when it makes the table. */
  build(table: PgTable): PgColumn {
    return new this.#class(table, this.config)
  }
}

function inherited({ type, source, binding, key = 'asc' }: ColumnDeclaration): ColumnDeclaration {
  return {
    parentKey: true,
    ...(type && { type }),
    key,
    // Only the caller knows the values of the parent's row.
    ...(source && (source.kind === 'shard' || source.kind === 'hash') && { source }),
    ...(binding && { binding }),
  }
}

type Base<Column extends PgColumn> = NotNull<IsPrimaryKey<PgColumnBuilder<DeclaredAs<Column>>>>

type ParentKeyBuilder<Column extends PgColumn> = Column['_']['columnType'] extends
  | 'SpannerShardKey'
  | 'SpannerHashKey'
  ? HasDefault<Base<Column>>
  : Base<Column>

export type SequentialOptions = WithoutName<Options>

/**
 * A number for people to read, counted up by a generator of `@isotherm/core/sequences`; filled in where an insert leaves it out.
 *
 * @example
 * invoiceNumber: sequential({ from: inTransaction('invoice') }),
 */
export function sequential(options: SequentialOptions): SequentialBuilder<''>
export function sequential<Name extends string>(
  name: Name,
  options: SequentialOptions,
): SequentialBuilder<Name>
export function sequential(first: string | SequentialOptions, second?: SequentialOptions): unknown {
  const { name, options } = nameAndOptions('sequential', first, second)
  const { patch } = columnBuilders.sequential(options)
  return new SpannerPgColumnBuilder(name, 'bigint', 'SpannerSequential', patch).notNull()
}

type SequentialBuilder<Name extends string> = HasDefault<
  NotNull<SpannerPgColumnBuilder<DeclaredColumn<Name, 'bigint', 'SpannerSequential', bigint>>>
>
