import { entityKind, type SQL } from 'drizzle-orm'
import { PgInsertBuilder, QueryBuilder, type PgTable } from 'drizzle-orm/pg-core'
import type { PgInsertBase } from 'drizzle-orm/pg-core'
import type { PgInsertSelectQueryBuilder } from 'drizzle-orm/pg-core/query-builders/insert'
import type { SpannerPgDialect } from './dialect.js'
import type { SpannerPgQueryResultHKT } from './result.js'

type Session = ConstructorParameters<typeof PgInsertBuilder>[1]
type With = ConstructorParameters<typeof PgInsertBuilder>[3]

/** What a callback of `select` gives. */
type Made<T extends PgTable> = SQL | PgInsertSelectQueryBuilder<T>

/** Drizzle's, whose callbacks build with the dialect at hand: without it they would build for PostgreSQL itself. */
export class SpannerPgInsertBuilder<T extends PgTable> extends PgInsertBuilder<T, SpannerPgQueryResultHKT> {
  static override readonly [entityKind]: string = 'SpannerPgInsertBuilder'
  readonly #dialect: SpannerPgDialect

  constructor(table: T, session: Session, dialect: SpannerPgDialect, subqueries?: With) {
    super(table, session, dialect, subqueries)
    this.#dialect = dialect
  }

  override select(
    source: Made<T> | ((builder: QueryBuilder) => Made<T>),
  ): PgInsertBase<T, SpannerPgQueryResultHKT> {
    const made = typeof source === 'function' ? source(new QueryBuilder(this.#dialect)) : source
    return super.select(made as SQL)
  }
}
