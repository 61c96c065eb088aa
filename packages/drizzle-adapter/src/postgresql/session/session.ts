import { IsothermError } from '@isotherm/core'
import { type Query, type TablesRelationalConfig, entityKind } from 'drizzle-orm'
import type { WithCacheConfig } from 'drizzle-orm/cache/core/types'
import { PgSession, type PreparedQueryConfig, type SelectedFieldsOrdered } from 'drizzle-orm/pg-core'
import type { QueryMeta } from '../../session/prepared.js'
import type { Session } from '../../session/session.js'
import type { SpannerPgDialect } from '../sql/dialect.js'
import { SpannerPgPreparedQuery, type SpannerPgQueryResultHKT } from './prepared.js'

interface Written {
  readonly type: 'select' | 'update' | 'delete' | 'insert'
  readonly tables: string[]
}

/** The session with which Drizzle's builders for PostgreSQL run their statements. */
export class SpannerPgSession<
  FullSchema extends Record<string, unknown> = Record<string, never>,
  TSchema extends TablesRelationalConfig = Record<string, never>,
> extends PgSession<SpannerPgQueryResultHKT, FullSchema, TSchema> {
  static override readonly [entityKind]: string = 'SpannerPgSession'
  readonly inner: Session
  readonly #dialect: SpannerPgDialect

  constructor(dialect: SpannerPgDialect, inner: Session) {
    super(dialect)
    this.inner = inner
    this.#dialect = dialect
  }

  override prepareQuery<T extends PreparedQueryConfig = PreparedQueryConfig>(
    query: Query,
    fields?: SelectedFieldsOrdered,
    _name?: string,
    _isResponseInArrayMode?: boolean,
    _customResultMapper?: unknown,
    written?: Written,
    cache?: WithCacheConfig,
  ): SpannerPgPreparedQuery<T> {
    return new SpannerPgPreparedQuery<T>({
      session: this.inner,
      query,
      fields,
      meta: metaOf(query, written, cache),
      dialect: this.#dialect,
    })
  }

  /** @throws {IsothermError} `UNSUPPORTED_FEATURE` always: `db.transaction` makes its transactions itself. */
  override transaction(): never {
    throw new IsothermError('UNSUPPORTED_FEATURE', 'A session does not start transactions.', {
      fix: 'Use db.transaction(async (tx) => …).',
    })
  }
}

function metaOf(query: Query, written: Written | undefined, cache: WithCacheConfig | undefined): QueryMeta {
  if (!written) return { kind: 'raw', tables: [] }
  const { type, tables } = written
  // Drizzle calls an update an insert.
  const kind = type === 'insert' && query.sql.startsWith('update') ? 'update' : type
  return { kind, tables, cache }
}
