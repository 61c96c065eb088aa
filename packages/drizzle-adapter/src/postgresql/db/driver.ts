import { postgreSqlKind } from '../tables/table-kind.js'
import type { Database } from '@google-cloud/spanner'
import type { TablesRelationalConfig } from 'drizzle-orm'
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
import { SpannerPgDatabase } from './db.js'
import { SpannerPgDialect } from '../sql/dialect.js'
import { SpannerPgSession } from '../session/session.js'

export type { SpannerClient, SpannerConfig }

const entry: Entry = {
  kind: postgreSqlKind,
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
 * @throws {IsothermError} `INVALID_CLIENT` for a GoogleSQL database.
 * @example
 * const db = drizzle(new Spanner().instance('main').database('shop'), { schema, logger: true })
 * await db.query.users.findMany({ with: { orders: true } })
 */
export function drizzle<
  TSchema extends Schema = Record<string, never>,
  Client extends SpannerClient = Database,
>(client: Client, config?: SpannerConfig<TSchema>): DrizzlePgDatabase<TSchema, Client>
export function drizzle<
  TSchema extends Schema = Record<string, never>,
  Client extends SpannerClient = Database,
>(config: SpannerConfig<TSchema> & { readonly client: Client }): DrizzlePgDatabase<TSchema, Client>
export function drizzle(first: SpannerClient | ConfigWithClient, second?: SpannerConfig): unknown {
  return openDatabase(entry, first, second)
}

/** A database without a client, to build statements with. */
drizzle.mock = function mock<TSchema extends Schema = Record<string, never>>(
  config?: SpannerConfig<TSchema>,
): DrizzlePgDatabase<TSchema, typeof NO_CLIENT> {
  return mockDatabase(entry, config) as DrizzlePgDatabase<TSchema, typeof NO_CLIENT>
}
