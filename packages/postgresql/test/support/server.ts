import { pg, postgresql } from '@isotherm/postgresql'
import type { EngineUnderTest } from '@isotherm/testing'
import type { Pool } from 'pg'
import { type Major, startPostgres } from '../../../../bench/src/postgres-server.js'
import { postgresqlCapabilities } from './pglite.js'

/** A server with a separate database for each test database. */
export function onServer(major: Major): EngineUnderTest<Pool> {
  return {
    name: `PostgreSQL ${major}`,
    dialect: postgresql,
    capabilities: { ...postgresqlCapabilities, has: [...postgresqlCapabilities.has, 'snapshots'] },
    async start() {
      const server = await startPostgres(major)
      const admin = server.pool('postgres')
      let count = 0
      return {
        async createDatabase(ddl) {
          const name = `test_${++count}`
          await admin.query(`CREATE DATABASE ${name}`)
          const own = server.pool(name)
          await pg(own).applyDdl(ddl)
          return own
        },
        connect: async (own) => server.pool(own.options.database!),
        disconnect: (own) => own.end(),
        async empty(own, _, table) {
          await own.query(`TRUNCATE "${table}" CASCADE`)
        },
        stop: () => server.stop(),
      }
    },
    driver: pg,
  }
}
