export { cassandra, type CassandraOptions } from './cassandra/driver.js'
