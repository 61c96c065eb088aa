import { type Casing, Column, type SQL, Table, is } from 'drizzle-orm'
import { PgDialect, PgSelectBase, PgSession } from 'drizzle-orm/pg-core'
import { casingOf, clientOf, pgSelectOf } from '../drizzle-internals.js'
import { type SelectQuery, isSelect } from '../googlesql/select/select.js'
import { SpannerPgDialect } from '../postgresql/sql/dialect.js'
import { SpannerPgSession } from '../postgresql/session/session.js'
import type { Session } from '../session/session.js'
import { type Fields, flatten } from '../sql/fields.js'
import { IsothermError } from '@isotherm/core'
import type { SelectedField } from '../session/rows.js'
import { type AggregateSelect, type Aggregation, aggregationOf, isAggregation } from './aggregates.js'
import { FanOutSource } from './source.js'

/** The parts of a select, of either dialect. */
interface SelectParts {
  readonly source: unknown
  readonly fields: Fields
  readonly where: SQL | undefined
  readonly groupBy: readonly unknown[]
  readonly having: SQL | undefined
  readonly orderBy: readonly unknown[]
  readonly limit: unknown
  readonly offset: unknown
  /** Its features that require more of the database than a table's rows. */
  readonly has: Readonly<Record<'joins' | 'distinct' | 'setOperations' | 'with' | 'lock' | 'hints', boolean>>
  readonly session: Session | ForeignSession
  readonly casing: Casing | undefined
}

/** A session of `drizzle-orm/node-postgres` or `drizzle-orm/pglite`. */
export class ForeignSession {
  /** Of a transaction, what the client made for it. */
  readonly client: unknown

  constructor(client: unknown) {
    this.client = client
  }
}

/** Undefined for a value that is not a select, or is a select of another kind of database. */
function selectParts(query: unknown): SelectParts | undefined {
  if (typeof query !== 'object' || query === null) return undefined
  if (is(query, PgSelectBase)) return pgParts(query)
  return isSelect(query) ? ownParts(query) : undefined
}

function ownParts(select: SelectQuery): SelectParts | undefined {
  const { config, session, dialect } = select
  if (!session) return undefined
  const { source, where, groupBy = [], having, orderBy = [], limit, offset } = config
  return {
    source,
    fields: select.getSelectedFields(),
    where,
    groupBy,
    having,
    orderBy,
    limit,
    offset,
    has: {
      joins: config.joins.length > 0,
      distinct: config.distinct,
      setOperations: config.setOperations.length > 0,
      with: config.with.length > 0,
      lock: config.forUpdate === true,
      hints: [config.tableHint, config.statementHint, config.groupHint].some((hint) => hint !== undefined),
    },
    session,
    casing: dialect.namedBy,
  }
}

function pgParts(query: object): SelectParts | undefined {
  const { config, session, dialect } = pgSelectOf(query)
  const isOurs = session instanceof SpannerPgSession && dialect instanceof SpannerPgDialect
  if (!isOurs && !(is(session, PgSession) && is(dialect, PgDialect))) return undefined
  const { table, fields, where, groupBy = [], having, orderBy = [], limit, offset } = config
  return {
    source: table,
    fields,
    where,
    groupBy,
    having,
    orderBy,
    limit,
    offset,
    has: {
      joins: (config.joins?.length ?? 0) > 0,
      distinct: config.distinct !== undefined && config.distinct !== false,
      setOperations: config.setOperators.length > 0,
      with: (config.withList?.length ?? 0) > 0,
      lock: config.lockingClause !== undefined,
      hints: false,
    },
    session: isOurs ? session.inner : new ForeignSession(clientOf(session)),
    casing: isOurs ? dialect.namedBy : casingOf(dialect),
  }
}

/** A select as a fan-out reads it. */
export interface FanOutSelect {
  readonly source: FanOutSource
  /** The columns of rows; undefined for a select of groups or aggregates. */
  readonly fields: readonly (SelectedField & { readonly field: Column })[] | undefined
  readonly aggregation: Aggregation | undefined
  readonly where: SQL | undefined
  readonly orderBy: readonly unknown[]
  readonly limit: number | undefined
  readonly session: Session | ForeignSession
  readonly casing: Casing | undefined
}

/**
 * @throws {IsothermError} `UNSUPPORTED_QUERY`, with what to use instead, for a select that cannot be combined from the shards of
 * one table; `INVALID_QUERY` for a value that is not a select of a database of this package.
 */
export function fanOutSelect(query: unknown): FanOutSelect {
  const select = selectParts(query)
  if (!select) {
    throw new IsothermError('INVALID_QUERY', 'fanOut takes a select of a database.', {
      fix: 'Write fanOut(db.select().from(table)), without await.',
    })
  }
  const { source, limit, where, orderBy, session, casing } = select
  if (!is(source, Table)) throw refused('a subquery, a view or SQL', 'Name a table in from().')
  const own = new FanOutSource(source)
  for (const [isThere, what, fix] of REFUSED) if (isThere(select)) throw refused(what, fix, own.name)
  if (limit !== undefined && typeof limit === 'object')
    throw refused('a placeholder as its limit', 'Give the number itself: the plan depends on it.', own.name)
  const selection = {
    source: own,
    selected: flatten(select.fields),
    groupBy: select.groupBy,
    orderBy,
    limit: limit === undefined ? undefined : Number(limit),
  }
  const aggregation = isAggregation(selection) ? aggregationOf(selection) : undefined
  return {
    ...selection,
    aggregation,
    fields: aggregation ? undefined : columnsIn(selection),
    where,
    session,
    casing,
  }
}

function columnsIn({ selected, source }: AggregateSelect): (SelectedField & { readonly field: Column })[] {
  return selected.map(({ field, path }) => {
    if (is(field, Column)) return { path, field }
    throw refused(
      `the field ${path.join('.')}, which is neither a column nor an aggregate that it knows`,
      WITHOUT_FAN_OUT,
      source.name,
    )
  })
}

const WITHOUT_FAN_OUT =
  'Await the select itself, which the database runs over all shards. A fan-out takes columns, or count(), sum(), avg(), min() and max() of them, with groupBy().'

type Refusal = readonly [isThere: (select: SelectParts) => boolean, what: string, fix: string]

const REFUSED: readonly Refusal[] = [
  [({ has }) => has.joins, 'a join', WITHOUT_FAN_OUT],
  [({ having }) => having !== undefined, 'a having', 'Filter the returned groups.'],
  [({ has }) => has.distinct, 'distinct rows', WITHOUT_FAN_OUT],
  [({ has }) => has.setOperations, 'a set operation', 'Fan out each select, and put the rows together.'],
  [({ has }) => has.with, 'a common table expression', WITHOUT_FAN_OUT],
  [
    ({ offset }) => offset !== undefined && offset !== 0,
    'an offset',
    'Use page() and after(cursor): an offset would read all skipped rows from every shard.',
  ],
  [({ has }) => has.lock, 'a lock', 'Await the select itself, in a transaction.'],
  [({ has }) => has.hints, 'a hint', 'Use the options of fanOut: { index, strategy }.'],
]

function refused(what: string, fix: string, table?: string): IsothermError {
  return new IsothermError('UNSUPPORTED_QUERY', `A fan-out cannot have ${what}.`, {
    fix,
    ...(table !== undefined && { table }),
  })
}
