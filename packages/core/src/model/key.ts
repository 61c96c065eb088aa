export type Order = 'asc' | 'desc'

export interface KeyPart {
  /** The property of the column, not its name in the database. */
  readonly property: string
  readonly order: Order
}

export type ShardStrategy = 'hash' | 'random' | 'round-robin'

/** A leading key part in `[0, shards)` that spreads what would otherwise be written in one place. */
export interface ShardSource {
  readonly kind: 'shard'
  readonly strategy: ShardStrategy
  readonly shards: number
  /** The properties that are hashed; empty unless the strategy is `hash`. */
  readonly of: readonly string[]
  /** Absent: the database wherever its rules allow a generated key column, else the client. */
  readonly computedBy?: 'database' | 'client'
}

export interface UuidSource {
  readonly kind: 'uuid-v4'
}

/** A number that the database counts up and hands out with its bits reversed. */
export interface BitReversedSource {
  readonly kind: 'bit-reversed'
  readonly from: 'identity' | 'sequence'
  /** The sequence's name, when `from` is `sequence`. */
  readonly sequence?: string
  /** In decimal, since a schema is plain data and JSON has no 64-bit integers. */
  readonly startCounter?: string
  readonly skipRange?: readonly [string, string]
}

/** `now`: the client's clock at the insert. `commit`: the database's commit timestamp. */
export interface TimestampSource {
  readonly kind: 'timestamp'
  readonly from: 'now' | 'commit'
}

/** Who makes a column's value when an insert leaves it out. */
export type ValueSource = ShardSource | UuidSource | BitReversedSource | TimestampSource

export const MIN_SHARDS = 1
export const MAX_SHARDS = 10_000
export const MAX_KEY_PARTS = 16
export const MAX_INTERLEAVE_DEPTH = 7
