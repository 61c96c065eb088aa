import type { Cells, ResultSet, Statement } from '@isotherm/core/adapter'
import type { PreparedQuery, QueryMeta } from './prepared.js'

/** Runs one of several reads that are all as of one moment. */
export type RunRead = (statement: Statement) => Promise<ResultSet>

type Values = Readonly<Record<string, unknown>> | undefined

/** Reads of which one may depend on what another has given, and that together are one result. */
export interface Reads {
  readonly meta: QueryMeta
  /** The first of them, as it is looked at. */
  query(): { readonly sql: string; readonly params: readonly unknown[] }
  /** All that decides what they give, as one statement, for a cache to tell it from others. */
  identity(values: Values): Statement
  read(run: RunRead, values: Values): Promise<ResultSet>
  map(cells: Cells): unknown
}

/** Where they run. */
export interface ReadsRunner {
  runReads(reads: Reads, values: Values): Promise<ResultSet>
}

/** Reads in a session. */
export class PreparedReads<Result> implements PreparedQuery<Result> {
  readonly reads: Reads
  readonly #runner: ReadsRunner

  constructor(runner: ReadsRunner, reads: Reads) {
    this.#runner = runner
    this.reads = reads
  }

  async execute(values?: Record<string, unknown>): Promise<Result> {
    return this.resultOf(await this.#runner.runReads(this.reads, values))
  }

  getQuery(): { readonly sql: string; readonly params: unknown[] } {
    const { sql, params } = this.reads.query()
    return { sql, params: [...params] }
  }

  resultOf({ rows }: ResultSet): Result {
    const { meta } = this.reads
    const mapped = rows.map((cells) => this.reads.map(cells))
    return (meta.result ? meta.result(mapped) : mapped) as Result
  }
}
