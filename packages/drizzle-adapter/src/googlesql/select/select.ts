import { type Query, QueryPromise, type SQL, type Subquery, Table, View, entityKind, is } from 'drizzle-orm'
import { checkArgument } from '@isotherm/core/adapter'
import { query } from '../../arguments.js'
import type { SetOperatorFn, SetOperators } from './select.types.js'
import { IsothermError } from '@isotherm/core'
import type { WithCacheConfig } from 'drizzle-orm/cache/core/types'
import { TypedQueryBuilder } from 'drizzle-orm/query-builders/query-builder'
import type { JoinType, SetOperator } from 'drizzle-orm/query-builders/select.types'
import { type CacheChoice, cacheConfigOf } from '../../session/cache-choice.js'
import type { PreparedQuery } from '../../session/prepared.js'
import { type SelectedField, rowMapper, tableRowMapper } from '../../session/rows.js'
import type { Session } from '../../session/session.js'
import type { SpannerDialect } from '../sql/dialect.js'
import {
  type Expression,
  type Ordering,
  type SelectConfig,
  asExpressions,
  checkTables,
  fieldsOf,
  haveSameFields,
  refuseForeignSource,
  subqueryOf,
  tablesIn,
} from '../sql/select-sql.js'
import {
  type GroupHints,
  type JoinHints,
  type StatementHints,
  type TableHints,
  hintText,
} from '../sql/hints.js'
import { type RowBound, rowBound } from '../../sql/condition.js'
import {
  type Fields,
  checkExpressions,
  checkFields,
  checkSource,
  flatten,
  flattenTable,
  resultName,
} from '../../sql/fields.js'
import { type Source, sourceName } from '../../sql/sources.js'

/** A class has one parent: one whose parent is another is awaited all the same. */
export function becomesPromise(Class: { readonly prototype: { execute(): Promise<unknown> } }): void {
  for (const method of ['then', 'catch', 'finally'] as const) {
    Object.defineProperty(Class.prototype, method, {
      ...Object.getOwnPropertyDescriptor(QueryPromise.prototype, method),
    })
  }
}

/** A select, as far as it can be an operand. */
type Operable = { readonly [Method in keyof SetOperators]: (right: Operable) => Operable }

function operator(method: keyof SetOperators): SetOperatorFn
function operator(method: keyof SetOperators): unknown {
  return (left: Operable, ...rights: readonly Operable[]): Operable => {
    checkArgument(method, 'the first query', query, left)
    return rights.reduce((all, right) => all[method](right), left)
  }
}

/**
 * The rows of any of the queries, each once.
 *
 * @example
 * await union(db.select({ name: users.name }).from(users), db.select({ name: pets.name }).from(pets))
 */
export const union = operator('union')
/** The rows of all the queries, as often as they are in them. */
export const unionAll = operator('unionAll')
/** The rows that are in each of the queries, each once. */
export const intersect = operator('intersect')
/** The rows that are in each of the queries, as often as they are in each. */
export const intersectAll = operator('intersectAll')
/** The rows of the first query that are in none of the others, each once. */
export const except = operator('except')
/** The rows of the first query, each as many times more often as it is there than in the others. */
export const exceptAll = operator('exceptAll')

const setOperators: SetOperators = { union, unionAll, intersect, intersectAll, except, exceptAll }

/** The setup of a select. */
interface SelectSetup {
  readonly fields: Fields | undefined
  readonly distinct: boolean
  readonly dialect: SpannerDialect
  /** Undefined where a query is only described: it cannot be run then. */
  readonly session: Session | undefined
  readonly with: readonly Subquery[]
}

type Callback<Result> = (fields: Fields) => Result

/** The methods of a select; `select.types.ts` has what the compiler knows of them. */
export class SelectQuery extends TypedQueryBuilder<Fields> {
  static override readonly [entityKind]: string = 'SpannerSelectQueryBuilder'
  readonly config: SelectConfig
  /** For each table's name, whether every row has a row of it. */
  readonly joinsNotNullable = Object.create(null) as Record<string, boolean>
  readonly #setup: SelectSetup
  readonly #name: string | undefined
  readonly #tables: Set<string>
  #fields: Fields
  #cache: WithCacheConfig | undefined

