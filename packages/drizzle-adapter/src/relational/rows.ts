import {
  type Column,
  type Query,
  QueryPromise,
  type SQL,
  type TableRelationalConfig,
  getOperators,
} from 'drizzle-orm'
import type { WithCacheConfig } from 'drizzle-orm/cache/core/types'
import type { BuiltQuery } from '../drizzle-internals.js'
import { type CacheChoice, cacheConfigOf } from '../session/cache-choice.js'
import type { PreparedQuery, QueryMeta } from '../session/prepared.js'
import type { Session } from '../session/session.js'
import { ilike, notIlike } from '../sql/condition.js'
import {
  type RelationalConfig,
  type RelationalNode,
  type RelationalSchema,
  planRelational,
  tablesOf,
} from './plan.js'
import type { Cells } from '@isotherm/core/adapter'
import { type CellDecoder, columnDecoder, fieldDecoder, put } from '../session/rows.js'

/** The setup of a relational query. */
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

/** A relational query, without the dialect's way to read related rows. */
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

type Row = Record<string, unknown>

interface RowPlan {
  /** At the positions of their cells. */
  readonly fields: readonly { readonly name: string; readonly decoder: CellDecoder | undefined }[]
  /** After the fields. Their cells are rows: arrays of cells. */
  readonly relations: readonly { readonly name: string; readonly isOne: boolean; readonly plan: RowPlan }[]
}

/** How cells become nested rows, compiled once per query. A row of its own is a cell that is an array of cells. */
export function relationalRowMapper(
  node: RelationalNode,
  decoderFor: (column: Column) => CellDecoder = columnDecoder,
): (cells: Cells) => Row {
  const plan = planOf(node, decoderFor)
  return (cells) => read(plan, cells)
}

function planOf({ fields, relations }: RelationalNode, decoderFor: (column: Column) => CellDecoder): RowPlan {
  return {
    fields: fields.map(({ name, field }) => ({ name, decoder: fieldDecoder(field, decoderFor) })),
    relations: relations.map(({ name, node }) => ({
      name,
      isOne: node.isOne,
      plan: planOf(node, decoderFor),
    })),
  }
}

function read({ fields, relations }: RowPlan, cells: Cells): Row {
  const row: Row = {}
  let at = 0
  for (const { name, decoder } of fields) {
    const cell = cells[at++]
    put(row, name, cell === null || !decoder ? cell : decoder.decode(cell))
  }
  for (const { name, isOne, plan } of relations) {
    const found = cells[at++] as readonly Cells[]
    const first = isOne ? found[0] : undefined
    if (first) put(row, name, read(plan, first))
    else put(row, name, isOne ? null : found.map((each) => read(plan, each)))
  }
  return row
}
