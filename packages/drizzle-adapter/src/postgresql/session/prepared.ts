import type { Cells } from '@isotherm/core/adapter'
import { type Column, type Query, entityKind, is } from 'drizzle-orm'
import {
  PgPreparedQuery,
  type PgQueryResultHKT,
  type PgSession,
  type PreparedQueryConfig,
  type SelectedFieldsOrdered,
} from 'drizzle-orm/pg-core'
import { PgCountBuilder } from 'drizzle-orm/pg-core/query-builders/count'
import { PgRaw } from 'drizzle-orm/pg-core/query-builders/raw'
import { type BuiltQuery, countSqlOf } from '../../drizzle-internals.js'
import {
  type PreparedQuery,
  PreparedReads,
  type QueryMeta,
  type RawResult,
  type WriteResult,
  calledBy,
  preparedIn,
} from '../../session/prepared.js'
import { type CellDecoder, rowMapper } from '../../session/rows.js'
import { Session } from '../../session/session.js'
import { codecOf } from '../columns/codec.js'
import type { SpannerPgDialect } from '../sql/dialect.js'

/** The setup of a prepared query. */
interface PgQuerySetup {
  readonly session: Session
  readonly query: Query
  readonly meta: QueryMeta
  readonly fields: SelectedFieldsOrdered | undefined
  readonly dialect: SpannerPgDialect
}

/** Drizzle's prepared query, run by Isotherm's session. */
export class SpannerPgPreparedQuery<T extends PreparedQueryConfig> extends PgPreparedQuery<T> {
  static override readonly [entityKind]: string = 'SpannerPgPreparedQuery'
  /** Drizzle's builders set it once the query is made. */
  declare readonly joinsNotNullableMap: Record<string, boolean> | undefined
  readonly #setup: PgQuerySetup
  #map: ((cells: Cells) => unknown) | undefined
  #inner: PreparedQuery<T['execute']> | undefined
  #hasRun = false

  constructor(setup: PgQuerySetup) {
    super(setup.query, undefined, undefined)
    this.#setup = setup
  }

  /** The session that it was built with; only this session may run it. */
  get session(): Session {
    return this.#setup.session
  }

  execute(values?: Record<string, unknown>): Promise<T['execute']> {
    const { session, meta } = this.#setup
    return session.call(calledBy(meta), async () => (await this.ready(values)).execute(values))
  }

  /** The statement of one execution. */
  async ready(values?: Record<string, unknown>): Promise<PreparedQuery<T['execute']>> {
    const { dialect, query, session } = this.#setup
    const own = dialect.ownValuesOf(query)
    // The values that it was made with are good for one execution.
    const isFresh = !own || (!own.isSketch && !this.#hasRun && values === undefined)
    this.#hasRun = true
    if (isFresh) return (this.#inner ??= this.#prepare(dialect.builtOf(query)))
    const supplies = await own.supply?.(values, session.transactionScope)
    return this.#prepare(dialect.toQuery(own.build({ values, supplies })))
  }

  /** What `session.all` of Drizzle's calls. */
  all(values?: Record<string, unknown>): Promise<T['execute']> {
    return this.execute(values)
  }

  #prepare(query: BuiltQuery): PreparedQuery<T['execute']> {
    const { session, meta, fields } = this.#setup
    if (fields) this.#map ??= rowMapper(fields, this.joinsNotNullableMap, columnDecoder)
    return session.prepare(query, meta, this.#map)
  }
}

/** A column's own decoder; it never sees NULL. */
export function columnDecoder(column: Column): CellDecoder {
  return codecOf(column)
}

/** SQL of the user's own. */
export class SpannerPgRaw<Result> extends PgRaw<Result> {
  static override readonly [entityKind]: string = 'SpannerPgRaw'
  readonly #prepared: SpannerPgPreparedQuery<PreparedQueryConfig & { execute: Result }>

  constructor(
    prepared: SpannerPgPreparedQuery<PreparedQueryConfig & { execute: Result }>,
    sql: ConstructorParameters<typeof PgRaw>[1],
  ) {
    super(
      () => prepared.execute(),
      sql,
      prepared.getQuery(),
      (result) => result,
    )
    this.#prepared = prepared
  }

  override _prepare(): SpannerPgPreparedQuery<PreparedQueryConfig & { execute: Result }> {
    return this.#prepared
  }
}

/** A query of a builder, or a prepared one without placeholders. */
export type PgBatchItem = PromiseLike<unknown> | PgPreparedQuery<PreparedQueryConfig>

/** The results of the items, in order. */
export type PgBatchResults<Items extends readonly PgBatchItem[]> = {
  -readonly [At in keyof Items]: Items[At] extends PromiseLike<infer Result>
    ? Result
    : Items[At] extends PgPreparedQuery<infer T>
      ? T['execute']
      : never
}

/** The session and database of a batch. */
interface BatchTarget {
  readonly session: Session
  readonly dialect: SpannerPgDialect
  /** The item, for messages: `Statement 1 of the batch`. */
  readonly where: string
}

/** An item of a batch as the session knows it. */
export async function batchItem(item: unknown, target: BatchTarget): Promise<PreparedQuery<unknown>> {
  const { session, where } = target
  if (is(item, PgCountBuilder)) return preparedCount(item, target)
  const candidate = item as { readonly _prepare?: () => unknown } | null | undefined
  const prepared = typeof candidate?._prepare === 'function' ? candidate._prepare() : candidate
  if (prepared instanceof SpannerPgPreparedQuery) {
    // Before a counter is asked for numbers.
    session.refuseForeign(prepared.session, where)
    return prepared.ready()
  }
  return prepared instanceof PreparedReads ? prepared : preparedIn(prepared, where)
}

function preparedCount(
  count: PgCountBuilder<PgSession>,
  { dialect, where }: BatchTarget,
): PreparedQuery<unknown> {
  const own = count.params.session
  const session = 'inner' in own ? own.inner : undefined
  // The count belongs to a database of another Drizzle driver, for example PostgreSQL's own.
  if (!(session instanceof Session)) return preparedIn(undefined, where)
  const meta = {
    kind: 'select',
    tables: [],
    cache: { enable: false },
    result: ([only]: readonly unknown[]) => only,
  } as const
  return session.prepare(dialect.toQuery(countSqlOf(count)), meta, ([only]) => Number(only))
}

/**
 * The result of `db.execute`: rows by column name. The result of a write without `returning`: the number of affected rows.
 */
export interface SpannerPgQueryResultHKT extends PgQueryResultHKT {
  readonly type: [this['row']] extends [never] ? WriteResult : RawResult<this['row']>
}
