import { SCOPE, type Scoped, type TransactionScope, callback, checkArgument } from '@isotherm/core/adapter'
import {
  type DrizzleTypeError,
  type ExtractTablesWithRelations,
  type SQLWrapper,
  type TablesRelationalConfig,
  type WithSubquery,
  entityKind,
  sql,
} from 'drizzle-orm'
import type { Cache } from 'drizzle-orm/cache/core'
import {
  PgDatabase,
  type PgQueryResultKind,
  type PgTable,
  PgTransaction,
  type PreparedQueryConfig,
} from 'drizzle-orm/pg-core'
import type { PgRaw } from 'drizzle-orm/pg-core/query-builders/raw'
import { batchList, inBatch } from '../../session/batch.js'
import { statement } from '../../arguments.js'
import { relationalSchemaOf } from '../../relational/plan.js'
import { refuseSetTransaction } from '../../sql/condition.js'
import { TableMutations } from '../../keys/mutations.js'
import type { QueryOptions, TransactionConfig } from '../../session/executor.js'
import type { WriteResult } from '../../session/prepared.js'
import { codecOf } from '../columns/codec.js'
import type { SpannerPgDialect } from '../sql/dialect.js'
import { counting, statementBuilders } from './builders.js'
import {
  type PgBatchItem,
  type PgBatchResults,
  type SpannerPgQueryResultHKT,
  SpannerPgRaw,
  batchItem,
} from '../session/prepared.js'
import { relationalQueries } from '../relational/query.js'
import type { SpannerPgQueries } from '../relational/types.js'
import { SpannerPgSession } from '../session/session.js'

/** The methods of `db.with(…)`. */
type WithSubqueries<
  FullSchema extends Record<string, unknown>,
  TSchema extends TablesRelationalConfig,
> = ReturnType<PgDatabase<SpannerPgQueryResultHKT, FullSchema, TSchema>['with']>

type RowsOf<Row> = PgQueryResultKind<SpannerPgQueryResultHKT, Row>

/** The configuration of a database. */
export interface SpannerPgDatabaseConfig<FullSchema> {
  /** The tables, views and relations that `db.query` knows. */
  readonly schema?: FullSchema
  readonly cache?: Cache | undefined
}

/** A PostgreSQL-dialect database of Spanner, for Drizzle. */
export class SpannerPgDatabase<
  FullSchema extends Record<string, unknown> = Record<string, never>,
  TSchema extends TablesRelationalConfig = ExtractTablesWithRelations<FullSchema>,
