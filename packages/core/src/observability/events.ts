import type { IsothermError } from '../errors.js'

/** A shard whose rows are not in a result. */
export interface MissingShard {
  readonly shard: number
  /** The time bucket, if the table's partitions have one. */
  readonly bucket?: string
  /** Since when it has failed. */
  readonly since: Date
  readonly error: IsothermError
}

/** A plan that followed the first one of a fan-out, which had too few rows, or too many to hold. */
export interface LaterPlan {
  readonly strategy: string
  /** How many calls it began with. */
  readonly calls: number
  /** How many rows were still wanted; absent where all were. */
  readonly limit?: number
  /** The first and the last of the groups of partitions that it read, those of the time buckets, numbered from 0. */
  readonly groups?: readonly [first: number, last: number]
}

/** The report of a fan-out, once it has ended. */
export interface FanOutReport {
  readonly table: string
  readonly strategy: string
  readonly shards: number | undefined
  readonly calls: number
  readonly retries: number
  /** Rows that came from the database. Rows of interleaved children are among them. */
  readonly rowsRead: number
  readonly rowsReturned: number
  /** The most rows that were held at once, read ahead or waiting to be merged. */
  readonly maxRowsHeld: number
  readonly missing: readonly MissingShard[]
  /** How many plans were used, the first one included: the one that `explain()` shows. */
  readonly plans: number
  /** The plans that followed the first one, at most 16 of them. */
  readonly laterPlans: readonly LaterPlan[]
  /** From its first call to its end, its reader's own time included. */
  readonly milliseconds: number
  /** The error that ended it; absent if it ended well, or if its reader stopped early. */
  readonly error?: unknown
}

/** A shard or a key that takes far more than its share of the rows, or few shards that take them all: the next hotspot. */
export interface SkewEvent {
  readonly table: string
  /**
   * `few-shards`: the other shards get no rows, for example because a shard function returns few values. For writes only.
   */
  readonly of: 'shard' | 'key' | 'few-shards'
  readonly by: 'reads' | 'writes'
  /** The shard that takes them, or that the key is in; absent if the client does not know it. */
  readonly shard: number | undefined
  /**
   * Distinguishes the key from others without containing it: the fingerprint of the values that the shard hashes, or
   * otherwise of the primary key. For a key only.
   */
  readonly keyHash?: string
  /** How many shards take all rows. Of few shards only. */
  readonly usedShards?: number
  /** Which part of the rows, from 0 to 1. */
  readonly share: number
  /** Which part a shard has where all are equal. */
  readonly fairShare: number
  /** Among how many rows this was seen: of each call, at most 64 rows are sampled. */
  readonly rows: number
}

/** The events of a `Database`, and what their listeners are given. */
export interface DatabaseEvents {
  fanOut: [report: FanOutReport]
  skew: [event: SkewEvent]
}
