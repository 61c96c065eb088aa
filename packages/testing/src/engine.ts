import type { CostProfile, Dialect, Driver, IncludeStrategy, Schema, Strategy } from '@isotherm/core'

/** What an engine may have or lack, and what each of them means. */
export const CAPABILITIES = {
  transactions: 'read-write transactions over rows',
  snapshots: 'long reads as of one moment, or of the moment of each partition, while rows are written',
  pastReads: 'reads as of a moment of the past',
  wideCommits: 'one commit for rows of several partitions',
  commitLimits: 'commits that take a limited number of rows from anywhere',
  uncheckedWrites: 'inserts and updates that do not check whether the row is there',
  commitTimestamps: 'a commit that tells when it took effect',
  interleaving: 'rows that lie in their parent, and go with it',
  sequences: 'numbers counted in a row, by transactions or by conditional writes',
  ownSequences: 'sequences of the database',
  introspection: 'a schema that is read from the database',
  computedKeys: 'shards and hashes that the database computes',
  orderedTables: 'one order of all rows of a table',
  indexes: 'indexes over all rows of a table, with shards that the database computes',
  unboundedReads: 'reads of time buckets without bounds on the time',
  nativeUuids: 'a type for UUIDs',
  timeUuids: 'UUIDs of version 1, which are in the order of time',
  nullKeys: 'NULL in keys',
  nanKeys: 'NaN in keys',
  descendingKeys: 'descending key parts of every type',
  narrowKeys: 'keys of 32-bit floats and of decimals',
  longKeys: 'keys of more than 8 KiB',
  nulCharacters: 'the character NUL in text',
  nullItems: 'NULL in lists',
  emptyLists: 'empty lists that are not NULL',
  signedZero: 'minus zero as a value of its own',
  signedZeroKeys: 'minus zero in keys, another value than zero, and less',
  everyExtreme: 'the least and the greatest of booleans and of bytes',
} as const

/** Something that an engine has: see {@link CAPABILITIES}. */
export type Capability = keyof typeof CAPABILITIES

/** What the suite may expect of an engine. */
export interface Capabilities {
  /** What the engine has. Tests that need more are left out, and reported. */
  readonly has: readonly Capability[]
  /** Which strategies a fan-out over the shards of a table has. */
  readonly strategies: readonly Strategy[]
  /** Those that differ in how rows are read, for tests that are about something else. Default: all strategies. */
  readonly readStrategies?: readonly Strategy[]
  /** Those that read rows in an order other than that of the key. Default: all strategies. */
  readonly sortStrategies?: readonly Strategy[]
  /** How the children of a row can be read. Default: by key. */
  readonly includeStrategies?: readonly IncludeStrategy[]
  /** How many digits of a second a timestamp keeps. Default: 9. */
  readonly timestampDigits?: 9 | 6 | 3
  /** How UUIDs are ordered: by their bytes, or first by their version. Default: `bytes`. */
  readonly uuidOrder?: 'bytes' | 'version-first'
  /** The size in bytes of a large cell: larger than a message of the protocol. Default: 600,000. */
  readonly largeCell?: number
}

/** An engine that runs, and makes databases for tests. */
export interface RunningEngine<Handle> {
  /** Makes an empty database (a keyspace, a schema) with a name of its own, and runs these statements in it. */
  createDatabase(ddl: readonly string[]): Promise<Handle>
  /** Connects to a database once more, as another process would. */
  connect(database: Handle): Promise<Handle>
  /** Ends a connection that `connect` made. */
  disconnect(database: Handle): Promise<void>
  /** Deletes all rows of a table. Default: the suite reads their keys, and deletes them by key. */
  readonly empty?: (database: Handle, schema: Schema, table: string) => Promise<void>
  /** Throws away all databases that were made, and stops the engine. It may be called more than once. */
  stop(): Promise<void>
}

/**
 * An engine, as its package makes it, and how to start it.
 *
 * @typeParam Handle what the engine's client calls a database
 */
export interface EngineUnderTest<Handle> {
  /** For titles. Default: the name of the dialect. */
  readonly name?: string
  readonly dialect: Dialect
  readonly capabilities: Capabilities
  /** Starts the engine, or connects to one that runs. It is called once for each test file that has parts of the suite. */
  start(): Promise<RunningEngine<Handle>>
  /** The driver of a database; with other costs, so that the planner chooses otherwise. */
  driver(database: Handle, options: { readonly costs?: Partial<CostProfile> }): Driver
}
