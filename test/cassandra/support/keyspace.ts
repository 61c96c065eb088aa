import type { TableLayout } from '@isotherm/core/engine'
import { type Driver, type Schema, compileDdl } from '@isotherm/core'
import { type CqlDialect, cassandra, cql, keyspacesCql } from '@isotherm/cassandra'
import type { Client } from 'cassandra-driver'
import { isDeep } from '../../support/runs.js'
import { asCassandraTakes, clientOptions, sharedCassandra } from '../../support/cassandra.js'

/** Both run on Cassandra: the statements for Keyspaces are a subset of those that Cassandra accepts. */
export const dialects = [cql, keyspacesCql] as const

/** For files about what is the same in both: both dialects in `pnpm test:deep`, that of Cassandra in `pnpm test`. */
export const sampledDialects: readonly CqlDialect[] = isDeep ? dialects : [cql]

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
