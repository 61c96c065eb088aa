import { googleSqlKind } from '../kind/table-kind.js'
import type { Database } from '@google-cloud/spanner'
import { SpannerDatabase } from './db.js'
import { SpannerDialect } from '../sql/dialect.js'
import {
  type ConfigWithClient,
  type Entry,
  type NO_CLIENT,
  type Schema,
  type SpannerClient,
  type SpannerConfig,
  mockDatabase,
  openDatabase,
} from '../../session/client.js'

export type { SpannerClient, SpannerConfig }

const entry: Entry = {
  kind: googleSqlKind,
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
 * @throws {IsothermError} `INVALID_CLIENT` for a database of the PostgreSQL dialect.
 * @example
 * const db = drizzle(new Spanner().instance('main').database('shop'), { schema, logger: true })
 * await db.query.users.findMany({ with: { orders: true } })
 */
export function drizzle<
  TSchema extends Schema = Record<string, never>,
  Client extends SpannerClient = Database,
>(client: Client, config?: SpannerConfig<TSchema>): DrizzleDatabase<TSchema, Client>
export function drizzle<
  TSchema extends Schema = Record<string, never>,
  Client extends SpannerClient = Database,
>(config: SpannerConfig<TSchema> & { readonly client: Client }): DrizzleDatabase<TSchema, Client>
export function drizzle(first: SpannerClient | ConfigWithClient, second?: SpannerConfig): unknown {
  return openDatabase(entry, first, second)
}

/** A database without a client, to build statements with. */
drizzle.mock = function mock<TSchema extends Schema = Record<string, never>>(
  config?: SpannerConfig<TSchema>,
): DrizzleDatabase<TSchema, typeof NO_CLIENT> {
  return mockDatabase(entry, config) as DrizzleDatabase<TSchema, typeof NO_CLIENT>
}
