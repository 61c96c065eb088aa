import type { Consistency } from '@isotherm/core/engine'

/** The limits of a table. */
export interface CqlLimits {
  /** Of a table's name, in characters. */
  readonly nameLength: number
  /** The features that every version of the engine supports. */
  readonly safeNameLength: number
  readonly partitionKeyBytes: number
  /** What each column of a partition key of several columns adds to its value: two bytes of length, and one at the end. */
  readonly partitionColumnBytes: number
  /** Of all clustering columns together. */
  readonly clusteringBytes: number
  /** Undefined: no limit of the engine's own. */
  readonly rowBytes: number | undefined
}

/** Source: https://cassandra.apache.org/doc/latest/cassandra/developing/cql/ddl.html#common-definitions */
const CASSANDRA_LIMITS: CqlLimits = Object.freeze({
  nameLength: 222,
  safeNameLength: 48,
  partitionKeyBytes: 65_535,
  partitionColumnBytes: 3,
  clusteringBytes: 65_535,
  rowBytes: undefined,
})

/** Source: https://docs.aws.amazon.com/keyspaces/latest/devguide/quotas.html */
const KEYSPACES_LIMITS: CqlLimits = Object.freeze({
  nameLength: 48,
  safeNameLength: 48,
  partitionKeyBytes: 2_048,
  // The quota is of the values.
  partitionColumnBytes: 0,
  clusteringBytes: 850,
  rowBytes: 1_048_576,
})

/** What one partition can take in a second. */
export interface PartitionLoad {
  /** Of a kilobyte each. */
  readonly writeUnits: number
  /** Of four kilobytes each. */
  readonly readUnits: number
  /** Whether the engine throttles higher loads; otherwise it is a rule of thumb. */
  readonly certain: boolean
}

/**
 * Of Keyspaces, as published; Cassandra publishes none, and its nodes differ: a partition is one replica set's there as
 * well, so the same numbers are taken for a guess.
 *
 * Source: https://docs.aws.amazon.com/keyspaces/latest/devguide/bp-partition-key-design.html
 */
const KEYSPACES_PARTITION_LOAD: PartitionLoad = Object.freeze({
  writeUnits: 1_000,
  readUnits: 3_000,
  certain: true,
})

const CASSANDRA_PARTITION_LOAD: PartitionLoad = Object.freeze({
  ...KEYSPACES_PARTITION_LOAD,
  certain: false,
})

/**
 * What a CQL dialect supports. Code that depends on one of these features checks the capability, never the dialect's name.
 */
export interface CqlCapabilities {
  /** `(a, b) > (?, ?)`. */
  readonly tupleRelations: boolean
  /** `CREATE INDEX … USING 'sai'`. */
  readonly indexes: 'sai' | false
  readonly userTypes: boolean
  /** `ALTER TYPE … ADD`. */
  readonly altersTypes: boolean
  /** `ALTER TABLE … DROP` of a column. */
  readonly dropsColumns: boolean
  /** `ALTER TABLE … RENAME` of a key column. */
  readonly renamesKeyColumns: boolean
  readonly counters: boolean
  readonly vectors: boolean
  readonly durations: boolean
  /** Collections, tuples and user types of a clustering column are ordered item by item. */
  readonly ordersComposites: boolean
  /** Conditions inside a batch. */
  readonly conditionalBatches: boolean
  readonly statementsPerBatch: number
  /** How many values an `IN` may have. */
  readonly inValues: number
  /** Of names, keys and rows. */
  readonly limits: CqlLimits
  readonly writeConsistency: readonly Consistency[]
  readonly readConsistency: readonly Consistency[]
  /** DDL is answered before it is done. */
  readonly asynchronousDdl: boolean
  /** `ALTER TABLE … ADD IF NOT EXISTS`. */
  readonly addIfNotExists: boolean
  /** Time to live has to be switched on for a table before a row may have one. */
  readonly timeToLiveIsSwitched: boolean
  /**
   * The load that one partition can take in a second. `certain`: the engine throttles more; otherwise it is a rule of
   * thumb.
   */
  readonly partitionLoad: PartitionLoad
}

const ALL_CONSISTENCY: readonly Consistency[] = [
  'one',
  'two',
  'three',
  'quorum',
  'all',
  'local-one',
  'local-quorum',
  'each-quorum',
]

/** Apache Cassandra 5.0. Source: https://cassandra.apache.org/doc/5.0/cassandra/developing/cql/index.html */
export const cassandraCapabilities: CqlCapabilities = Object.freeze({
  tupleRelations: true,
  indexes: 'sai',
  userTypes: true,
  altersTypes: true,
  dropsColumns: true,
  renamesKeyColumns: true,
  counters: true,
  vectors: true,
  durations: true,
  ordersComposites: true,
  conditionalBatches: true,
  // Not a limit of the engine. Cassandra warns of batches by their size in bytes, and larger batches have no advantage.
  statementsPerBatch: 100,
  inValues: 100,
  limits: CASSANDRA_LIMITS,
  writeConsistency: Object.freeze([...ALL_CONSISTENCY, 'any'] as const),
  readConsistency: Object.freeze([...ALL_CONSISTENCY, 'serial', 'local-serial'] as const),
  asynchronousDdl: false,
  addIfNotExists: true,
  timeToLiveIsSwitched: false,
  partitionLoad: CASSANDRA_PARTITION_LOAD,
})

/**
 * Amazon Keyspaces, by its documentation as of November 2026. Undocumented features count as absent.
 *
 * Sources: https://docs.aws.amazon.com/keyspaces/latest/devguide/cassandra-apis.html (statements and types),
 * https://docs.aws.amazon.com/keyspaces/latest/devguide/functional-differences.html (batches, frozen values, IN),
 * https://docs.aws.amazon.com/keyspaces/latest/devguide/cql.elements.html (counters, frozen values in keys),
 * https://docs.aws.amazon.com/keyspaces/latest/devguide/cql.ddl.table.html (what ALTER TABLE changes),
 * https://docs.aws.amazon.com/keyspaces/latest/devguide/udts.html,
 * https://docs.aws.amazon.com/keyspaces/latest/devguide/TTL-how-it-works.html,
 * https://docs.aws.amazon.com/keyspaces/latest/devguide/quotas.html,
 * https://docs.aws.amazon.com/keyspaces/latest/devguide/consistency.html
 */
export const keyspacesCapabilities: CqlCapabilities = Object.freeze({
  tupleRelations: false,
  indexes: false,
  userTypes: true,
  // ALTER TABLE only adds columns and sets options; there is no ALTER TYPE.
  altersTypes: false,
  dropsColumns: false,
  renamesKeyColumns: false,
  counters: true,
  // The list of its types has neither.
  vectors: false,
  durations: false,
  // Keyspaces compares a frozen value as a BLOB, and does not document its bytes; in a partition key the order does not
  // matter.
  ordersComposites: false,
  // Of unconditional statements only.
  conditionalBatches: false,
  statementsPerBatch: 30,
  inValues: 100,
  limits: KEYSPACES_LIMITS,
  writeConsistency: Object.freeze(['local-quorum'] as const),
  readConsistency: Object.freeze(['one', 'local-one', 'local-quorum'] as const),
  asynchronousDdl: true,
  addIfNotExists: false,
  timeToLiveIsSwitched: true,
  partitionLoad: KEYSPACES_PARTITION_LOAD,
})
