import { Instance } from '@google-cloud/spanner'
import { type CqlDialect, cassandra, cql, keyspacesCql } from '@isotherm/cassandra'
import type { Schema, SqlDialect } from '@isotherm/core'
import { spanner } from '@isotherm/spanner'
import type { SpannerEmulator } from '@isotherm/spanner/local'
import {
  type Capabilities,
  type EngineUnderTest,
  type SuiteEngine,
  type TestDatabase,
  suiteEngine,
} from '@isotherm/testing'
import type { Client } from 'cassandra-driver'
import { inject } from 'vitest'
import { asCassandraTakes, byNodeClock, clientOptions, sharedCassandra } from './cassandra.js'
import type { AnyDialect } from './languages.js'
import { dialects, sharedEmulator } from './spanner.js'

// The engines of the conformance suite, and of tests for all engines: those of Spanner in one project of vitest, Cassandra in
// another.

export interface TestEngine extends SuiteEngine<object> {
  readonly dialect: AnyDialect
}

type SpannerDatabase = Awaited<ReturnType<SpannerEmulator['database']>>

const SPANNER: Capabilities = {
  has: [
    'transactions',
    'snapshots',
    'pastReads',
    'wideCommits',
    'commitLimits',
    'commitTimestamps',
    'interleaving',
    'sequences',
    'ownSequences',
    'introspection',
    'computedKeys',
    'orderedTables',
    'indexes',
    'unboundedReads',
    'nullKeys',
    'nanKeys',
    'descendingKeys',
    'narrowKeys',
    'nulCharacters',
    'nullItems',
    'emptyLists',
    'signedZero',
    'everyExtreme',
  ],
  strategies: ['read-ranges', 'probe-window', 'merge-shards', 'push-down', 'bounded-range', 'back-join'],
  readStrategies: ['read-ranges', 'merge-shards', 'push-down'],
  sortStrategies: ['read-ranges', 'merge-shards', 'push-down'],
  includeStrategies: ['read', 'statement'],
  largeCell: 3_000_000,
}

/** Keys in the PostgreSQL dialect support fewer values. */
const LESS_IN_KEYS: readonly string[] = [
  'nullKeys',
  'nanKeys',
  'descendingKeys',
  'narrowKeys',
  'everyExtreme',
]

export const spannerCapabilities = (dialect: SqlDialect): Capabilities =>
  dialect.name === 'googlesql'
    ? SPANNER
    : { ...SPANNER, has: SPANNER.has.filter((each) => !LESS_IN_KEYS.includes(each)) }

export const cassandraCapabilities: Capabilities = {
  has: [
    'commitLimits',
    'uncheckedWrites',
    'snapshots',
    'interleaving',
    'sequences',
    'introspection',
    'nativeUuids',
    'timeUuids',
    'nanKeys',
    'signedZero',
    'signedZeroKeys',
    'descendingKeys',
    'narrowKeys',
    'longKeys',
    'nulCharacters',
    'everyExtreme',
  ],
  strategies: ['merge-shards', 'bucket-scan', 'client-sort'],
  readStrategies: ['merge-shards', 'client-sort'],
  sortStrategies: ['client-sort'],
  timestampDigits: 3,
  uuidOrder: 'version-first',
}

function onSpanner(dialect: SqlDialect): EngineUnderTest<SpannerDatabase> {
  const quoted = (name: string): string => (dialect.name === 'googlesql' ? `\`${name}\`` : `"${name}"`)
  return {
    dialect,
    capabilities: spannerCapabilities(dialect),
    // The emulator of the file that runs, which ends with it.
    async start() {
      return {
        createDatabase: async (ddl) => (await sharedEmulator()).database({ dialect, ddl: [...ddl] }),
        async connect(database) {
          const emulator = await sharedEmulator()
          const path = `projects/${emulator.projectId}/instances/${emulator.instanceId}`
          return new Instance(emulator.client, path).database(database.formattedName_.split('/').at(-1)!)
        },
        disconnect: async (database) => void (await database.close()),
        async empty(database, _, table) {
          await database.runTransactionAsync(async (transaction) => {
            await transaction.runUpdate({ sql: `DELETE FROM ${quoted(table)} WHERE TRUE` })
            await transaction.commit()
          })
        },
        stop: () => Promise.resolve(),
      }
    },
    driver: (database, options) => spanner(database, { ...options, dialect }),
  }
}

function onCassandra(dialect: CqlDialect): EngineUnderTest<Client> {
  return {
    name: dialect === cql ? 'Cassandra' : 'Cassandra as Keyspaces',
    dialect,
    capabilities: cassandraCapabilities,
    async start() {
      return {
        async createDatabase(ddl) {
          const engine = await sharedCassandra()
          return engine.client(await engine.keyspace({ ddl: asCassandraTakes(ddl) }), clientOptions)
        },
        connect: async (client) => (await sharedCassandra()).client(client.keyspace, clientOptions),
        disconnect: (client) => client.shutdown(),
        // TRUNCATE takes a snapshot of the disk each time. A deletion of a whole partition leaves one tombstone.
        async empty(client, schema, table) {
          const layout = dialect.layout(
            schema.tables.find(({ name }) => name === table)!,
            schema,
          )
          const key = layout.key.slice(0, layout.partition).map(({ column }) => `"${column.name}"`)
          const name = `"${layout.stored?.table ?? table}"`
          const { rows } = await client.execute(`SELECT DISTINCT ${key.join(', ')} FROM ${name}`)
          const remove = `DELETE FROM ${name} WHERE ${key.map((column) => `${column} = ?`).join(' AND ')}`
          const options = { prepare: true, ...byNodeClock }
          await Promise.all(rows.map((row) => client.execute(remove, row.values(), options)))
        },
        stop: () => Promise.resolve(),
      }
    },
    driver: (client, options) => cassandra(client, { dialect, ...options }),
  }
}

const isCassandra = inject('cassandraContactPoints') !== undefined
// The statements for Keyspaces are a subset of those for Cassandra, on the same node: the deep suite runs all tests again for them.
const cqlDialects = process.env['ISOTHERM_DEEP'] === undefined ? [cql] : [cql, keyspacesCql]
const onCassandras = isCassandra ? cqlDialects.map(onCassandra) : []
const onSpanners = isCassandra ? [] : dialects.map(onSpanner)
const cassandras = new Map([cql, keyspacesCql].map((dialect) => [dialect, suiteEngine(onCassandra(dialect))]))

/** A separate keyspace with the tables of a schema, and the vendor's client for this keyspace. */
export function cassandraDatabase(schema: Schema, dialect: CqlDialect): Promise<TestDatabase<Client>> {
  return cassandras.get(dialect)!.database(schema)
}

/** Calls a function with each engine of this project of vitest: both of Spanner, or Cassandra, in the deep suite also with the features of Keyspaces. */
export function forEachEngine(test: <Handle>(engine: EngineUnderTest<Handle>) => unknown): void {
  for (const engine of onSpanners) test(engine)
  for (const engine of onCassandras) test(engine)
}

/** The same, for tests that are not part of the conformance suite. */
export const engines: readonly TestEngine[] = [
  ...onSpanners.map((engine, at) => ({ ...suiteEngine(engine), dialect: dialects[at]! })),
  ...onCassandras.map((engine, at) => ({ ...suiteEngine(engine), dialect: cqlDialects[at]! })),
]
