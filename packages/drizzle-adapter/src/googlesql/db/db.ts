import { IsothermError } from '@isotherm/core'
import { SCOPE, type Scoped, type TransactionScope, callback, checkArgument } from '@isotherm/core/adapter'
import {
  type DrizzleTypeError,
  type ExtractTablesWithRelations,
  SQL,
  type SQLWrapper,
  type Subquery,
  type TablesRelationalConfig,
  entityKind,
  sql,
} from 'drizzle-orm'
import type { Cache } from 'drizzle-orm/cache/core'
import { statement } from '../../arguments.js'
import { relationalSchemaOf } from '../../relational/plan.js'
import type { BatchItem, BatchResults } from '../../session/batch.js'
import { TableMutations } from '../../keys/mutations.js'
import type { QueryOptions, TransactionConfig } from '../../session/executor.js'
import type { RawResult, WriteResult } from '../../session/prepared.js'
import type { Session } from '../../session/session.js'
import type { SpannerDialect } from '../sql/dialect.js'
import {
  CountQuery,
  QueryBuilder,
  RawQuery,
  RelationalQueryBuilder,
  type SpannerCount,
  type WithBuilder,
  makeWith,
} from '../select/query-builder.js'
import { DeleteQuery, UpdateBuilder } from '../write/write.js'
import { InsertBuilder } from '../write/insert.js'
import { refuseDistinctOn, refuseSetTransaction } from '../../sql/condition.js'
import { SelectBuilder, isSelect } from '../select/select.js'
import type { AnySelect, SelectFn, SelectedFields, SpannerSelectBuilder } from '../select/select.types.js'
import type { DeleteFrom, SpannerInsertBuilder, SpannerUpdateBuilder } from '../write/write.types.js'
import type { Fields } from '../../sql/fields.js'
import type { Source } from '../../sql/sources.js'
import type { SpannerTable } from '../tables/table.js'

type AnyTable = SpannerTable

/** The configuration of a database. */
export interface SpannerDatabaseConfig<FullSchema> {
  /** The tables, views and relations that `db.query` knows. */
  readonly schema?: FullSchema
  readonly cache?: Cache | undefined
}

/** The methods of `db.with(…)`. */
export interface WithSubqueries {
  readonly select: SelectFn
  readonly selectDistinct: SelectFn
  readonly insert: <T extends AnyTable>(table: T) => SpannerInsertBuilder<T>
  readonly update: <T extends AnyTable>(table: T) => SpannerUpdateBuilder<T>
  readonly delete: <T extends AnyTable>(table: T) => DeleteFrom<T>
  readonly selectDistinctOn: typeof refuseDistinctOn
}

/** The properties of `db.query`: every table of the schema, by its name in the schema. */
export type RelationalQueries<FullSchema extends Record<string, unknown>> =
  FullSchema extends Record<string, never>
    ? DrizzleTypeError<'The type of the database says nothing of its schema: drizzle(client, { schema }) does'>
    : RelationalQueriesOf<ExtractTablesWithRelations<FullSchema>>

type RelationalQueriesOf<Tables extends TablesRelationalConfig> = {
  readonly [Name in keyof Tables]: RelationalQueryBuilder<Tables, Tables[Name]>
}

/** A GoogleSQL database of Spanner, for Drizzle. */
export class SpannerDatabase<FullSchema extends Record<string, unknown> = Record<string, never>> {
  static readonly [entityKind]: string = 'SpannerDatabase'
  readonly _: { readonly fullSchema: FullSchema; readonly session: Session; readonly dialect: SpannerDialect }
  readonly #config: SpannerDatabaseConfig<FullSchema>
  #query: object | undefined
  /** Declares a subquery of a WITH clause by name: `db.with(adults).select().from(adults)`. */
  readonly $with: WithBuilder
  readonly $cache: { readonly invalidate: Cache['onMutate'] }

