import { Instance } from '@google-cloud/spanner'
import { startSpannerEmulator, type SpannerEmulator } from '@isotherm/spanner/local'
import {
  compileDdl,
  openDatabase,
  type CostProfile,
  type Database,
  type Schema,
  type SqlDialect,
  type TransactionalDriver,
} from '@isotherm/core'
import { googlesql, spanner, spannerPostgresql } from '@isotherm/spanner'
import { inject } from 'vitest'
import { atEndOfFile } from './end-of-file.js'
import { isDeep } from './runs.js'

type SpannerDatabase = Awaited<ReturnType<SpannerEmulator['database']>>

export interface TestDatabase {
  readonly dialect: SqlDialect
  readonly db: Database<TransactionalDriver>
  readonly client: SpannerDatabase
  /** The same database through a driver with other costs. */
  withCosts(costs: Partial<CostProfile>): Database<TransactionalDriver>
  /** Deletes all rows of a table. */
  empty(table: string): Promise<void>
  /** The same database through a separate client, as in another process. */
  another(): Promise<{ readonly db: Database<TransactionalDriver>; close(): Promise<void> }>
}

let engine: Promise<SpannerEmulator> | undefined

/**
 * The emulator of this test file: a separate emulator if there is a binary, because an emulator keeps old data and becomes slow;
 * otherwise the emulator that all files share.
 */
export function sharedEmulator(): Promise<SpannerEmulator> {
  if (engine) return engine
  const started = startSpannerEmulator({ launchers: ['binary'] }).catch(() => {
    process.env['SPANNER_EMULATOR_HOST'] = inject('spannerHost')
    return startSpannerEmulator()
  })
  atEndOfFile(async () => {
    engine = undefined
    await (await started).stop()
  })
  engine = started
  return started
}

/** Every feature is tested on each of these dialects. */
export const dialects = [googlesql, spannerPostgresql] as const

/**
 * For files about something that does not depend on the dialect, such as the order of steps, and that are not what shows a
 * requirement in each dialect: both dialects in `pnpm test:deep`, GoogleSQL in `pnpm test`.
 */
export const sampledDialects: readonly SqlDialect[] = isDeep ? dialects : [googlesql]

/** A separate database for one test file, with the tables of the schema. */
export async function testDatabase(schema: Schema, dialect: SqlDialect = googlesql): Promise<TestDatabase> {
  const emulator = await sharedEmulator()
  const client = await emulator.database({ dialect, ddl: compileDdl(schema, { dialect }) })
  const quoted = (name: string): string => (dialect.name === 'googlesql' ? `\`${name}\`` : `"${name}"`)
  return {
    dialect,
    db: openDatabase({ driver: spanner(client), schema }),
    client,
    withCosts: (costs) => openDatabase({ driver: spanner(client, { costs }), schema }),
    async empty(table) {
      await client.runTransactionAsync(async (transaction) => {
        await transaction.runUpdate({ sql: `DELETE FROM ${quoted(table)} WHERE TRUE` })
        await transaction.commit()
      })
    },
    async another() {
      const instance = new Instance(
        emulator.client,
        `projects/${emulator.projectId}/instances/${emulator.instanceId}`,
      )
      const own = instance.database(client.formattedName_.split('/').at(-1)!)
      return {
        db: openDatabase({ driver: spanner(own, { dialect }), schema }),
        close: async () => void (await own.close()),
      }
    },
  }
}
