import { type Supplies, checkArgument } from '@isotherm/core/adapter'
import { type PreparedQuery, type QueryMeta, calledBy } from '../../session/prepared.js'
import type { Session } from '../../session/session.js'
import { type Query, QueryPromise, type SQL, type Subquery, type Table, entityKind } from 'drizzle-orm'
import { table as tableKind } from '../../arguments.js'
import { columnsOf } from '../../drizzle-internals.js'
import { type SelectedField, nameInCache, rowMapper } from '../../session/rows.js'
import type { SpannerDialect } from '../sql/dialect.js'
import { refuseForeignSource } from '../sql/select-sql.js'
import { type StatementHints, hintText } from '../sql/hints.js'
import { type Fields, checkFields, flatten } from '../../sql/fields.js'
import { IsothermError } from '@isotherm/core'
import { checkedSet } from '../../sql/checked-rows.js'

/** The values of one execution of a write. */
export interface Execution {
  /** The values of placeholders, if they are known. */
  readonly values?: Readonly<Record<string, unknown>> | undefined
  /** Numbers of the application's counters. */
  readonly supplies?: Supplies | undefined
}

/** The executions that a query builder makes. */
interface PerExecution<Result> {
  build(execution?: Execution): PreparedQuery<Result>
  /** Waits for what is needed before there are values; undefined if nothing is. */
  supply(values?: Readonly<Record<string, unknown>>): Promise<Supplies> | undefined
  readonly session: Session
  /** Runs one execution as one call. */
  call<T>(work: () => Promise<T>): Promise<T>
}

/**
 * A prepared write whose values are made anew for each execution: those of `$defaultFn`, of `$onUpdate` and of keys would be
 * the same every time otherwise.
 */
class PreparedPerExecution<Result> implements PreparedQuery<Result> {
  readonly #made: PerExecution<Result>

  constructor(made: PerExecution<Result>) {
    this.#made = made
  }

  execute(values?: Record<string, unknown>): Promise<Result> {
    return this.#made.call(async () => {
      const supplies = this.#made.supply(values)
      return this.#made.build({ values, supplies: supplies && (await supplies) }).execute(values)
    })
  }

  getQuery(): { readonly sql: string; readonly params: unknown[] } {
    return this.#made.build().getQuery()
  }

  /** For `batch`. */
  _prepare(): PreparedQuery<Result> {
    return this.#made.build({})
  }

  /** For `batch`. */
  _supplied(check: (runner: Session) => void): Promise<{ _prepare(): PreparedQuery<Result> }> | undefined {
    check(this.#made.session)
    return this.#made.supply()?.then((supplies) => ({ _prepare: () => this.#made.build({ supplies }) }))
  }
}

/** The setup of a write. */
export interface WriteSetup {
  readonly table: Table
  readonly dialect: SpannerDialect
  readonly session: Session
  readonly with: readonly Subquery[]
}

/** @param call as a user writes it: `db.insert` */
export function checkTarget(call: string, table: unknown): void {
  checkArgument(call, 'table', tableKind, table)
}

/** The common part of inserts, updates and deletes; `write.types.ts` has their types. */
export abstract class WriteQuery extends QueryPromise<unknown> {
  protected readonly setup: WriteSetup
  protected returned: readonly SelectedField[] | undefined
  protected hint: string | undefined
  protected abstract readonly kind: 'insert' | 'update' | 'delete'
  /** Whether each execution has values of its own, besides those of placeholders. */
  protected abstract readonly hasOwnValues: boolean

  constructor(setup: WriteSetup) {
    super()
    refuseForeignSource(setup.table)
    this.setup = setup
  }

  /** @param execution undefined if only the SQL is read */
  protected abstract build(execution?: Execution): SQL

  /** Waits for what is needed before there are values; undefined if nothing is. */
  protected supply(_values?: Readonly<Record<string, unknown>>): Promise<Supplies> | undefined {
    return undefined
  }

  returning(fields: Fields = columnsOf(this.setup.table)): this {
    checkFields(fields)
    this.returned = flatten(fields)
    return this
  }

