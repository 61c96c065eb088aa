/**
 * How many replicas have to answer before a call has, as CQL names it.
 *
 * Source: https://cassandra.apache.org/doc/stable/cassandra/architecture/dynamo.html#tunable-consistency
 */
export type Consistency =
  | 'one'
  | 'two'
  | 'three'
  | 'quorum'
  | 'all'
  | 'local-one'
  | 'local-quorum'
  | 'each-quorum'
  | 'serial'
  | 'local-serial'
  | 'any'
