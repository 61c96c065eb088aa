import { IsothermError, type SqlDialect } from '@isotherm/core'
import type { Cells, Parameter, ResultSet, Statement } from '@isotherm/core/adapter'
import { DrizzleQueryError } from 'drizzle-orm'
import type { WithCacheConfig } from 'drizzle-orm/cache/core/types'
import type { BuiltQuery } from '../drizzle-internals.js'
import { compileParameters, type BindParameters } from './parameters.js'
import { rawRows } from './raw-rows.js'
import { statementKind, type StatementKind } from './statement-kind.js'

/** A statement that is run any number of times: its text, its parameters' plan and its rows' mapping are made once. */
export interface PreparedQuery<Result> {
  /** @param values of the placeholders, by name */
  execute(values?: Record<string, unknown>): Promise<Result>
  getQuery(): { readonly sql: string; readonly params: unknown[] }
}

/** What a write without `returning` gives. */
export interface WriteResult {
  /** How many rows it touched. */
  readonly rowCount: number
}

export interface QueryMeta {
  readonly kind: 'select' | 'insert' | 'update' | 'delete' | 'raw'
  /** Those that it reads or writes, by name, for the cache. */
  readonly tables: readonly string[]
  /** What `$withCache` was given. */
  readonly cache?: WithCacheConfig | undefined
  /** What becomes of the rows: the first of them, say. Default: all. */
  readonly result?: (rows: readonly unknown[]) => unknown
}

/** Where a prepared statement runs. */
export interface Runner {
  readonly dialect: SqlDialect
  run(prepared: Runnable, statement: Statement): Promise<ResultSet>
}

/** A prepared statement, for whoever runs it. */
export interface Runnable {
  readonly meta: QueryMeta
  readonly kind: StatementKind
  /** Whether it is DML that gives no rows back. */
  readonly isPlainWrite: boolean
  statement(values?: Readonly<Record<string, unknown>>): Statement
}

/** A prepared statement in a session. */
export class Prepared<Result> implements PreparedQuery<Result>, Runnable {
  readonly meta: QueryMeta
  readonly kind: StatementKind
  readonly #runner: Runner
  readonly #query: BuiltQuery
  readonly #map: ((cells: Cells) => unknown) | undefined
  #bind: BindParameters | undefined

  constructor(
    runner: Runner,
    query: BuiltQuery,
    meta: QueryMeta,
    map: ((cells: Cells) => unknown) | undefined,
  ) {
    this.#runner = runner
    this.#query = query
    this.meta = meta
    this.#map = map
    this.kind = meta.kind === 'raw' ? statementKind(query.sql) : meta.kind === 'select' ? 'query' : 'dml'
  }

  get isPlainWrite(): boolean {
    return this.kind === 'dml' && this.meta.kind !== 'raw' && !this.#map
  }

  async execute(values?: Record<string, unknown>): Promise<Result> {
    return this.resultOf(await this.#runner.run(this, this.statement(values)))
  }

  getQuery(): { readonly sql: string; readonly params: unknown[] } {
    return { sql: this.#query.sql, params: [...this.#query.params] }
  }

  statement(values?: Readonly<Record<string, unknown>>): Statement {
    // Not before: a statement may be built to be looked at only, in which case nothing is refused.
    this.#bind ??= compileParameters(this.#query, this.#runner.dialect)
    return { text: this.#query.sql, parameters: this.#bind(values) }
  }

  resultOf(result: ResultSet): Result {
    const { result: outcome } = this.meta
    const rows = this.#rowsOf(result)
    return (outcome && Array.isArray(rows) ? outcome(rows) : rows) as Result
  }

  #rowsOf(result: ResultSet): unknown {
    if (this.#map) return result.rows.map(this.#map)
    if (this.isPlainWrite) return { rowCount: result.rowCount ?? 0 } satisfies WriteResult
    return rawRows(result, this.#runner.dialect)
  }
}

/** What a logger, a cache and an error are told of a statement's parameters. */
export function valuesOf(parameters: readonly Parameter[]): unknown[] {
  return parameters.map(({ value }) => value)
}

/** An error of the database, in Drizzle's words; the error itself is its cause. */
export function queryError({ text, parameters }: Statement, error: unknown): DrizzleQueryError {
  if (error instanceof DrizzleQueryError) return error
  return new DrizzleQueryError(text, valuesOf(parameters), error as Error)
}

/** The prepared statement of a builder's query, or that is one itself. */
export function preparedIn(item: unknown): Prepared<unknown> {
  const candidate = item as { readonly _prepare?: () => unknown } | null | undefined
  const prepared = typeof candidate?._prepare === 'function' ? candidate._prepare() : candidate
  if (prepared instanceof Prepared) return prepared as Prepared<unknown>
  throw new IsothermError('INVALID_QUERY', 'This is no query of this database.', {
    fix: 'Pass queries as they are built, without await: db.batch([db.insert(…).values(…), db.select().from(…)]).',
  })
}
