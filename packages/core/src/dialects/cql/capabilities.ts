import { CQL_LIMITS } from '../../lint/cql-limits.js'
import { PARTITION_LOADS, type PartitionLoad } from '../../lint/partition-load.js'
import type { CqlTarget } from '../../model/cql-target.js'
import type { Consistency } from './consistency.js'

export type { CqlTarget } from '../../model/cql-target.js'

/** What a target's CQL has. Whoever depends on one of these asks for it here, and never for the target's name. */
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
  /** The most that a row may hold. Undefined: no limit of the engine's own. */
  readonly rowBytes: number | undefined
  readonly writeConsistency: readonly Consistency[]
  readonly readConsistency: readonly Consistency[]
  /** DDL is answered before it is done. */
  readonly asynchronousDdl: boolean
  /** `ALTER TABLE … ADD IF NOT EXISTS`. */
  readonly addIfNotExists: boolean
  /** Time to live has to be switched on for a table before a row may have one. */
  readonly timeToLiveIsSwitched: boolean
  /** What one partition takes in a second. `certain`: the engine throttles what is more; else it is a rule of thumb. */
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
const cassandra: CqlCapabilities = Object.freeze({
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
  // No limit of the engine's; batches are warned of by their bytes, and one that is larger serves nobody.
  statementsPerBatch: 100,
  inValues: 100,
  rowBytes: CQL_LIMITS.cassandra.rowBytes,
  writeConsistency: Object.freeze([...ALL_CONSISTENCY, 'any'] as const),
  readConsistency: Object.freeze([...ALL_CONSISTENCY, 'serial', 'local-serial'] as const),
  asynchronousDdl: false,
  addIfNotExists: true,
  timeToLiveIsSwitched: false,
  partitionLoad: PARTITION_LOADS.cassandra,
})

/**
 * Amazon Keyspaces, by its documentation as of November 2026. What that leaves open is taken as absent.
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
const keyspaces: CqlCapabilities = Object.freeze({
  tupleRelations: false,
  indexes: false,
  userTypes: true,
  // ALTER TABLE adds columns and sets options, and does no more; there is no ALTER TYPE.
  altersTypes: false,
  dropsColumns: false,
  renamesKeyColumns: false,
  counters: true,
  // The list of its types has neither.
  vectors: false,
  durations: false,
  // It compares a frozen value as a BLOB, and does not say of which bytes; in a partition key there is no order to know.
  ordersComposites: false,
  // Of unconditional statements only.
  conditionalBatches: false,
  statementsPerBatch: 30,
  inValues: 100,
  rowBytes: CQL_LIMITS.keyspaces.rowBytes,
  writeConsistency: Object.freeze(['local-quorum'] as const),
  readConsistency: Object.freeze(['one', 'local-one', 'local-quorum'] as const),
  asynchronousDdl: true,
  addIfNotExists: false,
  timeToLiveIsSwitched: true,
  partitionLoad: PARTITION_LOADS.keyspaces,
})

export const cqlTargets: Readonly<Record<CqlTarget, CqlCapabilities>> = Object.freeze({
  cassandra,
  keyspaces,
})
