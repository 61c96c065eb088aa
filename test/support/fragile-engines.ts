import { Instance } from '@google-cloud/spanner'
import { compileDdl, openDatabase, type Database, type Schema, type SqlDialect } from '@isotherm/core'
import type { CqlDialect } from '@isotherm/cassandra'
import { cassandra } from '@isotherm/cassandra'
import { spanner } from '@isotherm/spanner'
import { Client, policies, types } from 'cassandra-driver'
import { setTimeout as delay } from 'node:timers/promises'
import { asCassandraTakes, clientOptions, sharedCassandra } from './cassandra.js'
import { type TestEngine, engines } from './engines.js'
import { fragileDatabase } from './fragile.js'
import { isCql } from './languages.js'
import { type Asked, watchCalls } from './open-calls.js'
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
  /** Does this when the engine is next asked for that, before the request leaves: Cassandra for anything. */
  whenAsked(asked: Asked, act: () => void): void
  /** The same database, past the proxy. */
  direct(): Promise<Database>
  /**
   * Waits until nothing is open. An engine that takes no call back is let answer first.
   *
   * @returns how many calls are still open when the wait has lasted too long: 0 where all is well
   */
  settled(): Promise<number>
  close(): Promise<void>
}

export interface FragileEngine extends Pick<TestEngine, 'name' | 'dialect' | 'traits'> {
  /** The client makes a connection that is lost anew within the call, and not in its own time. */
  readonly reconnects: boolean
  fragile(schema: Schema): Promise<Fragile>
}

/** Milliseconds. A call that is not cancelled stays open for good: this bounds how long a failing test waits, whatever the load. */
const PATIENCE = 20_000

async function waitForNone(open: () => number): Promise<number> {
  const begun = performance.now()
  while (open() > 0 && performance.now() - begun < PATIENCE) await delay(2)
  return open()
}

const calls = watchCalls()

function onSpanner({ name, traits }: TestEngine, dialect: SqlDialect): FragileEngine {
  return {
    name,
    dialect,
    traits,
    reconnects: true,
    async fragile(schema) {
      const { host, client } = await sharedEmulator()
      const { proxy, db, fresh, lent, name: path, close } = await fragileDatabase(host, schema, dialect)
      const open = (): number => lent() + calls.open(proxy.host).length
      const whenAsked = (asked: Asked, act: () => void): void => calls.next(proxy.host, asked, act)
      const direct = async (): Promise<Database> => {
        const [, instance, database] = /^(.*)\/databases\/(.*)$/.exec(path)!
        return openDatabase({
          driver: spanner(new Instance(client, instance!).database(database!), { dialect }),
          schema,
        })
      }
      return { proxy, db, fresh, direct, open, whenAsked, settled: () => waitForNone(open), close }
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

function onCassandra({ name, traits }: TestEngine, dialect: CqlDialect): FragileEngine {
  return {
    name,
    dialect,
    traits,
    reconnects: false,
    async fragile(schema) {
      const engine = await sharedCassandra()
      const ddl = asCassandraTakes(compileDdl(schema, { dialect }))
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
      let coming: (() => void) | undefined
      const execute = client.execute.bind(client)
      client.execute = (...asked: Parameters<Client['execute']>) => {
        const act = coming
        coming = undefined
        act?.()
        return execute(...asked)
      }
      const of = (connected: Client): Database =>
        openDatabase({ driver: cassandra(connected, { dialect }), schema })
      const fresh = (): Database => of(client)
      const open = (): number => {
        const state = client.getState()
        return state.getConnectedHosts().reduce((sum, each) => sum + state.getInFlightQueries(each), 0)
      }
      return {
        proxy,
        db: fresh(),
        fresh,
        direct: async () => of(await engine.client(keyspace, clientOptions)),
        open,
        whenAsked: (_, act) => void (coming = act),
        settled() {
          proxy.heal()
          return waitForNone(open)
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
export const fragileEngines: readonly FragileEngine[] = engines.map((engine) =>
  isCql(engine.dialect) ? onCassandra(engine, engine.dialect) : onSpanner(engine, engine.dialect),
)
