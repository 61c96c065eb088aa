import { entityKind, SQL, StringChunk, type QueryPromise, type SQLChunk } from 'drizzle-orm'
import type { PreparedQuery } from '../../session/prepared.js'
import type { Session } from '../../session/session.js'
import type { SpannerDialect } from '../dialect.js'
import { refuseForeignSource } from '../sql/foreign-sources.js'
import { pushSource } from '../sql/pieces.js'
import { type Source } from '../../sql/fields.js'
import { tablesIn } from '../sql/selection.js'
import { becomesPromise } from './becomes-promise.js'

/** How many rows there are: as a field of a select, or awaited. */
export type SpannerCount = SQL<number> & QueryPromise<number> & { _prepare(): PreparedQuery<number> }

/** The number of rows: awaited by itself, or as a field of a select. */
export class CountQuery extends SQL<number> {
  static override readonly [entityKind]: string = 'SpannerCount'
  readonly [Symbol.toStringTag]: string = 'SpannerCount'
  readonly #source: Source
  readonly #count: SQL
  readonly #dialect: SpannerDialect
  readonly #session: Session

  constructor(source: Source, filters: SQL | undefined, dialect: SpannerDialect, session: Session) {
    refuseForeignSource(source)
    const chunks: SQLChunk[] = [new StringChunk('select count(*) from ')]
    pushSource(chunks, source, undefined)
    if (filters) chunks.push(new StringChunk(' where '), filters)
    const count = new SQL(chunks)
    super([[count]])
    this.#source = source
    this.#count = count
    this.#dialect = dialect
    this.#session = session
    this.mapWith(Number)
  }

  execute(values?: Record<string, unknown>): Promise<number> {
    return this._prepare().execute(values)
  }

  /** For `batch`. */
  _prepare(): PreparedQuery<number> {
    const meta = {
      kind: 'select',
      tables: tablesIn(this.#source),
      result: ([count]: readonly unknown[]) => count,
    } as const
    return this.#session.prepare(this.#dialect.toQuery(this.#count), meta, ([count]) => Number(count))
  }
}

becomesPromise(CountQuery)
