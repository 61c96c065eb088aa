import type { Supplies } from '@isotherm/core/adapter'
import { QueryPromise, type Query, type SQL, type Subquery, type Table } from 'drizzle-orm'
import { columnsOf } from '../../drizzle-internals.js'
import type { PreparedQuery } from '../../session/prepared.js'
import { rowMapper, type SelectedField } from '../../session/rows.js'
import type { Session } from '../../session/session.js'
import type { SpannerDialect } from '../dialect.js'
import { refuseForeignSource } from '../sql/foreign-sources.js'
import { hintText, type StatementHints } from '../sql/hints.js'
import { nameInCache } from '../../session/name-in-cache.js'
import { flatten, type Fields } from '../../sql/fields.js'
import { PreparedPerExecution, type Execution } from './per-execution.js'

/** What a write is made with. */
export interface WriteSetup {
  readonly table: Table
  readonly dialect: SpannerDialect
  readonly session: Session
  readonly with: readonly Subquery[]
}

export type { Execution } from './per-execution.js'

/** What inserts, updates and deletes have in common; `write.types.ts` has what the compiler knows of them. */
export abstract class WriteQuery extends QueryPromise<unknown> {
  protected readonly setup: WriteSetup
  protected returned: readonly SelectedField[] | undefined
  protected hint: string | undefined
  protected abstract readonly kind: 'insert' | 'update' | 'delete'
  /** Whether each execution has values of its own, beside those of placeholders. */
  protected abstract readonly hasOwnValues: boolean

  constructor(setup: WriteSetup) {
    super()
    refuseForeignSource(setup.table)
    this.setup = setup
  }

  /** @param execution undefined where the statement is only looked at */
  protected abstract build(execution?: Execution): SQL

  /** What has to be waited for before there are values; undefined where nothing has. */
  protected supply(_values?: Readonly<Record<string, unknown>>): Promise<Supplies> | undefined {
    return undefined
  }

  returning(fields: Fields = columnsOf(this.setup.table)): this {
    this.returned = flatten(fields)
    return this
  }

  statementHint(hints: StatementHints): this {
    this.hint = hintText(hints)
    return this
  }

  getSQL(): SQL {
    return this.build()
  }

  toSQL(): Query {
    const { sql, params } = this.setup.dialect.toQuery(this.build())
    return { sql, params: [...params] }
  }

  $dynamic(): this {
    return this
  }

  async execute(values?: Record<string, unknown>): Promise<unknown> {
    const supplies = this.supply(values)
    return this.#prepared({ values, supplies: supplies && (await supplies) }).execute(values)
  }

  prepare(name?: string): PreparedQuery<unknown> {
    if (!this.hasOwnValues) return this.#prepared({}, name)
    return new PreparedPerExecution(
      (execution) => this.#prepared(execution, name),
      (values) => this.supply(values),
    )
  }

  _prepare(): PreparedQuery<unknown> {
    return this.#prepared({})
  }

  /** For `batch`, which prepares what it is given. */
  _supplied(): Promise<{ _prepare(): PreparedQuery<unknown> }> | undefined {
    return this.supply()?.then((supplies) => ({ _prepare: () => this.#prepared({ supplies }) }))
  }

  #prepared(execution: Execution | undefined, name?: string): PreparedQuery<unknown> {
    const { dialect, session, table } = this.setup
    const map = this.returned && rowMapper(this.returned, undefined)
    const meta = { kind: this.kind, tables: [nameInCache(table)] } as const
    return session.prepare(dialect.toQuery(this.build(execution)), meta, map, name)
  }
}
