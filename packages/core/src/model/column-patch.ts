import { IsothermError } from '../errors.js'
import type { AnyCounter, ShardFunction } from './bindings.js'
import type { ColumnPatch, SourceDefinition } from './column.js'
import type { Length, ScalarType, UuidStorage } from './column-type.js'
import type { ComputedBy, HashAlgorithm } from './key.js'
import type { SqlExpression } from './sql-expression.js'

// What each column declaration means, said once: the decorators and `defineTable` are two spellings of this file.

export interface ColumnOptions<Nullable extends boolean = boolean> {
  /** The name in the database. Default: the property's. */
  readonly name?: string
  /** Default: false. */
  readonly nullable?: Nullable
  /** Set at the insert and never changed: such a column may feed a shard's hash. */
  readonly immutable?: boolean
  /** What the database puts in when an insert leaves the column out, in SQL: `'CURRENT_DATE()'`. */
  readonly default?: SqlExpression
  /** SQL over other columns, by their names in the database: the database computes the column, and nobody writes it. */
  readonly generated?: SqlExpression
  /** Whether a generated column is kept with the row, rather than computed when it is read. Default: true. */
  readonly stored?: boolean
  /** Leaves the column out of `SELECT *` (GoogleSQL). Default: false. */
  readonly hidden?: boolean
  /** One value for all rows of a partition, kept once. Cassandra and Keyspaces. Default: false. */
  readonly static?: boolean
}

export interface LengthOptions<Nullable extends boolean = boolean> extends ColumnOptions<Nullable> {
  /** The longest value, in characters (strings) or bytes. Default: `max`, the database's own limit. */
  readonly length?: Length
}

export interface Int64Options<Nullable extends boolean = boolean> extends ColumnOptions<Nullable> {
  /**
   * How a row shows it. `number` is for values that stay within 53 bits: what does not is refused when it is written, and
   * when it is read. Default: `bigint`.
   */
  readonly as?: 'bigint' | 'number'
}

export interface UuidOptions<Nullable extends boolean = boolean> extends ColumnOptions<Nullable> {
  /** How it lies in the database; a row shows its text. Default: `text`. */
  readonly storage?: UuidStorage
}

interface ShardRange {
  /** How many shards: a whole number from 1 to 10,000. */
  readonly shards: number
  /** The lowest shard. Default: 0. */
  readonly first?: number
  readonly name?: string
}

export type ShardKeyOptions<Property extends string = string> = ShardRange &
  (
    | {
        readonly strategy?: 'hash'
        /** The properties to hash: key parts, or immutable columns. A row is found again by these alone. */
        readonly of: readonly Property[]
        /** Default: the database wherever its rules allow, so that other writers cannot get it wrong. */
        readonly computedBy?: ComputedBy
        /** For a table that was made with `MOD(hash, shards)`, whose shards go from `1 - shards` to `shards - 1`. */
        readonly signed?: boolean
        /** For a table whose shard is computed in a way of its own: the SQL of its generated column. */
        readonly expression?: SqlExpression
        /** The same as a function of the values of `of`; absent where the shard cannot be computed here. */
        readonly compute?: ShardFunction
      }
    | {
        /** No hash, no point read by the other columns alone: the key must hold a UUID as well. */
        readonly strategy: 'random' | 'round-robin'
      }
  )

export interface HashKeyOptions<Property extends string = string> {
  /** The properties to hash, which together are unique. */
  readonly of: readonly Property[]
  /** `farm-fingerprint` is 64 bits, a `bigint`; the others are digests of 32 and 64 bytes. Default: `farm-fingerprint`. */
  readonly algorithm?: HashAlgorithm
  /** Default: the database wherever its rules allow. */
  readonly computedBy?: ComputedBy
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
  | {
      /** The application's own counter: its numbers are stored with their bits reversed. */
      readonly from: AnyCounter
      readonly startCounter?: never
      readonly skipRange?: never
    }
)

export interface SequentialOptions {
  readonly name?: string
  /** The application's own counter: `inTransaction('invoice')`, for numbers in order and without gaps. */
  readonly from: AnyCounter
}

export interface UuidV4Options {
  readonly name?: string
  /** How it lies in the database; a row shows its text. Default: `text`. */
  readonly storage?: UuidStorage
}

export interface DescTimestampOptions {
  readonly name?: string
  /**
   * Who sets it when an insert does not: `now` is the client's clock, `commit` the database's commit timestamp,
   * `given` nobody. Default: `given`.
   */
  readonly default?: 'now' | 'commit' | 'given'
}

export interface TimestampOptions<Nullable extends boolean = boolean> extends Omit<
  ColumnOptions<Nullable>,
  'default'
> {
  /**
   * Who sets it when an insert does not: `now` is the client's clock, `commit` the database's commit timestamp, SQL for each
   * dialect the database. Default: `given`, nobody.
   */
  readonly default?: 'now' | 'commit' | 'given' | Exclude<SqlExpression, string>
}

