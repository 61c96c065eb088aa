import { checkArgument } from '@isotherm/core/adapter'
import { SQL, type Subquery, entityKind } from 'drizzle-orm'
import {
  PgDeleteBase,
  type PgInsertBase,
  PgInsertBuilder,
  type PgInsertValue,
  PgSelectBuilder,
  type PgSession,
  type PgTable,
  PgUpdateBuilder,
  QueryBuilder,
  type SelectedFields,
} from 'drizzle-orm/pg-core'
import type { PgInsertSelectQueryBuilder } from 'drizzle-orm/pg-core/query-builders/insert'
import { PgCountBuilder } from 'drizzle-orm/pg-core/query-builders/count'
import { table as tableKind } from '../../arguments.js'
import { setCountSql } from '../../drizzle-internals.js'
import { type Source, countSql } from '../../sql/sources.js'
import { checkedSet, insertedRows } from '../../sql/checked-rows.js'
import type { SpannerPgDialect } from '../sql/dialect.js'
import type { SpannerPgQueryResultHKT } from '../session/prepared.js'
import { checkFields, checkSource } from '../../sql/fields.js'

type Session = ConstructorParameters<typeof PgInsertBuilder>[1]
type With = ConstructorParameters<typeof PgInsertBuilder>[3]

/** The result of a callback of `select`. */
type Made<T extends PgTable> = SQL | PgInsertSelectQueryBuilder<T>

/** Drizzle's, whose callbacks build with the dialect at hand: without it they would build for PostgreSQL itself. */
class SpannerPgInsertBuilder<T extends PgTable> extends PgInsertBuilder<T, SpannerPgQueryResultHKT> {
  static override readonly [entityKind]: string = 'SpannerPgInsertBuilder'
  readonly #table: T
  readonly #dialect: SpannerPgDialect

  constructor(table: T, session: Session, dialect: SpannerPgDialect, subqueries?: With) {
    checkArgument('db.insert', 'table', tableKind, table)
    super(table, session, dialect, subqueries)
    this.#table = table
    this.#dialect = dialect
  }

  override values(values: PgInsertValue<T> | PgInsertValue<T>[]): PgInsertBase<T, SpannerPgQueryResultHKT> {
    return super.values(insertedRows(this.#table, values) as PgInsertValue<T>[])
  }

  override select(
    source: Made<T> | ((builder: QueryBuilder) => Made<T>),
  ): PgInsertBase<T, SpannerPgQueryResultHKT> {
    const made = typeof source === 'function' ? source(new QueryBuilder(this.#dialect)) : source
    return super.select(made as SQL)
  }
}

type SelectConfig = ConstructorParameters<typeof PgSelectBuilder<SelectedFields | undefined>>[0]

/** Drizzle's builder, which also refuses by name what Spanner cannot select and read. */
class SpannerPgSelectBuilder extends PgSelectBuilder<SelectedFields | undefined> {
  static override readonly [entityKind]: string = 'SpannerPgSelectBuilder'

  constructor(config: SelectConfig) {
    checkFields(config.fields)
    super(config)
  }

  override from(source: never): never
  override from(source: never): object {
    checkSource('from', source)
    return withCheckedJoins(super.from(source))
  }
}

const JOINS = [
  'leftJoin',
  'rightJoin',
  'innerJoin',
  'fullJoin',
  'crossJoin',
  'leftJoinLateral',
  'innerJoinLateral',
  'crossJoinLateral',
] as const

/** Drizzle makes its joins for each select, so that no class can override them. */
function withCheckedJoins(select: object): object {
  const joins = select as Record<(typeof JOINS)[number], (source: unknown, ...on: unknown[]) => unknown>
  for (const name of JOINS) {
    const join = joins[name]
    joins[name] = (source, ...on) => {
      checkSource(name, source)
      return join(source, ...on)
    }
  }
  return select
}

/** Drizzle's builder, which also refuses by name what Spanner cannot set. */
class SpannerPgUpdateBuilder<T extends PgTable> extends PgUpdateBuilder<T, SpannerPgQueryResultHKT> {
  static override readonly [entityKind]: string = 'SpannerPgUpdateBuilder'
  readonly #table: T

  constructor(table: T, session: PgSession, dialect: SpannerPgDialect, subqueries?: Subquery[]) {
    checkArgument('db.update', 'table', tableKind, table)
    super(table, session, dialect, subqueries)
    this.#table = table
  }

  override set(values: never): never
  override set(values: never): object {
    return super.set(checkedSet(this.#table, values))
  }
}

type CountParameters = ConstructorParameters<typeof PgCountBuilder<PgSession>>[0]

/** Drizzle's, whose columns are of the source that it counts or of one around it. */
class SpannerPgCount extends PgCountBuilder<PgSession> {
  constructor(parameters: CountParameters) {
    super(parameters)
    const { source, filters } = parameters
    const count = (selected?: string): SQL => countSql(source as Source, filters, selected)
    setCountSql(this, new SQL([[count()]]), count('count(*) as count'))
  }
}

/** `db.$count(source, filters)` */
export function counting(session: PgSession) {
  return (source: CountParameters['source'], filters?: SQL): PgCountBuilder<PgSession> => {
    checkSource('$count', source)
    return new SpannerPgCount({ source, session, ...(filters !== undefined && { filters }) })
  }
}

/** The statement builders of a database and its `with(…)`, in place of Drizzle's. */
export function statementBuilders(session: PgSession, dialect: SpannerPgDialect, subqueries?: Subquery[]) {
  const setup = { session, dialect, ...(subqueries && { withList: subqueries }) }
  return {
    select: (fields?: SelectedFields) => new SpannerPgSelectBuilder({ fields, ...setup }),
    selectDistinct: (fields?: SelectedFields) =>
      new SpannerPgSelectBuilder({ fields, distinct: true, ...setup }),
    insert: <T extends PgTable>(table: T) => new SpannerPgInsertBuilder(table, session, dialect, subqueries),
    update: <T extends PgTable>(table: T) => new SpannerPgUpdateBuilder(table, session, dialect, subqueries),
    delete(table: PgTable) {
      checkArgument('db.delete', 'table', tableKind, table)
      return new PgDeleteBase(table, session, dialect, subqueries)
    },
  }
}
