import type { TableLayout } from '@isotherm/core/engine'
import { type Driver, type Schema, compileDdl } from '@isotherm/core'
import { type CqlDialect, cassandra, cql, keyspacesCql } from '@isotherm/cassandra'
import type { Client } from 'cassandra-driver'
import { asCassandraTakes, clientOptions, sharedCassandra } from '../../support/cassandra.js'

/** Both are tried on the one Cassandra: what Keyspaces is sent is a part of what Cassandra takes, and has to be enough. */
export const dialects = [cql, keyspacesCql] as const

export { clientOptions } from '../../support/cassandra.js'

/** A schema's tables in a keyspace of their own, and a driver of it. */
export interface TestKeyspace {
  readonly dialect: CqlDialect
  readonly schema: Schema
  readonly client: Client
  readonly driver: Driver<undefined>
  layout(table: string): TableLayout
}

export async function testKeyspace(schema: Schema, dialect: CqlDialect): Promise<TestKeyspace> {
  const engine = await sharedCassandra()
  const ddl = asCassandraTakes(compileDdl(schema, { dialect }))
  const client = await engine.client(await engine.keyspace({ ddl }), clientOptions)
  const layouts = new Map(schema.tables.map((table) => [table.name, dialect.layout(table, schema)]))
  return {
    dialect,
    schema,
    client,
    driver: cassandra(client, { dialect }),
    layout(table) {
      const layout = layouts.get(table)
      if (!layout) throw new Error(`The schema has no ${table}.`)
      return layout
    },
  }
}
