import type { PGlite, Transaction } from '@electric-sql/pglite'
import type { Driver } from '@isotherm/core'
import { pglite, postgresql } from '@isotherm/postgresql'
import { startPglite } from '@isotherm/postgresql/local'
import type { Capabilities, EngineUnderTest } from '@isotherm/testing'

// PGlite for tests: one for each process of vitest, and in it a schema for each database that a test makes.

export const postgresqlCapabilities: Capabilities = {
  has: [
    'transactions',
    'introspection',
    'wideCommits',
    'commitTimestamps',
    'interleaving',
    'sequences',
    'ownSequences',
    'computedKeys',
    'orderedTables',
    'indexes',
    'unboundedReads',
    'nativeUuids',
    'nanKeys',
    'narrowKeys',
    'nullItems',
    'emptyLists',
    'signedZero',
  ],
  strategies: ['read-ranges', 'probe-window', 'merge-shards', 'push-down', 'bounded-range', 'back-join'],
  readStrategies: ['read-ranges', 'merge-shards', 'push-down'],
  sortStrategies: ['read-ranges', 'merge-shards', 'push-down'],
  includeStrategies: ['read', 'statement'],
  timestampDigits: 6,
  largeCell: 3_000_000,
}

let shared: Promise<PGlite> | undefined
let count = 0

/** The one PGlite of this process. */
function sharedPglite(): Promise<PGlite> {
  return (shared ??= startPglite().then(({ client }) => client))
}

/** A PGlite in which names without a schema are in this schema: for the driver, a database of its own. */
function inSchema(database: PGlite, schema: string): PGlite {
  const within = <T>(work: (transaction: Transaction) => Promise<T>): Promise<T> =>
    database.transaction(async (transaction) => {
      await transaction.exec(`SET LOCAL search_path = ${schema}`)
      return work(transaction)
    })
  const own: Pick<PGlite, 'query' | 'exec' | 'transaction'> = {
    query: (...args) => within((transaction) => transaction.query(...args)),
    exec: (...args) => within((transaction) => transaction.exec(...args)),
    transaction: within,
  }
  return own as PGlite
}

/** An empty database with these tables. */
export async function databaseOf(ddl: readonly string[]): Promise<PGlite> {
  const database = await sharedPglite()
  const schema = `test_${++count}`
  await database.exec(`CREATE SCHEMA ${schema}`)
  const own = inSchema(database, schema)
  await pglite(own).applyDdl(ddl)
  return own
}

let whole: PGlite | undefined

/** A PGlite with nothing but an empty schema `public`: one for each process, for tests that make named schemas. */
export async function emptyPglite(): Promise<PGlite> {
  whole ??= (await startPglite()).client
  const { rows } = await whole.query<{ name: string }>(
    `SELECT quote_ident(nspname) AS name FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema'`,
  )
  await whole.exec(
    `${rows.map(({ name }) => `DROP SCHEMA ${name} CASCADE;`).join(' ')} CREATE SCHEMA public; RESET search_path`,
  )
  return whole
}

export const onPglite: EngineUnderTest<PGlite> = {
  name: 'PGlite',
  dialect: postgresql,
  capabilities: postgresqlCapabilities,
  async start() {
    return {
      createDatabase: databaseOf,
      connect: async (own) => own,
      disconnect: async () => {},
      async empty(own, _, table) {
        await own.exec(`TRUNCATE "${table}" CASCADE`)
      },
      stop: async () => {},
    }
  },
  driver: pglite,
}

/** Databases of the emptied PGlite, one after the other. */
export const onEmptyPglite = async <T>(
  _: unknown,
  ddl: readonly string[],
  work: (driver: Driver) => Promise<T>,
): Promise<T> => {
  const driver = pglite(await emptyPglite())
  await driver.applyDdl(ddl)
  return work(driver)
}
