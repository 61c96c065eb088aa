import { compileDdl, type CqlTarget, type Driver, type Schema } from '@isotherm/core'
import { cassandra } from '@isotherm/core/cassandra'
import type { Client } from 'cassandra-driver'
import { dialectNamed } from '../../../packages/core/src/dialects/registry.js'
import type { TableLayout } from '../../../packages/core/src/dialects/layout.js'
import { asCassandraTakes, clientOptions, sharedCassandra } from '../../support/cassandra.js'

/** Both are tried on the one Cassandra: what Keyspaces is sent is a part of what Cassandra takes, and has to be enough. */
export const targets = ['cassandra', 'keyspaces'] as const satisfies CqlTarget[]

export { clientOptions } from '../../support/cassandra.js'

/** A schema's tables in a keyspace of their own, and a driver of it. */
export interface TestKeyspace {
  readonly target: CqlTarget
  readonly schema: Schema
  readonly client: Client
  readonly driver: Driver<undefined>
  layout(table: string): TableLayout
}

export async function testKeyspace(schema: Schema, target: CqlTarget): Promise<TestKeyspace> {
  const engine = await sharedCassandra()
  const ddl = asCassandraTakes(compileDdl(schema, { dialect: 'cql', target }))
  const client = await engine.client(await engine.keyspace({ ddl }), clientOptions)
  const dialect = dialectNamed('cql', target)
  const layouts = new Map(schema.tables.map((table) => [table.name, dialect.layout(table, schema)]))
  return {
    target,
    schema,
    client,
    driver: cassandra(client, { target }),
    layout(table) {
      const layout = layouts.get(table)
      if (!layout) throw new Error(`The schema has no ${table}.`)
      return layout
    },
  }
}
