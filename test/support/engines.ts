import {
  compileDdl,
  openDatabase,
  type CostProfile,
  type CqlTarget,
  type Database,
  type DialectName,
  type Schema,
} from '@isotherm/core'
import { cassandra } from '@isotherm/core/cassandra'
import type { Client } from 'cassandra-driver'
import { inject } from 'vitest'
import { storedTable } from '../../packages/core/src/dialects/layout.js'
import { dialectNamed } from '../../packages/core/src/dialects/registry.js'
import { findTable } from '../../packages/core/src/model/schema.js'
import { asCassandraTakes, clientOptions, sharedCassandra } from './cassandra.js'
import { cassandraTraits, googleSqlTraits, postgreSqlTraits, type EngineTraits } from './engine-traits.js'
import { testDatabase } from './spanner.js'

// For suites that run on every engine: in one project of vitest on those of Spanner, in another on Cassandra.

/** A database of its own for one test file, with the schema's tables in it. */
export interface SharedDatabase {
  readonly db: Database
  /** The same database through a driver that claims other costs. */
  withCosts(costs: Partial<CostProfile>): Database
  /** Deletes all rows of a table. */
  empty(table: string): Promise<void>
  /** The same database through a client of its own: another process, for all that the two know of each other. */
  another(): Promise<OwnClient>
}

export interface OwnClient {
  readonly db: Database
  close(): Promise<void>
}

export interface TestEngine {
  /** For titles. */
  readonly name: string
  readonly dialect: DialectName
  readonly target?: CqlTarget
  readonly traits: EngineTraits
  database(schema: Schema): Promise<SharedDatabase>
}

/** Tables of tests are small, so that few partitions are no heat; and theirs on Spanner too, where reversed bits are of use. */
const SMALL = { severity: { 'low-cardinality-partition': 'off', 'useless-bit-reversal': 'off' } } as const

/** A keyspace of its own for one test file, and the vendor's client of it. */
export interface CassandraDatabase extends SharedDatabase {
  readonly client: Client
}

export async function cassandraDatabase(schema: Schema, target: CqlTarget): Promise<CassandraDatabase> {
  const engine = await sharedCassandra()
  const ddl = compileDdl(schema, { dialect: 'cql', target, ...SMALL })
  const keyspace = await engine.keyspace({ ddl: asCassandraTakes(ddl) })
  const client = await engine.client(keyspace, clientOptions)
  const openOn = (own: Client, costs?: Partial<CostProfile>): Database =>
    openDatabase({ driver: cassandra(own, { target, ...(costs && { costs }) }), schema, ...SMALL })
  return {
    db: openOn(client),
    client,
    withCosts: (costs) => openOn(client, costs),
    async another() {
      const own = await engine.client(keyspace, clientOptions)
      return { db: openOn(own), close: () => own.shutdown() }
    },
    // TRUNCATE takes a snapshot of the disk each time. A deletion of a whole partition leaves one tombstone.
    async empty(table) {
      const layout = dialectNamed('cql', target).layout(findTable(schema, table)!, schema)
      const key = layout.key.slice(0, layout.partition).map(({ column }) => `"${column.name}"`)
      const name = `"${storedTable(layout)}"`
      const { rows } = await client.execute(`SELECT DISTINCT ${key.join(', ')} FROM ${name}`)
      const remove = `DELETE FROM ${name} WHERE ${key.map((column) => `${column} = ?`).join(' AND ')}`
      await Promise.all(rows.map((row) => client.execute(remove, row.values(), { prepare: true })))
    },
  }
}

function onCassandra(target: CqlTarget): TestEngine {
  return {
    name: target === 'cassandra' ? 'Cassandra' : 'Cassandra as Keyspaces',
    dialect: 'cql',
    target,
    traits: cassandraTraits,
    database: (schema) => cassandraDatabase(schema, target),
  }
}

function onSpanner(name: string, dialect: 'googlesql' | 'spanner-postgresql'): TestEngine {
  return {
    name,
    dialect,
    traits: dialect === 'googlesql' ? googleSqlTraits : postgreSqlTraits,
    database: (schema) => testDatabase(schema, dialect),
  }
}

/** Those of this project of vitest: the two of Spanner, or Cassandra twice, once held to what Keyspaces has. */
export const engines: readonly TestEngine[] = inject('cassandraContactPoints')
  ? (['cassandra', 'keyspaces'] as const).map(onCassandra)
  : [onSpanner('googlesql', 'googlesql'), onSpanner('spanner-postgresql', 'spanner-postgresql')]
