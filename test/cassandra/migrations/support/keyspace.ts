import type { Driver } from '@isotherm/core'
import { cassandra, cql } from '@isotherm/cassandra'
import type { Client } from 'cassandra-driver'
import { sharedCassandra } from '../../../support/cassandra.js'

/** What Keyspaces alone takes: its statements are Cassandra's but for that. */
const PROPERTIES = /CUSTOM_PROPERTIES = \{[^}]*\{[^}]*\}\}\s*(?:AND\s+)?/

export function withoutProperties(statement: string): string {
  return statement.replace(PROPERTIES, '').replace(/\s+(?:WITH|AND)\s*$/, '')
}

export interface EmptyKeyspace {
  readonly keyspace: string
  readonly client: Client
  readonly driver: Driver
  /** Rows of a statement, plain. */
  rows(text: string): Promise<Record<string, unknown>[]>
}

/** A keyspace with nothing in it, and a driver of it. */
export async function emptyKeyspace({
  dialect = cql,
  ddl = [] as readonly string[],
} = {}): Promise<EmptyKeyspace> {
  const engine = await sharedCassandra()
  const keyspace = await engine.keyspace({ ddl: ddl.map(withoutProperties) })
  const client = await engine.client(keyspace, { encoding: { useBigIntAsLong: true, map: Map } })
  return {
    keyspace,
    client,
    driver: cassandra(client, { dialect }),
    async rows(text) {
      const { rows } = await client.execute(text)
      return rows.map((row) => ({ ...row }))
    },
  }
}
