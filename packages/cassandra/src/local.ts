export { startCassandra } from './local/start.js'
export type { CassandraOptions } from './local/start.js'
export type { Cassandra, CassandraKeyspaceOptions, CassandraNode } from './local/started.js'
export type { CassandraWay } from './local/driver.js'