  constructor(dialect: SpannerDialect, session: Session, config: SpannerDatabaseConfig<FullSchema> = {}) {
    this._ = { fullSchema: config.schema ?? ({} as FullSchema), session, dialect }
    this.#config = config
    this.$with = makeWith(() => new QueryBuilder(dialect))
    this.$cache = { invalidate: async (changed) => config.cache?.onMutate(changed) }
  }

  /**
   * Reads rows together with the rows of other tables that belong to them, in one statement.
   *
   * @example
   * await db.query.users.findMany({ with: { orders: { orderBy: (order, { desc }) => desc(order.placedAt), limit: 5 } } })
   */
  get query(): RelationalQueries<FullSchema> {
    return (this.#query ??= this.#queries()) as RelationalQueries<FullSchema>
  }

  // Made on first use: each transaction is a database.
  #queries(): object {
    const { fullSchema, dialect, session } = this._
    const schema = relationalSchemaOf(fullSchema)
    return Object.fromEntries(
      Object.entries(schema.tables).map(([name, table]) => [
        name,
        new RelationalQueryBuilder({ schema, table, dialect, session }),
      ]),
    )
  }

  /**
   * Reads rows.
   *
   * @example
   * await db.select({ id: users.id }).from(users).where(eq(users.name, 'Ada')).orderBy(users.id).limit(10)
   */
  select(): SpannerSelectBuilder<undefined, true>
  select<Selection extends SelectedFields>(fields: Selection): SpannerSelectBuilder<Selection, true>
  select(fields?: Fields): unknown {
    return this.#selecting(false)(fields)
  }

  /** Reads rows, each once. */
  selectDistinct(): SpannerSelectBuilder<undefined, true>
  selectDistinct<Selection extends SelectedFields>(fields: Selection): SpannerSelectBuilder<Selection, true>
  selectDistinct(fields?: Fields): unknown {
    return this.#selecting(true)(fields)
  }

  /** @throws {IsothermError} `UNSUPPORTED_FEATURE` always. */
  readonly selectDistinctOn: typeof refuseDistinctOn = refuseDistinctOn

  /** @throws {IsothermError} `UNSUPPORTED_FEATURE` always. */
  refreshMaterializedView(_view: DrizzleTypeError<'Spanner has no materialized views'>): never {
    throw new IsothermError('UNSUPPORTED_FEATURE', 'Spanner has no materialized views.', {
      fix: 'Use a view, or a table that is written beside the first.',
    })
  }

  /** Statements that have subqueries before them, made by `$with`. */
  with(...subqueries: Subquery[]): WithSubqueries
  with(...subqueries: Subquery[]): Readonly<Record<keyof WithSubqueries, unknown>> {
    const { dialect, session } = this._
    const writing = (table: AnyTable) => ({ table, dialect, session, with: subqueries })
    return {
      select: this.#selecting(false, subqueries),
      selectDistinct: this.#selecting(true, subqueries),
      selectDistinctOn: refuseDistinctOn,
      insert: (table: AnyTable) => new InsertBuilder(writing(table)),
      update: (table: AnyTable) => new UpdateBuilder(writing(table)),
      delete: (table: AnyTable) => new DeleteQuery(writing(table)),
    }
  }