export function column(type: ScalarType, options: ColumnOptions = {}): ColumnPatch {
  return { type, nullable: options.nullable ?? false, ...described(options) }
}

export function int64Column({ as, ...options }: Int64Options = {}): ColumnPatch {
  return column({ kind: 'int64', ...(as === 'number' && { as }) }, options)
}

export function uuidColumn({ storage, ...options }: UuidOptions = {}): ColumnPatch {
  return column(uuidType(storage), options)
}

export function timestampColumn({ default: from, ...options }: TimestampOptions = {}): ColumnPatch {
  if (typeof from === 'object') return column({ kind: 'timestamp' }, { ...options, default: from })
  return { ...column({ kind: 'timestamp' }, options), ...timestampSource(from) }
}

export function keyColumn(order: 'asc' | 'desc' = 'asc'): ColumnPatch {
  return { key: order }
}

export function parentKeyColumn(): ColumnPatch {
  return { parentKey: true }
}

export function shardKeyColumn(options: ShardKeyOptions): ColumnPatch {
  const { shards, first } = options
  const range = { shards, ...(first !== undefined && first !== 0 && { first }) }
  const key = { type: { kind: 'int64' }, nullable: false, key: 'asc', ...named(options) } as const
  if (!('of' in options)) {
    return {
      ...key,
      source: { kind: 'shard', strategy: options.strategy, ...range, of: [], computedBy: 'client' },
    }
  }
  const { of, computedBy, signed, expression, compute } = options
  const source: SourceDefinition = {
    kind: 'shard',
    strategy: 'hash',
    ...range,
    ...(signed && { signed }),
    of: [...of],
    ...(computedBy && { computedBy }),
    ...(expression !== undefined && { expression }),
    // A function alone says nothing that the database could compute.
    ...(compute && expression === undefined && { computedBy: computedBy ?? 'client', ownFunction: true }),
  }
  return { ...key, source, ...(compute && { binding: { shard: compute } }) }
}

const DIGEST_BYTES = { sha256: 32, sha512: 64 } as const

export function hashKeyColumn(options: HashKeyOptions): ColumnPatch {
  const { of, algorithm = 'farm-fingerprint', computedBy } = options
  return {
    type:
      algorithm === 'farm-fingerprint'
        ? { kind: 'int64' }
        : { kind: 'bytes', length: DIGEST_BYTES[algorithm] },
    nullable: false,
    key: 'asc',
    source: { kind: 'hash', algorithm, of: [...of], ...(computedBy && { computedBy }) },
    ...named(options),
  }
}

export function bitReversedIdColumn(options: BitReversedIdOptions = {}): ColumnPatch {
  const { startCounter, skipRange, from = 'identity' } = options
  const key = { type: { kind: 'int64' }, nullable: false, key: 'asc', ...named(options) } as const
  if (typeof from === 'object')
    return { ...key, source: { kind: 'bit-reversed', from: 'client' }, binding: { counter: from } }
  const source: SourceDefinition = {
    kind: 'bit-reversed',
    from,
    ...(options.from === 'sequence' && options.sequence !== undefined && { sequence: options.sequence }),
    ...(startCounter !== undefined && { startCounter: String(startCounter) }),
    ...(skipRange && { skipRange: [String(skipRange[0]), String(skipRange[1])] as const }),
  }
  return { ...key, source }
}

/** @throws {IsothermError} `INVALID_VALUE` for a counter whose numbers come in no order. */
export function sequentialColumn({ from, ...options }: SequentialOptions): ColumnPatch {
  if (from.bitReversed) {
    throw new IsothermError(
      'INVALID_VALUE',
      'A sequential number is for people to read, and this counter gives numbers with their bits reversed.',
      { fix: 'Leave bitReversed out of the counter, or declare the column as a bit-reversed id.' },
    )
  }
  return {
    type: { kind: 'int64' },
    nullable: false,
    source: { kind: 'sequential' },
    binding: { counter: from },
    ...named(options),
  }
}

export function uuidV4Column(options: UuidV4Options = {}): ColumnPatch {
  return {
    type: uuidType(options.storage),
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

function uuidType(storage: UuidStorage = 'text'): ScalarType {
  return { kind: 'uuid', ...(storage !== 'text' && { storage }) }
}

function timestampSource(from: 'now' | 'commit' | 'given' = 'given'): ColumnPatch {
  return from === 'given' ? {} : { source: { kind: 'timestamp', from } }
}

export function named(options: { readonly name?: string }): ColumnPatch {
  return options.name === undefined ? {} : { name: options.name }
}

export function described(options: ColumnOptions): ColumnPatch {
  const { immutable, generated, stored, hidden, static: isStatic } = options
  return {
    ...named(options),
    ...(immutable !== undefined && { immutable }),
    ...(options.default !== undefined && { default: options.default }),
    ...(generated !== undefined && { generated: { expression: generated, stored: stored ?? true } }),
    ...(hidden && { hidden }),
    ...(isStatic && { static: isStatic }),
  }
}
