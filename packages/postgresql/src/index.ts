export { postgresql } from './dialect/dialect.js'
export { postgresqlRuntime } from './sql/runtime.js'
export { pg, pglite, type PostgresqlOptions } from './driver/driver.js'
