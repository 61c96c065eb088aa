import type {
  BuildQueryResult,
  DBQueryConfig,
  KnownKeysOnly,
  TableRelationalConfig,
  TablesRelationalConfig,
} from 'drizzle-orm'
import type { PgPreparedQuery, PreparedQueryConfig } from 'drizzle-orm/pg-core'
import type { PgRelationalQuery, RelationalQueryBuilder } from 'drizzle-orm/pg-core/query-builders/query'
import type { CacheChoice } from '../../session/cache-choice.js'

/** Drizzle's relational query, with the additional methods of this adapter. */
export interface SpannerPgQuery<Result> extends PgRelationalQuery<Result> {
  /** Asks the database's cache for the result, or with `false` leaves it alone. */
  $withCache(choice?: CacheChoice): this
  /** @param name for other databases; Spanner keeps a statement by its text */
  prepare(name?: string): PgPreparedQuery<PreparedQueryConfig & { execute: Result }>
}

/** Reads rows of one table, and rows of others that belong to them: `db.query.users`. */
export interface SpannerPgQueryBuilder<
  TSchema extends TablesRelationalConfig,
  TFields extends TableRelationalConfig,
> extends RelationalQueryBuilder<TSchema, TFields> {
  findMany<TConfig extends DBQueryConfig<'many', true, TSchema, TFields>>(
    config?: KnownKeysOnly<TConfig, DBQueryConfig<'many', true, TSchema, TFields>>,
  ): SpannerPgQuery<BuildQueryResult<TSchema, TFields, TConfig>[]>
  findFirst<TSelection extends Omit<DBQueryConfig<'many', true, TSchema, TFields>, 'limit'>>(
    config?: KnownKeysOnly<TSelection, Omit<DBQueryConfig<'many', true, TSchema, TFields>, 'limit'>>,
  ): SpannerPgQuery<BuildQueryResult<TSchema, TFields, TSelection> | undefined>
}

/** The properties of `db.query`: every table of the schema, by its name in the schema. */
export type SpannerPgQueries<TSchema extends TablesRelationalConfig> = {
  [Name in keyof TSchema]: SpannerPgQueryBuilder<TSchema, TSchema[Name]>
}
