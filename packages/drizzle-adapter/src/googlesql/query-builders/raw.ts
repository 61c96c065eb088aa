import { entityKind, QueryPromise, type Query, type SQL } from 'drizzle-orm'
import { usedTables } from '../../drizzle-internals.js'
import type { PreparedQuery } from '../../session/prepared.js'
import type { Session } from '../../session/session.js'
import type { SpannerDialect } from '../dialect.js'

/** SQL of the user's own. */
export class RawQuery<Result> extends QueryPromise<Result> {
  static override readonly [entityKind]: string = 'SpannerRaw'
  readonly #sql: SQL
  readonly #dialect: SpannerDialect
  readonly #session: Session

  constructor(sql: SQL, dialect: SpannerDialect, session: Session) {
    super()
    this.#sql = sql
    this.#dialect = dialect
    this.#session = session
  }

  getSQL(): SQL {
    return this.#sql
  }

  toSQL(): Query {
    const { sql, params } = this.#dialect.toQuery(this.#sql)
    return { sql, params: [...params] }
  }

  getQuery(): Query {
    return this.toSQL()
  }

  execute(values?: Record<string, unknown>): Promise<Result> {
    return this._prepare().execute(values)
  }

  prepare(name?: string): PreparedQuery<Result> {
    return this._prepare(name)
  }

  _prepare(name?: string): PreparedQuery<Result> {
    const meta = { kind: 'raw', tables: usedTables(this.#sql) } as const
    return this.#session.prepare(this.#dialect.toQuery(this.#sql), meta, undefined, name)
  }
}
