import { is, type Casing, type SQL } from 'drizzle-orm'
import { PgSelectBase } from 'drizzle-orm/pg-core'
import { pgSelectOf } from '../drizzle-internals.js'
import { isSelect, type SelectQuery } from '../googlesql/query-builders/select.js'
import { SpannerPgDialect } from '../postgresql/dialect.js'
import { SpannerPgSession } from '../postgresql/session.js'
import type { Session } from '../session/session.js'
import type { Fields } from '../sql/fields.js'

/** What a select is made of, of whichever dialect it is. */
export interface SelectParts {
  readonly source: unknown
  readonly fields: Fields
  readonly where: SQL | undefined
  readonly groupBy: readonly unknown[]
  readonly having: SQL | undefined
  readonly orderBy: readonly unknown[]
  readonly limit: unknown
  readonly offset: unknown
  /** What it has that leaves more to the database than a table's rows. */
  readonly has: Readonly<Record<'joins' | 'distinct' | 'setOperations' | 'with' | 'lock' | 'hints', boolean>>
  readonly session: Session
  readonly casing: Casing | undefined
}

/** Undefined for what is no select, or one of no database of this package. */
export function selectParts(query: unknown): SelectParts | undefined {
  if (typeof query !== 'object' || query === null) return undefined
  if (is(query, PgSelectBase)) return pgParts(query)
  return isSelect(query as never) ? ownParts(query as SelectQuery) : undefined
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
  if (!(session instanceof SpannerPgSession) || !(dialect instanceof SpannerPgDialect)) return undefined
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
    session: session.inner,
    casing: dialect.namedBy,
  }
}
