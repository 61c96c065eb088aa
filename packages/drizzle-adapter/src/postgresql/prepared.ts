import type { Cells } from '@isotherm/core/adapter'
import { entityKind, is, type Column, type Query } from 'drizzle-orm'
import {
  PgPreparedQuery,
  type PgSession,
  type PreparedQueryConfig,
  type SelectedFieldsOrdered,
} from 'drizzle-orm/pg-core'
import { PgCountBuilder } from 'drizzle-orm/pg-core/query-builders/count'
import { PgRaw } from 'drizzle-orm/pg-core/query-builders/raw'
import { countSqlOf, type BuiltQuery } from '../drizzle-internals.js'
import { preparedIn, type PreparedQuery, type QueryMeta } from '../session/prepared.js'
import { PreparedReads } from '../session/prepared-reads.js'
import { rowMapper, type CellDecoder } from '../session/rows.js'
import type { Session } from '../session/session.js'
import { codecOf } from './columns/codec.js'
import type { SpannerPgDialect } from './dialect.js'

/** What a query is prepared with. */
export interface PgQuerySetup {
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

  async execute(values?: Record<string, unknown>): Promise<T['execute']> {
    return (await this.ready(values)).execute(values)
  }

  /** The statement of one execution. */
  async ready(values?: Record<string, unknown>): Promise<PreparedQuery<T['execute']>> {
    const { dialect, query, session } = this.#setup
    const own = dialect.ownValuesOf(query)
    // The values that it was made with are good for one execution.
    const isFresh = !own || (!own.isSketch && !this.#hasRun && values === undefined)
    this.#hasRun = true
    if (isFresh) return (this.#inner ??= this.#prepare(builtQuery(query)))
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

/** The dialect gives Drizzle the parameters' types as its `typings`. */
function builtQuery({ sql, params, ...others }: Query): BuiltQuery {
  const { typings } = others as { readonly typings?: BuiltQuery['types'] }
  return { sql, params, types: typings ?? [] }
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

  override _prepare(): never {
    return this.#prepared as never
  }
}

/** A query of a builder, or a prepared one without placeholders. */
export type PgBatchItem = PromiseLike<unknown> | PgPreparedQuery<PreparedQueryConfig>

/** What each item gives, in order. */
export type PgBatchResults<Items extends readonly PgBatchItem[]> = {
  -readonly [At in keyof Items]: Items[At] extends PromiseLike<infer Result>
    ? Result
    : Items[At] extends PgPreparedQuery<infer T>
      ? T['execute']
      : never
}

/** Where the items of a batch run. */
interface BatchPlace {
  readonly session: Session
  readonly dialect: SpannerPgDialect
}

/** An item of a batch as the session knows it. */
export async function batchItem(item: unknown, place: BatchPlace): Promise<PreparedQuery<unknown>> {
  if (is(item, PgCountBuilder)) return preparedCount(item, place)
  const candidate = item as { readonly _prepare?: () => unknown } | null | undefined
  const prepared = typeof candidate?._prepare === 'function' ? candidate._prepare() : candidate
  if (prepared instanceof SpannerPgPreparedQuery) return prepared.ready()
  return prepared instanceof PreparedReads ? prepared : preparedIn(prepared)
}

function preparedCount(
  count: PgCountBuilder<PgSession>,
  { session, dialect }: BatchPlace,
): PreparedQuery<unknown> {
  const meta = {
    kind: 'select',
    tables: [],
    cache: { enable: false },
    result: ([only]: readonly unknown[]) => only,
  } as const
  return session.prepare(dialect.toQuery(countSqlOf(count)), meta, ([only]) => Number(only))
}