  #selecting(distinct: boolean, subqueries: readonly Subquery[] = []) {
    const { dialect, session } = this._
    return (fields?: Fields): SelectBuilder =>
      new SelectBuilder({ fields, distinct, dialect, session, with: subqueries })
  }

  /**
   * Adds rows. Values that are left out are made: by `$defaultFn`, for keys, or by the database.
   *
   * @example
   * const [user] = await db.insert(users).values({ name: 'Ada' }).returning()
   */
  insert<T extends AnyTable>(table: T): SpannerInsertBuilder<T>
  insert(table: AnyTable): unknown {
    return new InsertBuilder({ table, ...this._, with: [] })
  }

  /** Changes rows: `await db.update(users).set({ name: 'Ada' }).where(eq(users.id, 1n))`. */
  update<T extends AnyTable>(table: T): SpannerUpdateBuilder<T>
  update(table: AnyTable): unknown {
    return new UpdateBuilder({ table, ...this._, with: [] })
  }

  /** Deletes rows: `await db.delete(users).where(eq(users.id, 1n))`. */
  delete<T extends AnyTable>(table: T): DeleteFrom<T>
  delete(table: AnyTable): unknown {
    return new DeleteQuery({ table, ...this._, with: [] })
  }

  /** How many rows there are: awaited, or as a field of a select. */
  $count(source: Source | AnySelect, filters?: SQL): SpannerCount
  $count(source: Source | AnySelect, filters?: SQL): unknown {
    const { dialect, session } = this._
    const counted = isSelect(source) ? source.as('counted') : source
    return new CountQuery(counted as Source, filters, dialect, session)
  }

  /**
   * Runs SQL: returns objects by column name, and of a write also its `rowCount`. Drizzle knows nothing about its columns,
   * so values are as Isotherm reads them: a 64-bit integer is a `bigint`.
   *
   * @example
   * const rows = await db.execute<{ id: bigint }>(sql`select ${users.id} from ${users}`)
   */
  execute<Row extends Record<string, unknown> = Record<string, unknown>>(
    query: SQLWrapper | string,
  ): RawQuery<RawResult<Row>> {
    checkArgument('db.execute', 'query', statement, query)
    const { dialect, session } = this._
    return new RawQuery(typeof query === 'string' ? sql.raw(query) : query.getSQL(), dialect, session)
  }

  /**
   * Runs work in a read-write transaction, again from the start whenever the database aborts it; with `{ accessMode: 'read
   * only' }`, reads one snapshot.
   *
   * @throws {IsothermError} `UNSUPPORTED_FEATURE` inside of a transaction.
   */
  async transaction<Result>(
    work: (tx: SpannerTransaction<FullSchema>) => Promise<Result>,
    config?: TransactionConfig,
  ): Promise<Result> {
    checkArgument('db.transaction', 'work', callback, work)
    const { session, dialect } = this._
    return session.transaction(
      (inside) => work(new SpannerTransaction(dialect, inside, this.#config)),
      config,
    )
  }

  /** Runs statements in as few round trips as they take; with a write among them, they are one transaction. */
  batch<const Items extends readonly BatchItem[]>(queries: Items): Promise<BatchResults<Items>> {
    return this._.session.batch(queries)
  }

  /** Runs an update or a delete over any number of rows, in transactions of the database's own, at least once for each row. */
  partitioned(query: BatchItem): Promise<WriteResult> {
    return this._.session.partitioned(query)
  }

  /** The same database, with options for its statements: `db.$withOptions({ at: { exactStaleness: 10_000 } })`. */
  $withOptions(options: QueryOptions): SpannerDatabase<FullSchema> {
    return new SpannerDatabase(this._.dialect, this._.session.withOptions(options), this.#config)
  }
}

/** A transaction: the database, as of it. */
export class SpannerTransaction<FullSchema extends Record<string, unknown> = Record<string, never>>
  extends SpannerDatabase<FullSchema>
  implements Scoped
{
  static override readonly [entityKind]: string = 'SpannerTransaction'

  /** @internal */
  get [SCOPE](): TransactionScope {
    return this._.session.scope
  }

  /** @throws {IsothermError} `UNSUPPORTED_FEATURE` always: programs without a compiler may try. */
  setTransaction(_config?: DrizzleTypeError<'Give the options to db.transaction(work, options)'>): never {
    return refuseSetTransaction()
  }

  /** Ends the transaction without a commit. */
  rollback(): never {
    return this._.session.rollback()
  }

  /** Writes of a table that go with the commit, and that the transaction itself does not see. */
  mutate<T extends AnyTable>(table: T): TableMutations<T> {
    return new TableMutations(this._.session, table, this._.dialect)
  }
}
