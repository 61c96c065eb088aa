import { cassandra, cql } from '@isotherm/cassandra'
import { startCassandra, type Cassandra } from '@isotherm/cassandra/local'
import { IsothermError, type Dialect, type Driver, type SqlDialect } from '@isotherm/core'
import { pglite, postgresql } from '@isotherm/postgresql'
import { startPglite } from '@isotherm/postgresql/local'
import { googlesql, spanner } from '@isotherm/spanner'
import { startSpannerEmulator, type SpannerEmulator } from '@isotherm/spanner/local'

export const ENGINES = ['spanner', 'cassandra', 'pglite'] as const

/** What the demo runs on. */
export interface DemoEngine {
  readonly description: string
  readonly dialect: Dialect
  /** Why it was chosen, and what it does not show. */
  readonly notes: readonly string[]
  /** Makes an empty database with these tables. */
  open(ddl: readonly string[]): Promise<Driver>
  stop(): Promise<void>
}

/** What was asked for. */
export interface EngineWish {
  readonly engine?: (typeof ENGINES)[number] | undefined
  readonly dialect?: SqlDialect | undefined
}

/**
 * The engine that was asked for; else an emulator of Spanner that is there, as `SPANNER_EMULATOR_HOST` or as a binary; else PGlite,
 * which is always there.
 */
export async function startEngine(
  { engine, dialect = googlesql }: EngineWish,
  signal: AbortSignal,
  startEmulator = startSpannerEmulator,
): Promise<DemoEngine> {
  if (engine === 'pglite') return onPglite([])
  if (engine === 'cassandra') return onCassandra(await startCassandra({ signal }))
  try {
    // A container would be fetched first, which takes minutes: only for those who ask for it.
    const launchers = engine === 'spanner' ? undefined : (['environment', 'binary'] as const)
    return onSpanner(await startEmulator({ signal, ...(launchers && { launchers }) }), dialect)
  } catch (error) {
    const isMissing = error instanceof IsothermError && error.code === 'ENGINE_UNAVAILABLE'
    // An emulator that the environment names is meant, and no other engine takes its place.
    if (engine === 'spanner' || !isMissing || process.env['SPANNER_EMULATOR_HOST']) throw error
    return onPglite(['No Spanner emulator was found on this machine; --engine spanner tries Docker too.'])
  }
}

export function onSpanner(emulator: SpannerEmulator, dialect: SqlDialect): DemoEngine {
  return {
    description: emulator.description,
    dialect,
    notes: [],
    open: async (ddl) => spanner(await emulator.database({ dialect, ddl: [...ddl] })),
    stop: () => emulator.stop(),
  }
}

export function onCassandra(engine: Cassandra): DemoEngine {
  return {
    description: engine.description,
    dialect: cql,
    notes: [],
    async open(ddl) {
      const keyspace = await engine.keyspace({ ddl: [...ddl] })
      const client = await engine.client(keyspace, { encoding: { useBigIntAsLong: true } })
      return cassandra(client, { dialect: cql })
    },
    stop: () => engine.stop(),
  }
}

async function onPglite(notes: readonly string[]): Promise<DemoEngine> {
  const { client, description, stop } = await startPglite()
  return {
    description,
    dialect: postgresql,
    notes: [
      ...notes,
      'One PostgreSQL has no servers that could become a hotspot: it shows the keys, the DDL and the reads, not where rows are placed.',
    ],
    async open(ddl) {
      const driver = pglite(client)
      await driver.applyDdl(ddl)
      return driver
    },
    stop,
  }
}
