import type { CqlTarget } from '../model/cql-target.js'

/** What a table may be. */
export interface CqlLimits {
  /** Of a table's name, in characters. */
  readonly nameLength: number
  /** What every version of the engine takes. */
  readonly safeNameLength: number
  readonly partitionKeyBytes: number
  /** Of all clustering columns together. */
  readonly clusteringBytes: number
  /** Undefined: no limit of the engine's own. */
  readonly rowBytes: number | undefined
}

/**
 * Sources: https://docs.aws.amazon.com/keyspaces/latest/devguide/quotas.html,
 * https://cassandra.apache.org/doc/latest/cassandra/developing/cql/ddl.html#common-definitions
 */
export const CQL_LIMITS: Readonly<Record<CqlTarget, CqlLimits>> = Object.freeze({
  cassandra: Object.freeze({
    nameLength: 222,
    safeNameLength: 48,
    partitionKeyBytes: 65_535,
    clusteringBytes: 65_535,
    rowBytes: undefined,
  }),
  keyspaces: Object.freeze({
    nameLength: 48,
    safeNameLength: 48,
    partitionKeyBytes: 2_048,
    clusteringBytes: 850,
    rowBytes: 1_048_576,
  }),
})
