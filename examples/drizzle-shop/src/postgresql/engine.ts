import type { Driver, SqlDialect } from '@isotherm/core'
import { drizzle as drizzleOnSpanner } from '@isotherm/drizzle-adapter/postgresql'
import { pglite, postgresql } from '@isotherm/postgresql'
import type { StartedPglite } from '@isotherm/postgresql/local'
import { spannerPostgresql } from '@isotherm/spanner'
import type { SpannerEmulator } from '@isotherm/spanner/local'
import { drizzle as drizzleOnPglite } from 'drizzle-orm/pglite'
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core'
import * as tables from './tables.js'

// No database gets the hot table.
const { hotVisits: _, ...shopTables } = tables
export const schema = shopTables

/** Drizzle's database: its own, or the one of the adapter. */
export type Shop = PgDatabase<PgQueryResultHKT, typeof schema>

/** Where the shop is: the same tables, and the same code. */
export interface ShopEngine {
  readonly dialect: SqlDialect
  /** Makes an empty database with these tables. */
  open(ddl: readonly string[]): Promise<{
    readonly db: Shop
    /** For `fanOut`: the adapter's own database has a driver. */
    readonly options: { readonly driver?: Driver }
  }>
}

export function onSpanner(emulator: SpannerEmulator): ShopEngine {
  return {
    dialect: spannerPostgresql,
    async open(ddl) {
      const database = await emulator.database({ dialect: spannerPostgresql, ddl: [...ddl] })
      return { db: drizzleOnSpanner(database, { schema }), options: {} }
    },
  }
}

/** With `drizzle-orm/node-postgres` and `pg(pool)` in place of these two, the shop is on a server. */
export function onPglite({ client }: StartedPglite): ShopEngine {
  const driver = pglite(client)
  return {
    dialect: postgresql,
    async open(ddl) {
      await driver.applyDdl(ddl)
      return { db: drizzleOnPglite(client, { schema }), options: { driver } }
    },
  }
}
