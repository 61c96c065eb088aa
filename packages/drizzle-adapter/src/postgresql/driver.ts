import type { Database } from '@google-cloud/spanner'
import type { DrizzleConfig, TablesRelationalConfig } from 'drizzle-orm'
import { SpannerPgDatabase } from './db.js'
import { SpannerPgDialect } from './dialect.js'
import type { NO_CLIENT, SpannerClient } from '../session/client.js'
import {
  mockDatabase,
  openDatabase,
  type ConfigWithClient,
  type Entry,
  type Schema,
} from '../session/open-database.js'
import { SpannerPgSession } from './session.js'

export type { SpannerClient }

const entry: Entry = {
  dialect: 'spanner-postgresql',
  databaseOf(inner, { schema, casing, cache }) {
    const dialect = new SpannerPgDialect({ casing })
    const session = new SpannerPgSession<Schema, TablesRelationalConfig>(dialect, inner)
    return new SpannerPgDatabase<Schema, TablesRelationalConfig>(dialect, session, {
      ...(schema && { schema }),
      cache,
    })
  },
}

/** A database, and the client that it was made with. */
export type DrizzlePgDatabase<TSchema extends Schema, Client> = SpannerPgDatabase<TSchema> & {
  readonly $client: Client
}

/**
 * Drizzle on a PostgreSQL-dialect database of Cloud Spanner, with the tables and columns of `drizzle-orm/pg-core`.
 *
 * @throws {IsothermError} `UNSUPPORTED` for a GoogleSQL database.
 * @example
 * const db = drizzle(new Spanner().instance('main').database('shop'), { schema, logger: true })
 * await db.query.users.findMany({ with: { orders: true } })
 */
export function drizzle<
  TSchema extends Schema = Record<string, never>,
  Client extends SpannerClient = Database,
>(client: Client, config?: DrizzleConfig<TSchema>): DrizzlePgDatabase<TSchema, Client>
export function drizzle<
  TSchema extends Schema = Record<string, never>,
  Client extends SpannerClient = Database,
>(config: DrizzleConfig<TSchema> & { readonly client: Client }): DrizzlePgDatabase<TSchema, Client>
export function drizzle(first: SpannerClient | ConfigWithClient, second?: DrizzleConfig<Schema>): unknown {
  return openDatabase(entry, first, second)
}

/** A database without a client, to build statements with. */
drizzle.mock = function mock<TSchema extends Schema = Record<string, never>>(
  config?: DrizzleConfig<TSchema>,
): DrizzlePgDatabase<TSchema, typeof NO_CLIENT> {
  return mockDatabase(entry, config) as DrizzlePgDatabase<TSchema, typeof NO_CLIENT>
}
