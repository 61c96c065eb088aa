import {
  type BuildQueryResult,
  type ColumnsSelection,
  type DBQueryConfig,
  type KnownKeysOnly,
  type Query,
  QueryPromise,
  SQL,
  type SQLWrapper,
  type Subquery,
  type TableRelationalConfig,
  type TablesRelationalConfig,
  type WithSubquery,
  entityKind,
  is,
} from 'drizzle-orm'
import type { PreparedQuery } from '../../session/prepared.js'
import type { Session } from '../../session/session.js'
import { SpannerDialect, type SpannerDialectConfig } from '../sql/dialect.js'
import { refuseForeignSource, tablesIn, withSubqueryOf } from '../sql/select-sql.js'
import { refuseDistinctOn } from '../../sql/condition.js'
import { type Fields, checkSource } from '../../sql/fields.js'
import { type Source, countSql } from '../../sql/sources.js'
import { SelectBuilder, becomesPromise, isSelect } from './select.js'
import { IsothermError } from '@isotherm/core'
import type { AnySelect, SelectFn, WithSubqueryWithSelection } from './select.types.js'
import type { RelationalConfig, RelationalNode } from '../../relational/plan.js'
import { RelationalReadQuery, type RelationalSetup, relationalRowMapper } from '../../relational/rows.js'

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
    checkSource('$count', source)
    refuseForeignSource(source)
    const count = countSql(source, filters)
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

/** The builder in the callback of `$with(…).as`. */
interface Selects {
  readonly select: SelectFn<false>
  readonly selectDistinct: SelectFn<false>
}

/** `$with('name').as(query)`. */
export interface WithBuilder {
  <Alias extends string>(
    alias: Alias,
  ): {
    as<Selection extends ColumnsSelection>(
      query: AnySelect<Selection> | ((qb: Selects) => AnySelect<Selection>),
    ): WithSubqueryWithSelection<Selection, Alias>
  }
  <Alias extends string, Selection extends ColumnsSelection>(
    alias: Alias,
    selection: Selection,
  ): { as(query: SQL | ((qb: Selects) => SQL)): WithSubqueryWithSelection<Selection, Alias> }
}

/** @param builder what a callback builds with */
export function makeWith(builder: () => Selects): WithBuilder
export function makeWith(builder: () => Selects): unknown {
  return (alias: string, selection?: Fields) => ({
    as(source: SQLWrapper | ((qb: Selects) => SQLWrapper)): WithSubquery {
      const query = typeof source === 'function' ? source(builder()) : source
      return subquery(alias, query, selection)
    },
  })
}

function subquery(alias: string, query: SQLWrapper, selection: Fields | undefined): WithSubquery {
  const isKnown = isSelect(query)
  if (!isKnown && !is(query, SQL)) {
    throw new IsothermError(
      'UNSUPPORTED_FEATURE',
      `${alias} is not a query: Spanner has no writes within a statement.`,
      {
        fix: 'Run the write first, with returning, and use its result.',
      },
    )
  }
  return isKnown
    ? withSubqueryOf(query.getSQL(), selection ?? query.getSelectedFields(), alias, query.usedTables())
    : withSubqueryOf(query, selection ?? {}, alias, [])
}

/** Builds selects that are not executed by themselves: for views, and for `insert().select()`. */
export class QueryBuilder {
  static readonly [entityKind]: string = 'SpannerQueryBuilder'
  readonly #dialect: SpannerDialect
  readonly $with: WithBuilder
  readonly select: SelectFn<false>
  readonly selectDistinct: SelectFn<false>
  /** @throws {IsothermError} `UNSUPPORTED_FEATURE` always. */
  readonly selectDistinctOn: typeof refuseDistinctOn = refuseDistinctOn

  constructor(dialect?: SpannerDialect | SpannerDialectConfig) {
    this.#dialect = is(dialect, SpannerDialect) ? dialect : new SpannerDialect(dialect)
    this.$with = makeWith(() => this)
    this.select = this.#starting(false, [])
    this.selectDistinct = this.#starting(true, [])
  }

  /** Selects that have subqueries before them, made by `$with`. */
  with(...subqueries: Subquery[]): {
    readonly select: SelectFn<false>
    readonly selectDistinct: SelectFn<false>
    readonly selectDistinctOn: typeof refuseDistinctOn
  } {
    return {
      select: this.#starting(false, subqueries),
      selectDistinct: this.#starting(true, subqueries),
      selectDistinctOn: refuseDistinctOn,
    }
  }

  #starting(distinct: boolean, subqueries: readonly Subquery[]): SelectFn<false>
  #starting(distinct: boolean, subqueries: readonly Subquery[]): unknown {
    return (fields?: Fields): SelectBuilder =>
      new SelectBuilder({ fields, distinct, dialect: this.#dialect, session: undefined, with: subqueries })
  }
}

/** Reads rows of one table, and rows of others that belong to them: `db.query.users`. */
export class RelationalQueryBuilder<
  TSchema extends TablesRelationalConfig,
  TFields extends TableRelationalConfig,
> {
  static readonly [entityKind]: string = 'SpannerRelationalQueryBuilder'
  readonly #setup: RelationalSetup<SpannerDialect>

  constructor(setup: RelationalSetup<SpannerDialect>) {
    this.#setup = setup
  }

  /**
   * Rows, in the order that is asked for.
   *
   * @example
   * await db.query.users.findMany({ columns: { id: true }, with: { orders: { limit: 5 } } })
   */
  findMany<TConfig extends DBQueryConfig<'many', true, TSchema, TFields>>(
    config?: KnownKeysOnly<TConfig, DBQueryConfig<'many', true, TSchema, TFields>>,
  ): SpannerRelationalQuery<BuildQueryResult<TSchema, TFields, TConfig>[]> {
    return new SpannerRelationalQuery(
      this.#setup,
      (config === undefined ? {} : config) as RelationalConfig,
      false,
    )
  }

  /** The first row; undefined if there is none. */
  findFirst<TSelection extends Omit<DBQueryConfig<'many', true, TSchema, TFields>, 'limit'>>(
    config?: KnownKeysOnly<TSelection, Omit<DBQueryConfig<'many', true, TSchema, TFields>, 'limit'>>,
  ): SpannerRelationalQuery<BuildQueryResult<TSchema, TFields, TSelection> | undefined> {
    return new SpannerRelationalQuery(
      this.#setup,
      (config === undefined ? {} : config) as RelationalConfig,
      true,
    )
  }
}

/** A relational query: await it, prepare it, or read its SQL. */
export class SpannerRelationalQuery<Result> extends RelationalReadQuery<Result, SpannerDialect> {
  static override readonly [entityKind]: string = 'SpannerRelationalQuery'
  declare readonly _: { readonly dialect: 'spanner'; readonly result: Result }

  protected override build(plan: RelationalNode): SQL {
    return this.setup.dialect.buildRelational(plan)
  }

  override _prepare(name?: string): PreparedQuery<Result> {
    const plan = this.plan()
    return this.setup.session.prepare(this.built(plan), this.metaOf(plan), relationalRowMapper(plan), name)
  }
}

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
    const meta = { kind: 'raw', tables: [] } as const
    return this.#session.prepare(this.#dialect.toQuery(this.#sql), meta, undefined, name)
  }
}
