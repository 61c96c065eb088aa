// Without the driver, which wants cassandra-driver: a lint does not.
export { cql, keyspacesCql } from './dialect/dialect.js'
export { cqlRuntime, keyspacesCqlRuntime } from './cql/runtime.js'
export { partitionShards, type PartitionShards } from './lint/facts/partition-load.js'
