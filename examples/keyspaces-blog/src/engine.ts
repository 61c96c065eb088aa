import { cassandra, keyspacesCql } from '@isotherm/cassandra'
import { type Cassandra, startCassandra } from '@isotherm/cassandra/local'
import { type Dialect, type Driver, IsothermError } from '@isotherm/core'
import { pglite, postgresql } from '@isotherm/postgresql'
import { startPglite } from '@isotherm/postgresql/local'

/** What the blog runs on while it is developed. */
export interface BlogEngine {
  readonly description: string
  readonly dialect: Dialect
  /** Makes an empty database with these tables. */
  open(ddl: readonly string[]): Promise<Driver>
  stop(): Promise<void>
}

/** A Cassandra that the environment names or that Java can run; else PGlite, which is always there. */
export async function startEngine(wanted: 'cassandra' | 'pglite' | undefined): Promise<BlogEngine> {
  if (wanted === 'pglite') return onPglite()
  try {
    const launchers = wanted === 'cassandra' ? undefined : (['given', 'java'] as const)
    return onCassandra(await startCassandra(launchers && { launchers }))
  } catch (error) {
    const isMissing = error instanceof IsothermError && error.code === 'ENGINE_UNAVAILABLE'
    // A cluster that the environment names is meant, and no other engine takes its place.
    if (wanted === 'cassandra' || !isMissing || process.env['CASSANDRA_CONTACT_POINTS']) throw error
    return onPglite()
  }
}

/**
 * Everything stays within what Keyspaces has: with `keyspacesClientOptions` in place of this cluster's, the same code runs there.
 */
export function onCassandra(engine: Cassandra): BlogEngine {
  return {
    description: engine.description,
    dialect: keyspacesCql,
    async open(ddl) {
      const keyspace = await engine.keyspace({ ddl: [...ddl] })
      const client = await engine.client(keyspace, { encoding: { useBigIntAsLong: true } })
      return cassandra(client, { dialect: keyspacesCql })
    },
    stop: () => engine.stop(),
  }
}

/** PostgreSQL has no partitions: its tables have the same keys, and the same reads find the same rows. */
export async function onPglite(): Promise<BlogEngine> {
  const { client, description, stop } = await startPglite()
  return {
    description,
    dialect: postgresql,
    async open(ddl) {
      const driver = pglite(client)
      await driver.applyDdl(ddl)
      return driver
    },
    stop,
  }
}