> extends PgDatabase<SpannerPgQueryResultHKT, FullSchema, TSchema> {
  static override readonly [entityKind]: string = 'SpannerPgDatabase'
  /** Reads rows together with the rows of other tables that belong to them, a statement for each table. */
  declare query: FullSchema extends Record<string, never>
    ? DrizzleTypeError<'Seems like the schema generic is missing - did you forget to add it to your DB type?'>
    : SpannerPgQueries<TSchema>
  readonly #dialect: SpannerPgDialect
  readonly #session: SpannerPgSession<FullSchema, TSchema>
  readonly #config: SpannerPgDatabaseConfig<FullSchema>

  constructor(
    dialect: SpannerPgDialect,
    session: SpannerPgSession<FullSchema, TSchema>,
    config: SpannerPgDatabaseConfig<FullSchema>,
  ) {
    super(dialect, session, schemaOf(config))
    this.#dialect = dialect
    this.#session = session
    this.#config = config
    furnish(this, dialect, session, config)
  }

  /** Statements that have subqueries before them, made by `$with`. */
  override with(...subqueries: WithSubquery[]): WithSubqueries<FullSchema, TSchema> {
    return {
      ...super.with(...subqueries),
      ...(statementBuilders(this.#session, this.#dialect, subqueries) as object),
    }
  }

  /**
   * Runs SQL: returns objects by column name, and of a write also its `rowCount`. A 64-bit integer is a `bigint`.
   *
   * @example
   * const rows = await db.execute<{ id: bigint }>(sql`select ${users.id} from ${users}`)
   */
  override execute<Row extends Record<string, unknown> = Record<string, unknown>>(
    query: SQLWrapper | string,
  ): PgRaw<RowsOf<Row>> {
    return rawQuery(this.#dialect, this.#session, query)
  }

  /**
   * Runs work in a read-write transaction, again from the start whenever the database aborts it; with `{ accessMode: 'read
   * only' }`, reads one snapshot.
   *
   * @throws {IsothermError} `UNSUPPORTED_FEATURE` inside of a transaction.
   */
  override async transaction<Result>(
    work: (tx: SpannerPgTransaction<FullSchema, TSchema>) => Promise<Result>,
    config?: TransactionConfig,
  ): Promise<Result> {
    checkArgument('db.transaction', 'work', callback, work)
    return this.#session.inner.transaction((within) => {
      const session = new SpannerPgSession<FullSchema, TSchema>(this.#dialect, within)
      return work(new SpannerPgTransaction(this.#dialect, session, this.#config))
    }, config)
  }

  /** Runs statements in as few round trips as they take; with a write among them, they are one transaction. */
  batch<const Items extends readonly PgBatchItem[]>(queries: Items): Promise<PgBatchResults<Items>> {
    return runBatch(this.#session, this.#dialect, queries)
  }

  /** Runs an update or a delete over any number of rows, in transactions of the database's own, at least once for each row. */
  async partitioned(query: PgBatchItem): Promise<WriteResult> {
    return this.#session.inner.partitioned(
      await batchItem(query, {
        session: this.#session.inner,
        dialect: this.#dialect,
        where: 'The statement of db.partitioned',
      }),
    )
  }

  /** The same database, with options for its statements: `db.$withOptions({ at: { exactStaleness: 10_000 } })`. */
  $withOptions(options: QueryOptions): SpannerPgDatabase<FullSchema, TSchema> {
    const session = new SpannerPgSession<FullSchema, TSchema>(
      this.#dialect,
      this.#session.inner.withOptions(options),
    )
    return new SpannerPgDatabase(this.#dialect, session, this.#config)
  }
}

/** A transaction: the database, as of it. */
export class SpannerPgTransaction<
  FullSchema extends Record<string, unknown> = Record<string, never>,
  TSchema extends TablesRelationalConfig = ExtractTablesWithRelations<FullSchema>,
>
  extends PgTransaction<SpannerPgQueryResultHKT, FullSchema, TSchema>
  implements Scoped
{
  static override readonly [entityKind]: string = 'SpannerPgTransaction'
  declare query: FullSchema extends Record<string, never>
    ? DrizzleTypeError<'Seems like the schema generic is missing - did you forget to add it to your DB type?'>
    : SpannerPgQueries<TSchema>
  readonly #dialect: SpannerPgDialect
  readonly #session: SpannerPgSession<FullSchema, TSchema>

  constructor(
    dialect: SpannerPgDialect,
    session: SpannerPgSession<FullSchema, TSchema>,
    config: SpannerPgDatabaseConfig<FullSchema>,
  ) {
    super(dialect, session, schemaOf(config))
    this.#dialect = dialect
    this.#session = session
    furnish(this, dialect, session, config)
  }

  /** Statements that have subqueries before them, made by `$with`. */
  override with(...subqueries: WithSubquery[]): WithSubqueries<FullSchema, TSchema> {
    return {
      ...super.with(...subqueries),
      ...(statementBuilders(this.#session, this.#dialect, subqueries) as object),
    }
  }

  /** @internal */
  get [SCOPE](): TransactionScope {
    return this.#session.inner.scope
  }

  /** Runs SQL: returns objects by column name, and of a write also its `rowCount`. */
  override execute<Row extends Record<string, unknown> = Record<string, unknown>>(
    query: SQLWrapper | string,
  ): PgRaw<RowsOf<Row>> {
    return rawQuery(this.#dialect, this.#session, query)
  }

  /** Writes of a table that go with the commit, and that the transaction itself does not see. */
  mutate<T extends PgTable>(table: T): TableMutations<T> {
    const { inner } = this.#session
    return new TableMutations(inner, table, this.#dialect, (column, value) => {
      return codecOf(column).encode(value)
    })
  }

  /** Runs statements in as few round trips as they take. */
  batch<const Items extends readonly PgBatchItem[]>(queries: Items): Promise<PgBatchResults<Items>> {
    return runBatch(this.#session, this.#dialect, queries)
  }

  /** @throws {IsothermError} `UNSUPPORTED_FEATURE` always: Spanner has no transactions within transactions. */
  override transaction<Result>(
    _work: (tx: SpannerPgTransaction<FullSchema, TSchema>) => Promise<Result>,
  ): Promise<Result> {
    // It refuses.
    return this.#session.inner.transaction(async () => this.rollback())
  }

  /** @throws {IsothermError} `UNSUPPORTED_FEATURE` always. */
  override setTransaction(_config?: unknown): never {
    return refuseSetTransaction()
  }
}

type AnySession<
  FullSchema extends Record<string, unknown>,
  TSchema extends TablesRelationalConfig,
> = SpannerPgSession<FullSchema, TSchema>

/** The type from which Drizzle makes the types of `db.query`. */
function schemaOf<FullSchema, TSchema extends TablesRelationalConfig>({
  schema,
}: SpannerPgDatabaseConfig<FullSchema>): ConstructorParameters<typeof PgDatabase<never, never, TSchema>>[2] {
  if (!schema) return undefined
  const { tables, names } = relationalSchemaOf(schema)
  return {
    fullSchema: schema,
    schema: tables as TSchema,
    tableNamesMap: names,
  }
}

/** In the places of what Drizzle has put there: its own relational queries are of SQL that Spanner does not support. */
function furnish<FullSchema extends Record<string, unknown>, TSchema extends TablesRelationalConfig>(
  database: PgDatabase<SpannerPgQueryResultHKT, FullSchema, TSchema>,
  dialect: SpannerPgDialect,
  session: AnySession<FullSchema, TSchema>,
  { schema, cache }: SpannerPgDatabaseConfig<FullSchema>,
): void {
  database.query = relationalQueries(schema, dialect, session.inner) as typeof database.query
  Object.assign(database, statementBuilders(session, dialect), { $count: counting(session) })
  database.$cache = { invalidate: async (changed) => cache?.onMutate(changed) }
}

function rawQuery<
  Row extends Record<string, unknown>,
  FullSchema extends Record<string, unknown>,
  TSchema extends TablesRelationalConfig,
>(
  dialect: SpannerPgDialect,
  session: AnySession<FullSchema, TSchema>,
  query: SQLWrapper | string,
): PgRaw<RowsOf<Row>> {
  checkArgument('db.execute', 'query', statement, query)
  const text = typeof query === 'string' ? sql.raw(query) : query.getSQL()
  const prepared = session.prepareQuery<PreparedQueryConfig & { execute: RowsOf<Row> }>(
    dialect.sqlToQuery(text),
  )
  return new SpannerPgRaw(prepared, text)
}

function runBatch<
  const Items extends readonly PgBatchItem[],
  FullSchema extends Record<string, unknown>,
  TSchema extends TablesRelationalConfig,
>(
  { inner: session }: AnySession<FullSchema, TSchema>,
  dialect: SpannerPgDialect,
  queries: Items,
): Promise<PgBatchResults<Items>> {
  return session.call(
    () => 'batch',
    async () => {
      const items = await Promise.all(
        batchList(queries).map((query, at) => batchItem(query, { session, dialect, where: inBatch(at) })),
      )
      return (await session.batch(items)) as PgBatchResults<Items>
    },
  )
}