  constructor(setup: SelectSetup, source: Source) {
    super()
    checkSource('from', source)
    refuseForeignSource(source)
    this.#setup = setup
    this.#name = resultName(source)
    this.#tables = new Set(tablesIn(source))
    this.#fields = setup.fields ?? fieldsOf(source)
    this.config = { with: setup.with, distinct: setup.distinct, source, joins: [], setOperations: [] }
    if (this.#name !== undefined) this.joinsNotNullable[this.#name] = true
    this._ = { selectedFields: this.#fields, result: undefined }
  }

  get dialect(): SpannerDialect {
    return this.#setup.dialect
  }

  get session(): Session | undefined {
    return this.#setup.session
  }

  leftJoin(source: Source, on: SQL | undefined | Callback<SQL | undefined>): this {
    return this.#join('left', source, on)
  }

  rightJoin(source: Source, on: SQL | undefined | Callback<SQL | undefined>): this {
    return this.#join('right', source, on)
  }

  innerJoin(source: Source, on: SQL | undefined | Callback<SQL | undefined>): this {
    return this.#join('inner', source, on)
  }

  fullJoin(source: Source, on: SQL | undefined | Callback<SQL | undefined>): this {
    return this.#join('full', source, on)
  }

  crossJoin(source: Source): this {
    return this.#join('cross', source, undefined)
  }

  leftJoinLateral(source: Subquery, on: SQL | undefined | Callback<SQL | undefined>): this {
    return this.#join('left', source, on, true)
  }

  innerJoinLateral(source: Subquery, on: SQL | undefined | Callback<SQL | undefined>): this {
    return this.#join('inner', source, on, true)
  }

  crossJoinLateral(source: Subquery): this {
    return this.#join('cross', source, undefined, true)
  }

  #join(
    type: JoinType,
    source: Source,
    on: SQL | undefined | Callback<SQL | undefined>,
    lateral = false,
  ): this {
    checkSource(`${type}Join`, source)
    refuseForeignSource(source)
    const name = resultName(source)
    if (name !== undefined && (name in this.joinsNotNullable || this.#reads(sourceName(source)))) {
      throw new IsothermError('INVALID_QUERY', `The query has a table called ${name} already.`, {
        fix: `Give one of them another name: alias(table, '${name}2').`,
      })
    }
    for (const table of tablesIn(source)) this.#tables.add(table)
    if (!this.#setup.fields) this.#addFields(name, source)
    const condition = typeof on === 'function' ? on(asExpressions(this.#fields)) : on
    this.config.joins.push({ type, source, on: condition, lateral })
    this.#noteNullability(type, name)
    return this
  }

  /** Whether something is called so in the statement. */
  #reads(name: string | undefined): boolean {
    const { source, joins } = this.config
    return sourceName(source) === name || joins.some((join) => sourceName(join.source) === name)
  }

  #addFields(name: string | undefined, source: Source): void {
    const isFirst = this.config.joins.length === 0
    const before = isFirst && this.#name !== undefined ? { [this.#name]: this.#fields } : this.#fields
    this.#fields = name === undefined ? before : { ...before, [name]: fieldsOf(source) }
    this._ = { selectedFields: this.#fields, result: undefined }
  }

  #noteNullability(type: JoinType, name: string | undefined): void {
    if (name === undefined) return
    const notNullable = this.joinsNotNullable
    if (type === 'right' || type === 'full')
      for (const other of Object.keys(notNullable)) notNullable[other] = false
    notNullable[name] = type !== 'left' && type !== 'full'
  }

  /** How the table that was named last is read. */
  hint(hints: TableHints): this {
    const last = this.config.joins.at(-1) ?? this.config
    if (!is(last.source, Table) && !is(last.source, View)) throw noTableToHint()
    last.tableHint = hintText('table', hints, last.tableHint)
    return this
  }

  /** How the last join is done. */
  joinHint(hints: JoinHints): this {
    const last = this.config.joins.at(-1)
    if (!last) {
      throw new IsothermError('INVALID_QUERY', 'There is no join before joinHint.', {
        fix: 'Call it right after the join.',
      })
    }
    last.hint = hintText('join', hints, last.hint)
    return this
  }

  groupHint(hints: GroupHints): this {
    this.config.groupHint = hintText('group', hints, this.config.groupHint)
    return this
  }

  statementHint(hints: StatementHints): this {
    this.config.statementHint = hintText('statement', hints, this.config.statementHint)
    return this
  }

  where(where: SQL | undefined | Callback<SQL | undefined>): this {
    this.config.where = typeof where === 'function' ? where(asExpressions(this.#fields)) : where
    return this
  }

  having(having: SQL | undefined | Callback<SQL | undefined>): this {
    this.config.having = typeof having === 'function' ? having(asExpressions(this.#fields)) : having
    return this
  }

  groupBy(...columns: Expression[] | [Callback<Expression | Expression[]>]): this {
    this.config.groupBy = this.#expressions('groupBy', columns)
    return this
  }

  orderBy(...columns: Expression[] | [Callback<Expression | Expression[]>]): this {
    this.#ordering.orderBy = this.#expressions('orderBy', columns)
    return this
  }

  limit(limit: RowBound): this {
    this.#ordering.limit = rowBound('limit', limit)
    return this
  }

  offset(offset: RowBound): this {
    this.#ordering.offset = rowBound('offset', offset)
    return this
  }

  /** After a set operation, what orders and limits is about the whole of it. */
  get #ordering(): Ordering {
    return this.config.setOperations.at(-1) ?? this.config
  }

  #expressions(
    call: 'orderBy' | 'groupBy',
    columns: Expression[] | [Callback<Expression | Expression[]>],
  ): Expression[] {
    const [first] = columns
    const made = typeof first === 'function' ? first(this.#fields) : (columns as Expression[])
    const expressions = Array.isArray(made) ? made : [made]
    checkExpressions(call, expressions)
    return expressions
  }

  /** @throws {IsothermError} `UNSUPPORTED_FEATURE` for locks that Spanner does not have. */
  for(strength: 'update', config: object = {}): this {
    if (strength !== 'update' || Object.keys(config).length > 0) {
      throw new IsothermError(
        'UNSUPPORTED_FEATURE',
        `Spanner has no lock of rows but 'update', and no options for it.`,
        {
          fix: "Use for('update'), or statementHint({ lockScannedRanges: 'exclusive' }).",
        },
      )
    }
    this.config.forUpdate = true
    return this
  }

  union(right: Operand): this {
    return this.#operate('union', false, right)
  }

  unionAll(right: Operand): this {
    return this.#operate('union', true, right)
  }

  intersect(right: Operand): this {
    return this.#operate('intersect', false, right)
  }

  intersectAll(right: Operand): this {
    return this.#operate('intersect', true, right)
  }

  except(right: Operand): this {
    return this.#operate('except', false, right)
  }

  exceptAll(right: Operand): this {
    return this.#operate('except', true, right)
  }

  #operate(type: SetOperator, all: boolean, operand: Operand): this {
    const right = typeof operand === 'function' ? operand(setOperators) : operand
    checkArgument(`select.${type}${all ? 'All' : ''}`, 'the query', query, right)
    if (!haveSameFields(this.#fields, right.getSelectedFields())) {
      throw new IsothermError(
        'INVALID_QUERY',
        `Both sides of ${type} must have the same fields in the same order.`,
        {
          fix: 'Select them by name on both sides: select({ id: a.id, name: a.name }).',
        },
      )
    }
    for (const table of right.usedTables()) this.#tables.add(table)
    this.config.setOperations.push({ type, all, right })
    return this
  }

  usedTables(): readonly string[] {
    return [...this.#tables]
  }

  getSelectedFields(): Fields {
    return this.#fields
  }

  getSQL(): SQL {
    return this.dialect.buildSelect(this.config, this.#selected())
  }

  toSQL(): Query {
    const { sql, params } = this.dialect.toQuery(this.getSQL())
    return { sql, params: [...params] }
  }

  as(alias: string): Subquery {
    return subqueryOf(this.getSQL(), this.#fields, alias, [...this.#tables])
  }

  $dynamic(): this {
    return this
  }

  $withCache(choice?: CacheChoice): this {
    this.#cache = cacheConfigOf(choice)
    return this
  }

  _prepare(name?: string): PreparedQuery<Record<string, unknown>[]> {
    if (!this.session) {
      throw new IsothermError('INVALID_QUERY', 'A query of a QueryBuilder cannot be run.', {
        fix: 'Build it with the database: db.select().',
      })
    }
    const fields = this.#selected()
    const query = this.dialect.toQuery(this.dialect.buildSelect(this.config, fields))
    const joins = this.config.joins.length > 0 ? this.joinsNotNullable : undefined
    const map = this.#isWholeTable ? tableRowMapper(fields) : rowMapper(fields, joins)
    const meta = { kind: 'select', tables: [...this.#tables], cache: this.#cache } as const
    return this.session.prepare(query, meta, map, name)
  }

  /** The selected fields, flat. */
  #selected(): readonly SelectedField[] {
    if (this.#isWholeTable) return flattenTable(this.#fields)
    const fields = flatten(this.#fields)
    checkTables(fields, this.config, this.joinsNotNullable)
    return fields
  }

  /** Whether the columns of one table are selected, and nothing else. */
  get #isWholeTable(): boolean {
    const { source, joins } = this.config
    return !this.#setup.fields && joins.length === 0 && is(source, Table)
  }
}

type Operand = SelectQuery | ((operators: SetOperators) => SelectQuery)

function noTableToHint(): IsothermError {
  return new IsothermError('INVALID_QUERY', 'What is before hint is not a table or a view.', {
    fix: 'Call it right after from or a join, for the table that it is about.',
  })
}

/** A select that runs when it is awaited. */
class RunningSelect extends SelectQuery {
  static override readonly [entityKind]: string = 'SpannerSelect'

  execute(values?: Record<string, unknown>): Promise<Record<string, unknown>[]> {
    return this._prepare().execute(values)
  }

  prepare(name?: string): PreparedQuery<Record<string, unknown>[]> {
    return this._prepare(name)
  }
}

becomesPromise(RunningSelect)

/** A select without `from`. */
export class SelectBuilder {
  static readonly [entityKind]: string = 'SpannerSelectBuilder'
  readonly #setup: SelectSetup

  constructor(setup: SelectSetup) {
    checkFields(setup.fields)
    this.#setup = setup
  }

  from(source: Source): SelectQuery {
    return this.#setup.session ? new RunningSelect(this.#setup, source) : new SelectQuery(this.#setup, source)
  }
}

/** Whether a value is a select that this package has built. */
export function isSelect(query: unknown): query is SelectQuery {
  return is(query, SelectQuery)
}
