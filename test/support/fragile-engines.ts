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
import { type CallKind, watchCalls } from './open-calls.js'
import { isDeep } from './runs.js'
import { startProxy, type Proxy } from './proxy.js'
import { sharedEmulator } from './spanner.js'

/** A database of any engine behind a separate proxy. */
export interface Fragile {
  readonly proxy: Proxy
  readonly db: Database
  /** The same database through a client that does not know its earlier failures. */
  fresh(): Database
  /** The number of calls that the engine has not answered, and of sessions that are borrowed for them. */
  open(): number
  /** Runs `act` at the next call of this kind, before the request is sent; on Cassandra at any call. */
  whenAsked(kind: CallKind, act: () => void): void
  /** The same database without the proxy. */
  direct(): Promise<Database>
  /**
   * Waits until no call is open. An engine that cannot cancel calls may answer first.
   *
   * @returns how many calls are still open after the longest wait: 0 if all have ended
   */
  settled(): Promise<number>
  close(): Promise<void>
}

export interface FragileEngine extends Pick<TestEngine, 'name' | 'dialect' | 'traits'> {
  /** The client opens a lost connection again within the call, and not in the background. */
  readonly reconnects: boolean
  fragile(schema: Schema): Promise<Fragile>
}

/** Milliseconds. A call that is not cancelled stays open forever: this is the longest wait of a failing test, under any load. */
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
      const whenAsked = (kind: CallKind, act: () => void): void => calls.next(proxy.host, kind, act)
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

/** Milliseconds. A lost connection is opened again at once, because the next schedule waits for it. */
const RECONNECTION = 20

interface ControlConnection {
  _refresh(hosts?: unknown): Promise<void>
}

/**
 * Lets the client reconnect to its cluster only once at a time. If two reconnects run in the background, one closes the connection
 * of the other, whose rejection cannot be caught.
 */
function lookOnceAtATime(client: Client): void {
  const { controlConnection: control } = client as unknown as {
    readonly controlConnection: ControlConnection
  }
  const refresh = control._refresh.bind(control)
  let looking: Promise<void> | undefined
  control._refresh = (hosts) => {
    // It calls itself with the remaining hosts.
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
      client.execute = (...args: Parameters<Client['execute']>) => {
        const act = coming
        coming = undefined
        act?.()
        return execute(...args)
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

/** The fragile engines of this project of vitest, like `engines`. */
export const fragileEngines: readonly FragileEngine[] = engines.map((engine) =>
  isCql(engine.dialect) ? onCassandra(engine, engine.dialect) : onSpanner(engine, engine.dialect),
)

/** For files about something that does not depend on the dialect: all in `pnpm test:deep`, the first of the project in `pnpm test`. */
export const sampledFragileEngines = isDeep ? fragileEngines : fragileEngines.slice(0, 1)
