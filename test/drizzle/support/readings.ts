import { compileDdl, type SqlDialect } from '@isotherm/core'
import { spanner } from '@isotherm/spanner'
import * as google from '@isotherm/drizzle-adapter'
import * as postgres from '@isotherm/drizzle-adapter/postgresql'
import { desc, type Column, type Table } from 'drizzle-orm'
import * as pg from 'drizzle-orm/pg-core'
import { SHARDS } from '@isotherm/testing/data/readings'
import type { ReferenceRow } from '@isotherm/testing/data/reference'
import { sharedEmulator } from '../../support/spanner.js'

// The table of readings as users of Drizzle declare it, in either dialect.

const SUPPRESSION = {
  rule: 'monotonic-first-key',
  reason: 'One shard is a boundary case of the reader.',
}

const ownReadings = (shards: number) =>
  google.spannerTable(
    `Reading${shards}`,
    {
      shard: google.shardKey({ shards, of: ['sensor'] }),
      at: google.timestamp().notNull(),
      sensor: google.string({ length: 100 }),
      id: google.int64().notNull(),
      value: google.float64(),
      note: google.string(),
      ok: google.bool(),
      raw: google.bytes(),
      amount: google.numeric(),
      day: google.date(),
    },
    (t) => [
      google.primaryKey({ columns: [t.shard, desc(t.at), t.sensor, t.id] }),
      google.suppress(SUPPRESSION),
    ],
  )

const pgReadings = (shards: number) =>
  pg.pgTable(
    `Reading${shards}`,
    {
      shard: postgres.shardKey({ shards, of: ['sensor'] }),
      at: postgres.descTimestamp(),
      sensor: pg.varchar({ length: 100 }).notNull(),
      id: pg.bigint({ mode: 'bigint' }).notNull(),
      value: pg.doublePrecision(),
      note: pg.text(),
      ok: pg.boolean(),
      raw: postgres.bytea(),
      amount: pg.numeric(),
      day: pg.date(),
    },
    (t) => [pg.primaryKey({ columns: [t.shard, t.at, t.sensor, t.id] }), postgres.suppress(SUPPRESSION)],
  )

/** A select of rows, as both dialects have it. */
interface Select extends PromiseLike<ReferenceRow[]> {
  readonly _: { readonly selectedFields: unknown }
  where(condition: unknown): Select
  orderBy(...terms: unknown[]): Select
  limit(limit: number): Select
}

interface Readings {
  /** One table for each number of shards, in the order of `SHARDS`. */
  readonly tables: readonly (Table & Record<string, Column>)[]
  /** Replaces all rows by these rows. */
  refill(table: Table, rows: readonly ReferenceRow[]): Promise<void>
  /** @param scans false: the database as if its statements did not scan */
  select(table: Table, columns: Readonly<Record<string, Column>>, scans: boolean): Select
}

interface Writer {
  delete(table: Table): PromiseLike<unknown>
  insert(table: Table): { values(rows: readonly object[]): PromiseLike<unknown> }
  select(columns: object): { from(table: Table): Select }
}

export async function readings(dialect: SqlDialect): Promise<Readings> {
  const isOwn = dialect.name === 'googlesql'
  const tables = SHARDS.map((shards) => (isOwn ? ownReadings(shards) : pgReadings(shards)))
  const ddl = compileDdl(google.toSchema(tables), { dialect })
  const client = await (await sharedEmulator()).database({ dialect, ddl })
  const over = (client: unknown): Writer =>
    (isOwn ? google.drizzle(client as never) : postgres.drizzle(client as never)) as never
  const [db, service] = [over(client), over(spanner(client, { costs: { statementsScan: false } }))]
  return {
    tables: tables as never,
    async refill(table, rows) {
      await db.delete(table)
      if (rows.length > 0) await db.insert(table).values(rows)
    },
    select: (table, columns, scans) => (scans ? db : service).select(columns).from(table),
  }
}
