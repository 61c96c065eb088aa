import {
  getOperators,
  QueryPromise,
  type Column,
  type Query,
  type SQL,
  type TableRelationalConfig,
} from 'drizzle-orm'
import type { WithCacheConfig } from 'drizzle-orm/cache/core/types'
import type { BuiltQuery } from '../drizzle-internals.js'
import { cacheConfigOf, type CacheChoice } from '../session/cache-choice.js'
import type { PreparedQuery, QueryMeta } from '../session/prepared.js'
import type { Session } from '../session/session.js'
import { ilike, notIlike } from '../sql/ilike.js'
import { planRelational, tablesOf, type RelationalConfig, type RelationalNode } from './plan.js'
import type { RelationalSchema } from './schema.js'

/** What a relational query is made with. */
export interface RelationalSetup<Dialect extends RelationalDialect> {
  readonly schema: RelationalSchema
  readonly table: TableRelationalConfig
  readonly dialect: Dialect
  readonly session: Session
}

interface RelationalDialect {
  readonly columnName: (column: Column) => string
  toQuery(sql: SQL): BuiltQuery
}

/** Drizzle's own, and where Spanner has other words, ours. */
const OPERATORS = { ...getOperators(), ilike, notIlike }

/** A relational query, but for how a dialect reads what belongs to rows. */
export abstract class RelationalReadQuery<
  Result,
  Dialect extends RelationalDialect,
> extends QueryPromise<Result> {
  protected readonly setup: RelationalSetup<Dialect>
  readonly #config: RelationalConfig
  readonly #isFirst: boolean
  #cache: WithCacheConfig | undefined

  constructor(setup: RelationalSetup<Dialect>, config: RelationalConfig, isFirst: boolean) {
    super()
    this.setup = setup
    this.#config = config
    this.#isFirst = isFirst
  }

  /** The statement that reads the outermost table. */
  protected abstract build(plan: RelationalNode): SQL
  /** For `batch`. */
  abstract _prepare(name?: string): PreparedQuery<Result>

  getSQL(): SQL {
    return this.build(this.plan())
  }

  toSQL(): Query {
    const { sql, params } = this.built(this.plan())
    return { sql, params: [...params] }
  }

  /** Asks the database's cache for the result, or with `false` leaves it alone. */
  $withCache(choice?: CacheChoice): this {
    this.#cache = cacheConfigOf(choice)
    return this
  }

  prepare(name?: string): PreparedQuery<Result> {
    return this._prepare(name)
  }

  execute(values?: Record<string, unknown>): Promise<Result> {
    return this._prepare().execute(values)
  }

  protected plan(): RelationalNode {
    const { schema, table, dialect } = this.setup
    const words = { operators: OPERATORS, columnName: dialect.columnName }
    return planRelational(schema, table, this.#config, this.#isFirst, words)
  }

  protected built(plan: RelationalNode): BuiltQuery {
    return this.setup.dialect.toQuery(this.build(plan))
  }

  protected metaOf(plan: RelationalNode): QueryMeta {
    return {
      kind: 'select',
      tables: tablesOf(plan),
      cache: this.#cache,
      ...(this.#isFirst && { result: first }),
    }
  }
}

function first([row]: readonly unknown[]): unknown {
  return row
}
