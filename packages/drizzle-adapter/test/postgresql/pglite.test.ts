import { pglite } from '@isotherm/postgresql'
import { startPglite } from '@isotherm/postgresql/local'
import { drizzle } from 'drizzle-orm/pglite'
import { drizzleOnPostgresql } from './suite.js'

drizzleOnPostgresql('PGlite', async () => {
  const { client, stop } = await startPglite()
  return {
    driver: pglite(client),
    open: (config) => drizzle(client, config),
    [Symbol.asyncDispose]: stop,
  }
})
