import {
  entityKind,
  type BuildQueryResult,
  type DBQueryConfig,
  type KnownKeysOnly,
  type SQL,
  type TableRelationalConfig,
  type TablesRelationalConfig,
} from 'drizzle-orm'
import type { RelationalConfig, RelationalNode } from '../../relational/plan.js'
import { RelationalReadQuery, type RelationalSetup } from '../../relational/read-query.js'
import { relationalRowMapper } from '../../relational/rows.js'
import type { PreparedQuery } from '../../session/prepared.js'
import type { SpannerDialect } from '../dialect.js'

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
    return new SpannerRelationalQuery(this.#setup, (config ?? {}) as RelationalConfig, false)
  }

  /** The first row; undefined where there is none. */
  findFirst<TSelection extends Omit<DBQueryConfig<'many', true, TSchema, TFields>, 'limit'>>(
    config?: KnownKeysOnly<TSelection, Omit<DBQueryConfig<'many', true, TSchema, TFields>, 'limit'>>,
  ): SpannerRelationalQuery<BuildQueryResult<TSchema, TFields, TSelection> | undefined> {
    return new SpannerRelationalQuery(this.#setup, (config ?? {}) as RelationalConfig, true)
  }
}

/** A relational query: awaited, prepared, or looked at. */
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
