import {
  compileDdl,
  openDatabase,
  type CqlTarget,
  type Database,
  type Schema,
  type SqlDialect,
} from '@isotherm/core'
import { cassandra } from '@isotherm/core/cassandra'
import { Client, policies, types } from 'cassandra-driver'
import { setTimeout as delay } from 'node:timers/promises'
import { inject } from 'vitest'
import { asCassandraTakes, clientOptions, sharedCassandra } from './cassandra.js'
import { cassandraTraits, googleSqlTraits, postgreSqlTraits, type EngineTraits } from './engine-traits.js'
import { fragileDatabase } from './fragile.js'
import { watchCalls } from './open-calls.js'
import { startProxy, type Proxy } from './proxy.js'
import { sharedEmulator } from './spanner.js'

/** A database of any engine behind a proxy of its own. */
export interface Fragile {
  readonly proxy: Proxy
  readonly db: Database
  /** The same database to somebody who knows nothing of its failures so far. */
  fresh(): Database
  /** Calls that the engine has not answered, and what is lent for them. */
  open(): number
  /**
   * Waits until nothing is open, for so many milliseconds at most. An engine that takes no call back is let answer first.
   *
   * @returns what is open then, and how long that took
   */
  settled(within: number): Promise<{ readonly open: number; readonly milliseconds: number }>
  close(): Promise<void>
}

export interface FragileEngine {
  /** For titles. */
  readonly name: string
  readonly traits: EngineTraits
  /** What may keep a process up, and is gone when the client is closed: timers of Cassandra's client outlive it. */
  readonly ended: readonly string[]
  /** Which of these are none soon after: of the others the engine keeps some. */
  readonly gone: readonly string[]
  fragile(schema: Schema): Promise<Fragile>
}

async function waitFor(open: () => number, within: number) {
  const begun = performance.now()
  for (;;) {
    const milliseconds = performance.now() - begun
    if (open() === 0 || milliseconds > within) return { open: open(), milliseconds }
    await delay(2)
  }
}

const openCalls = watchCalls()

function onSpanner(dialect: SqlDialect, traits: EngineTraits): FragileEngine {
  return {
    name: dialect,
    traits,
    ended: ['Timeout', 'TCPSocketWrap', 'TCPServerWrap'],
    gone: ['TCPServerWrap'],
    async fragile(schema) {
      const { host } = await sharedEmulator()
      const { proxy, db, fresh, lent, close } = await fragileDatabase(host, schema, dialect)
      const open = (): number => lent() + openCalls(proxy.host).length
      return { proxy, db, fresh, open, settled: (within) => waitFor(open, within), close }
    },
  }
}

/** Milliseconds. A connection that is lost is looked for at once: the next schedule waits for it. */
const RECONNECTION = 20

interface ControlConnection {
  _refresh(hosts?: unknown): Promise<void>
}

/**
 * Has the client look for its cluster once at a time. Of two that do so in the background, one takes the connection away from
 * under the other, which rejects where nobody can catch it.
 */
function lookOnceAtATime(client: Client): void {
  const { controlConnection: control } = client as unknown as {
    readonly controlConnection: ControlConnection
  }
  const refresh = control._refresh.bind(control)
  let looking: Promise<void> | undefined
  control._refresh = (hosts) => {
    // It calls itself with what it has left to try.
    if (hosts !== undefined) return refresh(hosts)
    looking ??= refresh().finally(() => (looking = undefined))
    return looking
  }
}

function onCassandra(target: CqlTarget): FragileEngine {
  return {
    name: target === 'cassandra' ? 'Cassandra' : 'Cassandra as Keyspaces',
    traits: cassandraTraits,
    ended: ['TCPSocketWrap', 'TCPServerWrap'],
    gone: ['TCPSocketWrap', 'TCPServerWrap'],
    async fragile(schema) {
      const engine = await sharedCassandra()
      const ddl = asCassandraTakes(compileDdl(schema, { dialect: 'cql', target }))
      const keyspace = await engine.keyspace({ ddl })
      const proxy = await startProxy(engine.contactPoints[0]!)
      const [host, port] = proxy.host.split(':') as [string, string]
      const client = new Client({
        contactPoints: [host],
        protocolOptions: { port: Number(port) },
        localDataCenter: engine.localDataCenter,
        keyspace,
        ...clientOptions,
        pooling: { coreConnectionsPerHost: { [types.distance.local]: 1 } },
        policies: { reconnection: new policies.reconnection.ConstantReconnectionPolicy(RECONNECTION) },
      })
      await client.connect()
      lookOnceAtATime(client)
      const fresh = (): Database => openDatabase({ driver: cassandra(client, { target }), schema })
      const open = (): number => {
        const state = client.getState()
        return state.getConnectedHosts().reduce((sum, each) => sum + state.getInFlightQueries(each), 0)
      }
      return {
        proxy,
        db: fresh(),
        fresh,
        open,
        settled(within) {
          proxy.heal()
          return waitFor(open, within)
        },
        async close() {
          proxy.heal()
          await client.shutdown()
          await proxy.close()
        },
      }
    },
  }
}

/** Those of this project of vitest, as `engines`. */
export const fragileEngines: readonly FragileEngine[] = inject('cassandraContactPoints')
  ? (['cassandra', 'keyspaces'] as const).map(onCassandra)
  : [onSpanner('googlesql', googleSqlTraits), onSpanner('spanner-postgresql', postgreSqlTraits)]