  statementHint(hints: StatementHints): this {
    this.hint = hintText('statement', hints, this.hint)
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

  execute(values?: Record<string, unknown>): Promise<unknown> {
    return this.#inOneCall(async () => {
      const supplies = this.supply(values)
      return this.#prepared({ values, supplies: supplies && (await supplies) }).execute(values)
    })
  }

  prepare(name?: string): PreparedQuery<unknown> {
    if (!this.hasOwnValues) return this.#prepared({}, name)
    return new PreparedPerExecution({
      build: (execution) => this.#prepared(execution, name),
      supply: (values) => this.supply(values),
      call: (work) => this.#inOneCall(work),
      session: this.setup.session,
    })
  }

  _prepare(): PreparedQuery<unknown> {
    return this.#prepared({})
  }

  /** For `batch`, which prepares its statements. */
  _supplied(check: (runner: Session) => void): Promise<{ _prepare(): PreparedQuery<unknown> }> | undefined {
    check(this.setup.session)
    return this.supply()?.then((supplies) => ({ _prepare: () => this.#prepared({ supplies }) }))
  }

  /** What is awaited first is a part of the call. */
  #inOneCall<T>(work: () => Promise<T>): Promise<T> {
    return this.setup.session.call(calledBy(this.#meta), work)
  }

  get #meta(): QueryMeta {
    return { kind: this.kind, tables: [nameInCache(this.setup.table)] }
  }

  #prepared(execution: Execution | undefined, name?: string): PreparedQuery<unknown> {
    const { dialect, session } = this.setup
    const map = this.returned && rowMapper(this.returned, undefined)
    return session.prepare(dialect.toQuery(this.build(execution)), this.#meta, map, name)
  }
}

export class DeleteQuery extends WriteQuery {
  static override readonly [entityKind]: string = 'SpannerDelete'
  protected readonly kind = 'delete'
  protected readonly hasOwnValues = false
  #where: SQL | undefined

  constructor(setup: WriteSetup) {
    checkTarget('db.delete', setup.table)
    super(setup)
  }

  where(where: SQL | undefined): this {
    this.#where = where
    return this
  }

  protected build(): SQL {
    const { table, dialect, with: subqueries } = this.setup
    return dialect.buildDelete({
      with: subqueries,
      table,
      where: this.#where,
      ...(this.returned && { returning: this.returned }),
      ...(this.hint && { statementHint: this.hint }),
    })
  }
}

/** An update that does not know its values yet. */
export class UpdateBuilder {
  static readonly [entityKind]: string = 'SpannerUpdateBuilder'
  readonly #setup: WriteSetup

  constructor(setup: WriteSetup) {
    checkTarget('db.update', setup.table)
    this.#setup = setup
  }

  /** @throws {IsothermError} `INVALID_QUERY` where there is nothing to set, or no such column. */
  set(values: Fields): UpdateQuery {
    return new UpdateQuery(this.#setup, checkedSet(this.#setup.table, values))
  }
}

class UpdateQuery extends WriteQuery {
  static override readonly [entityKind]: string = 'SpannerUpdate'
  protected readonly kind = 'update'
  protected readonly hasOwnValues: boolean
  readonly #set: Fields
  #where: SQL | undefined

  constructor(setup: WriteSetup, set: Fields) {
    super(setup)
    this.#set = set
    this.hasOwnValues = Object.entries(columnsOf(setup.table)).some(
      ([property, column]) => column.onUpdateFn !== undefined && set[property] === undefined,
    )
  }

  where(where: SQL | undefined): this {
    this.#where = where
    return this
  }

  /** @throws {IsothermError} `UNSUPPORTED_FEATURE` always: programs without a compiler may try. */
  from(): never {
    throw new IsothermError('UNSUPPORTED_FEATURE', 'An UPDATE of Spanner reads no other table in FROM.', {
      fix: 'Set a column to a subquery, and name the rows with inArray or exists in where.',
    })
  }

  protected build(): SQL {
    const { table, dialect, with: subqueries } = this.setup
    return dialect.buildUpdate({
      with: subqueries,
      table,
      set: this.#set,
      where: this.#where,
      ...(this.returned && { returning: this.returned }),
      ...(this.hint && { statementHint: this.hint }),
    })
  }
}
