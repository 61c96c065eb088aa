import type { Database } from '@google-cloud/spanner'
import type { DrizzleConfig } from 'drizzle-orm'
import { SpannerDatabase } from './googlesql/db.js'
import { SpannerDialect } from './googlesql/dialect.js'
import type { NO_CLIENT, SpannerClient } from './session/client.js'
import {
  mockDatabase,
  openDatabase,
  type ConfigWithClient,
  type Entry,
  type Schema,
} from './session/open-database.js'

export type { SpannerClient }

const entry: Entry = {
  dialect: 'googlesql',
  databaseOf(session, { schema, casing, cache }) {
    const dialect = new SpannerDialect({ casing })
    return new SpannerDatabase<Schema>(dialect, session, { ...(schema && { schema }), cache })
  },
}

/** A database, and the client that it was made with. */
export type DrizzleDatabase<TSchema extends Schema, Client> = SpannerDatabase<TSchema> & {
  readonly $client: Client
}

/**
 * Drizzle on a GoogleSQL database of Cloud Spanner.
 *
 * @throws {IsothermError} `UNSUPPORTED` for a database of the PostgreSQL dialect.
 * @example
 * const db = drizzle(new Spanner().instance('main').database('shop'), { schema, logger: true })
 * await db.query.users.findMany({ with: { orders: true } })
 */
export function drizzle<
  TSchema extends Schema = Record<string, never>,
  Client extends SpannerClient = Database,
>(client: Client, config?: DrizzleConfig<TSchema>): DrizzleDatabase<TSchema, Client>
export function drizzle<
  TSchema extends Schema = Record<string, never>,
  Client extends SpannerClient = Database,
>(config: DrizzleConfig<TSchema> & { readonly client: Client }): DrizzleDatabase<TSchema, Client>
export function drizzle(first: SpannerClient | ConfigWithClient, second?: DrizzleConfig<Schema>): unknown {
  return openDatabase(entry, first, second)
}

/** A database without a client, to build statements with. */
drizzle.mock = function mock<TSchema extends Schema = Record<string, never>>(
  config?: DrizzleConfig<TSchema>,
): DrizzleDatabase<TSchema, typeof NO_CLIENT> {
  return mockDatabase(entry, config) as DrizzleDatabase<TSchema, typeof NO_CLIENT>
}
