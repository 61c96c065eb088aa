export { startCassandra } from './local/start.js'
export type { CassandraOptions } from './local/start.js'
export type { Cassandra, CassandraKeyspaceOptions, CassandraNode } from './local/started.js'
export type { CassandraLauncher } from './local/driver.js'
