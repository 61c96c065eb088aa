import type { ColumnPatch } from './column.js'
import type { Length, ScalarType } from './column-type.js'
import type { BitReversedSource, ShardSource } from './key.js'

// What each column declaration means, said once: the decorators and `defineTable` are two spellings of this file.

export interface ColumnOptions<Nullable extends boolean = boolean> {
  /** The name in the database. Default: the property's. */
  readonly name?: string
  /** Default: false. */
  readonly nullable?: Nullable
  /** Set at the insert and never changed: such a column may feed a shard's hash. */
  readonly immutable?: boolean
}

export interface LengthOptions<Nullable extends boolean = boolean> extends ColumnOptions<Nullable> {
  /** The longest value, in characters (strings) or bytes. Default: `max`, the database's own limit. */
  readonly length?: Length
}

export type ShardKeyOptions<Property extends string = string> =
  | {
      /** How many shards: a whole number from 1 to 10,000. */
      readonly shards: number
      readonly strategy?: 'hash'
      /** The properties to hash: key parts, or immutable columns. A row is found again by these alone. */
      readonly of: readonly Property[]
      /** Default: the database wherever its rules allow, so that other writers cannot get it wrong. */
      readonly computedBy?: 'database' | 'client'
      readonly name?: string
    }
  | {
      readonly shards: number
      /** No hash, no point read by the other columns alone: the key must hold a UUID as well. */
      readonly strategy: 'random' | 'round-robin'
      readonly name?: string
    }

export type BitReversedIdOptions = {
  readonly name?: string
  /** The first counter value, before its bits are reversed. Default: 1. */
  readonly startCounter?: bigint
  /** Ids (as stored) that are never handed out, both ends included. */
  readonly skipRange?: readonly [bigint, bigint]
} & (
  | {
      /** Default: `identity`, the column's own sequence. */
      readonly from?: 'identity'
    }
  | {
      readonly from: 'sequence'
      /** Default: the table's and the column's names and `seq`, joined by `_`. */
      readonly sequence?: string
    }
)

export interface UuidV4Options {
  readonly name?: string
}

export interface DescTimestampOptions {
  readonly name?: string
  /**
   * Who sets it when an insert does not: `now` is the client's clock, `commit` the database's commit timestamp,
   * `given` nobody. Default: `given`.
   */
  readonly default?: 'now' | 'commit' | 'given'
}

export interface TimestampOptions<Nullable extends boolean = boolean> extends ColumnOptions<Nullable> {
  /** Who sets it when an insert does not. Default: `given`, nobody. */
  readonly default?: 'now' | 'commit' | 'given'
}

export function column(type: ScalarType, options: ColumnOptions = {}): ColumnPatch {
  return { type, nullable: options.nullable ?? false, ...named(options), ...immutable(options) }
}

export function arrayColumn(of: ScalarType, options: ColumnOptions = {}): ColumnPatch {
  return {
    type: { kind: 'array', of },
    nullable: options.nullable ?? false,
    ...named(options),
    ...immutable(options),
  }
}

export function timestampColumn(options: TimestampOptions = {}): ColumnPatch {
  return { ...column({ kind: 'timestamp' }, options), ...timestampSource(options.default) }
}

export function keyColumn(order: 'asc' | 'desc' = 'asc'): ColumnPatch {
  return { key: order }
}

export function parentKeyColumn(): ColumnPatch {
  return { parentKey: true }
}

export function shardKeyColumn(options: ShardKeyOptions): ColumnPatch {
  const source: ShardSource =
    'of' in options
      ? {
          kind: 'shard',
          strategy: 'hash',
          shards: options.shards,
          of: [...options.of],
          ...(options.computedBy && { computedBy: options.computedBy }),
        }
      : { kind: 'shard', strategy: options.strategy, shards: options.shards, of: [] }
  return { type: { kind: 'int64' }, nullable: false, key: 'asc', source, ...named(options) }
}

export function bitReversedIdColumn(options: BitReversedIdOptions = {}): ColumnPatch {
  const { startCounter, skipRange } = options
  const source: BitReversedSource = {
    kind: 'bit-reversed',
    from: options.from ?? 'identity',
    ...(options.from === 'sequence' && options.sequence !== undefined && { sequence: options.sequence }),
    ...(startCounter !== undefined && { startCounter: String(startCounter) }),
    ...(skipRange && { skipRange: [String(skipRange[0]), String(skipRange[1])] as const }),
  }
  return { type: { kind: 'int64' }, nullable: false, key: 'asc', source, ...named(options) }
}

export function uuidV4Column(options: UuidV4Options = {}): ColumnPatch {
  return {
    type: { kind: 'uuid' },
    nullable: false,
    key: 'asc',
    source: { kind: 'uuid-v4' },
    ...named(options),
  }
}

export function descTimestampColumn(options: DescTimestampOptions = {}): ColumnPatch {
  return {
    type: { kind: 'timestamp' },
    nullable: false,
    key: 'desc',
    ...timestampSource(options.default),
    ...named(options),
  }
}

function timestampSource(from: 'now' | 'commit' | 'given' = 'given'): ColumnPatch {
  return from === 'given' ? {} : { source: { kind: 'timestamp', from } }
}

function named(options: { readonly name?: string }): ColumnPatch {
  return options.name === undefined ? {} : { name: options.name }
}

function immutable(options: ColumnOptions): ColumnPatch {
  return options.immutable === undefined ? {} : { immutable: options.immutable }
}
