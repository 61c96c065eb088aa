import { compileDdl, type SqlDialect } from '@isotherm/core'
import * as google from '@isotherm/drizzle-adapter'
import * as postgres from '@isotherm/drizzle-adapter/postgresql'
import * as pg from 'drizzle-orm/pg-core'
import { sharedEmulator } from '../../support/spanner.js'

// A sharded log, and a table without shards in a named schema, whose columns are named by the casing.

const own = {
  events: google.spannerTable(
    'AccessLog',
    {
      shard: google.shardKey({ shards: 8, of: ['userId'] }),
      at: google.descTimestamp(),
      userId: google.int64({ mode: 'number' }).primaryKey(),
      page: google.string({ length: 100 }),
      day: google.date({ mode: 'date' }),
      price: google.numeric({ mode: 'number' }),
      data: google.json(),
    },
    (t) => [google.index('EventsByPage').on(t.page)],
  ),
  users: google.spannerSchema('crm').table('User', {
    userId: google.uuidV4(),
    fullName: google.string().notNull(),
  }),
}

export const pgTables = {
  events: pg.pgTable(
    'AccessLog',
    {
      shard: postgres.shardKey({ shards: 8, of: ['userId'] }),
      at: postgres.descTimestamp(),
      userId: pg.integer().primaryKey(),
      page: pg.varchar({ length: 100 }),
      day: pg.date({ mode: 'date' }),
      price: pg.numeric({ mode: 'number' }),
      data: pg.jsonb(),
    },
    (t) => [postgres.index('EventsByPage').on(t.page)],
  ),
  users: pg.pgSchema('crm').table('User', {
    userId: postgres.uuidV4(),
    fullName: pg.text().notNull(),
  }),
}

export const time = (minute: number): Date => new Date(Date.UTC(2026, 7, 1, 0, minute))

/** The same in both dialects, as the compiler knows it in one of them. */
export type AccessLog = typeof own & {
  readonly db: google.SpannerDatabase
  /** With the casing of its columns. */
  readonly cased: google.SpannerDatabase
  readonly alias: typeof google.alias
}

/** A database with forty rows, one a minute, of ten users. */
export async function accessLog(
  dialect: SqlDialect,
  config: Pick<google.SpannerConfig, 'telemetry'> = {},
): Promise<AccessLog> {
  const isOwn = dialect.name === 'googlesql'
  const { events, users } = (isOwn ? own : pgTables) as typeof own
  const { drizzle } = (isOwn ? google : postgres) as typeof google
  const emulator = await sharedEmulator()
  const database = (schema: ReturnType<typeof google.toSchema>) =>
    emulator.database({ dialect, ddl: compileDdl(schema, { dialect }) })
  const db = drizzle(await database(google.toSchema([events])), config)
  const casing = 'snake_case'
  const cased = drizzle(await database(google.toSchema([events, users], { casing })), { casing })
  await db.insert(events).values(
    Array.from({ length: 40 }, (_, at) => ({
      at: time(at),
      userId: at % 10,
      page: at % 2 === 0 ? `/docs/${at}` : null,
      day: time(at),
      price: at / 4,
      data: { at },
    })),
  )
  return { db, cased, events, users, alias: (isOwn ? google.alias : pg.alias) as typeof google.alias }
}
