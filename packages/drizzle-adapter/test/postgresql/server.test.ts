import { pg } from '@isotherm/postgresql'
import { drizzle } from 'drizzle-orm/node-postgres'
import { startPostgres } from '../../../../bench/src/postgres-server.js'
import { drizzleOnPostgresql } from './suite.js'

drizzleOnPostgresql('PostgreSQL 18', async () => {
  const server = await startPostgres(18)
  const pool = server.pool('postgres')
  return {
    driver: pg(pool),
    open: (config) => drizzle(pool, config) as never,
    [Symbol.asyncDispose]: () => server.stop(),
  }
})
