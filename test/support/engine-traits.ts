import type { DialectName, IncludeWay, SqlDialect, Strategy, UuidStorage } from '@isotherm/core'

// What differs between the engines that a suite runs on, by what it is and not by the engine's name: a suite asks for the
// trait that it has to give way to.

export interface EngineTraits {
  /** Whose values the engine's own are like, for arbitraries. */
  readonly like: SqlDialect
  /** Whose order of NULL and NaN is the engine's, for the reference in memory. */
  readonly order: DialectName
  /** UUIDs of one version stand before those of the next. */
  readonly uuidOrder: 'bytes' | 'version-first'
  /** As what UUIDs can be stored: the emulator lacks the type. */
  readonly uuidStorages: readonly UuidStorage[]
  /** Digits of a second that a timestamp keeps. */
  readonly timestampDigits: 9 | 3
  /** Transactions over rows, and so statements that write. */
  readonly transactions: boolean
  /** Sequences of the database's own. */
  readonly ownSequences: boolean
  /** All rows of a table lie in the order of their keys: whatever grows in front of a key is written in one place. */
  readonly ordersTables: boolean
  /** How many commits it takes to insert two rows that may be there. */
  readonly commitsOfTwoRows: number
  /** A commit tells when it took effect. */
  readonly commitTimestamps: boolean
  /** The client makes a connection that is lost anew within the call, and not in its own time. */
  readonly reconnects: boolean
  /** Reads as of one moment. */
  readonly snapshots: boolean
  /** Which strategies a fan-out over the shards of a table has. */
  readonly strategies: readonly Strategy[]
  /** Those among them that differ in how rows are read, for suites that are about something else. */
  readonly waysToRead: readonly Strategy[]
  /** Which of them read in an order that is not the key's. */
  readonly sortingStrategies: readonly Strategy[]
  /** What is read without bounds on its time is where rows are, and not each period in which there may be some. */
  readonly readsUnbounded: boolean
  /** How the children of a row can be read. */
  readonly includeWays: readonly IncludeWay[]
  /** For writes of rows that are known to be new, or to be there: where it takes a commit for each to look, nobody does. */
  readonly unchecked: { readonly split: true; readonly check?: false }
  /** Who can compute the shard of a row, or another hash of it. */
  readonly computedBy: readonly ('database' | 'client')[]
  /** Keys may be longer than 8 KiB. */
  readonly longKeys: boolean
  /** Keys may hold NULL. */
  readonly nullKeys: boolean
  /** Keys may hold NaN. */
  readonly nanKeys: boolean
  /** Keys descend whatever their type; else those that have a mirror do. */
  readonly descendingKeys: boolean
  /** Floats of 32 bits and decimals may be keys. */
  readonly narrowKeys: boolean
  /** Lists may hold NULL. */
  readonly nullItems: boolean
  /** The greatest value of a decimal without a scale, or one that is as great as any that anybody keeps. */
  readonly greatestDecimal: string
  /** What is the least of NaN and 0.5. */
  readonly leastOfNan: number
  /** An empty list is told from NULL. */
  readonly emptyLists: boolean
  /** Minus zero is told from zero. */
  readonly signedZero: boolean
  /** Bytes of a cell that is larger than one message, and not too large for a row to have three of them. */
  readonly largestCell: number
}

const strategies = [
  'read-ranges',
  'probe-window',
  'merge-shards',
  'push-down',
  'bounded-range',
  'back-join',
] as const

export const googleSqlTraits: EngineTraits = {
  like: 'googlesql',
  order: 'googlesql',
  uuidOrder: 'bytes',
  uuidStorages: ['text', 'int64-pair', 'bytes'],
  longKeys: false,
  timestampDigits: 9,
  transactions: true,
  ownSequences: true,
  ordersTables: true,
  commitsOfTwoRows: 1,
  commitTimestamps: true,
  reconnects: true,
  snapshots: true,
  strategies,
  waysToRead: ['read-ranges', 'merge-shards', 'push-down'],
  sortingStrategies: ['read-ranges', 'merge-shards', 'push-down'],
  readsUnbounded: true,
  includeWays: ['read', 'statement'],
  unchecked: { split: true },
  computedBy: ['database', 'client'],
  greatestDecimal: `${'9'.repeat(28)}.999999999`,
  leastOfNan: NaN,
  nullKeys: true,
  nanKeys: true,
  descendingKeys: true,
  narrowKeys: true,
  nullItems: true,
  emptyLists: true,
  signedZero: true,
  largestCell: 3_000_000,
}

export const postgreSqlTraits: EngineTraits = {
  ...googleSqlTraits,
  like: 'spanner-postgresql',
  order: 'spanner-postgresql',
  greatestDecimal: `${'9'.repeat(400)}.${'9'.repeat(300)}`,
  leastOfNan: 0.5,
  nullKeys: false,
  nanKeys: false,
  descendingKeys: false,
  narrowKeys: false,
}

export const cassandraTraits: EngineTraits = {
  like: 'googlesql',
  order: 'cql',
  uuidOrder: 'version-first',
  uuidStorages: ['text', 'int64-pair', 'bytes', 'native'],
  longKeys: true,
  timestampDigits: 3,
  transactions: false,
  ownSequences: false,
  ordersTables: false,
  commitsOfTwoRows: 2,
  commitTimestamps: false,
  reconnects: false,
  snapshots: false,
  strategies: ['merge-shards', 'walk-buckets', 'sort-here'],
  waysToRead: ['merge-shards', 'sort-here'],
  sortingStrategies: ['sort-here'],
  readsUnbounded: false,
  includeWays: ['read'],
  unchecked: { split: true, check: false },
  computedBy: ['client'],
  greatestDecimal: `${'9'.repeat(28)}.999999999`,
  leastOfNan: 0.5,
  nullKeys: false,
  nanKeys: true,
  descendingKeys: true,
  narrowKeys: true,
  nullItems: false,
  emptyLists: false,
  signedZero: false,
  largestCell: 600_000,
}
