import type { BucketSize } from '../keys/time-bucket.js'
import type { SqlExpression } from './sql-expression.js'

export type { BucketSize } from '../keys/time-bucket.js'

export type Order = 'asc' | 'desc'

export interface KeyPart {
  /** The property of the column, not its name in the database. */
  readonly property: string
  readonly order: Order
}

type ShardStrategy = 'hash' | 'random' | 'round-robin'

/** Who computes a key value: the database, for every writer, or the client. */
export type ComputedBy = 'database' | 'client'

/** A leading key part in `[first, first + shards)` that spreads what would otherwise be written in one key range. */
export interface ShardSource {
  readonly kind: 'shard'
  readonly strategy: ShardStrategy
  readonly shards: number
  /** The lowest shard. Absent: 0. */
  readonly first?: number
  /** The shards of a table that was made without ABS: `MOD(hash, shards)`, from `1 - shards` to `shards - 1`. */
  readonly signed?: true
  /** The properties that are hashed; empty unless the strategy is `hash`. */
  readonly of: readonly string[]
  readonly computedBy: ComputedBy
  /** A custom expression that computes it, in place of the hash. */
  readonly expression?: SqlExpression
  /**
   * A function of the model's own computes it, in place of the hash. A schema from a file has this mark and not the function:
   * it can compute no shard.
   */
  readonly ownFunction?: true
}

export type HashAlgorithm = 'farm-fingerprint' | 'sha256' | 'sha512'

/** A key part that is the whole hash of others: a 64-bit fingerprint, or a digest. */
export interface HashSource {
  readonly kind: 'hash'
  readonly algorithm: HashAlgorithm
  readonly of: readonly string[]
  readonly computedBy: ComputedBy
}

interface UuidSource {
  readonly kind: 'uuid-v4'
}

/** A number that is counted up and handed out with its bits reversed: by the database, or by a counter of the client. */
export interface BitReversedSource {
  readonly kind: 'bit-reversed'
  readonly from: 'identity' | 'sequence' | 'client'
  /** The sequence's name, if `from` is `sequence`; its other options are in the schema's `sequences`. */
  readonly sequence?: string
  /** In decimal, since a schema is plain data and JSON has no 64-bit integers. */
  readonly startCounter?: string
  readonly skipRange?: readonly [string, string]
}

/** A number that a counter of the client counts up: for people to read, and not a good first key part. */
interface SequentialSource {
  readonly kind: 'sequential'
}

/** `now`: the client's clock at the insert. `commit`: the database's commit timestamp. */
interface TimestampSource {
  readonly kind: 'timestamp'
  readonly from: 'now' | 'commit'
}

/** A UUID of the client's clock at the insert: unique, and ordered by the time in it. */
interface TimeUuidSource {
  readonly kind: 'timeuuid'
}

/**
 * The period, in UTC, that another column's time falls into: it limits the size of a partition. The client always makes it.
 * It follows from the row's own time, not from the clock, so a clock that is set back does no harm.
 */
export interface TimeBucketSource {
  readonly kind: 'time-bucket'
  /** A timestamp (or a date, from a `day` on): a key part, or immutable. */
  readonly of: string
  readonly by: BucketSize
  /**
   * There are no older rows: a backward bucket scan ends here. A day, `YYYY-MM-DD`. Absent: a query has to say how far back
   * it goes.
   */
  readonly since?: string
  /** How many buckets ahead of the clock an insert may write, and where a bucket scan begins. Absent: 1. */
  readonly ahead?: number
}

/** Who makes a column's value when an insert leaves it out. */
export type ValueSource =
  | ShardSource
  | HashSource
  | UuidSource
  | BitReversedSource
  | SequentialSource
  | TimestampSource
  | TimeUuidSource
  | TimeBucketSource

/** The lowest and the highest shard. */
export function shardBounds({
  shards,
  first = 0,
  signed,
}: Omit<ShardSource, 'of' | 'kind' | 'strategy' | 'computedBy'>): {
  readonly lowest: number
  readonly highest: number
} {
  return signed ? { lowest: 1 - shards, highest: shards - 1 } : { lowest: first, highest: first + shards - 1 }
}

/** How many shards there are: more than `shards` where the hash keeps its sign. */
export function shardCountOf(source: Parameters<typeof shardBounds>[0]): number {
  const { lowest, highest } = shardBounds(source)
  return highest - lowest + 1
}

/** How many buckets ahead of the clock an insert may write, unless the bucket says otherwise. */
export const BUCKETS_AHEAD = 1

export const MIN_SHARDS = 1
export const MAX_SHARDS = 10_000
export const MAX_KEY_PARTS = 16
export const MAX_INTERLEAVE_DEPTH = 7
