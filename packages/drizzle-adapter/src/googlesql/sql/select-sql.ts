import { Column, is, Name, Param, Placeholder, SQL, type SQLChunk, type Subquery } from 'drizzle-orm'
import type { JoinType, SetOperator } from 'drizzle-orm/query-builders/select.types'
import type { SelectedField } from '../../session/rows.js'
import { pushList, pushSelection, pushSource, text } from './pieces.js'
import { WithSubqueries } from '../../sql/with-subqueries.js'
import type { Source } from '../../sql/fields.js'
import { SelectStatement } from '../../sql/select-statement.js'
import { renamedSources } from './renamed-sources.js'
import { SubqueryField } from './subquery-field.js'

export type Expression = Column | SQL | SQL.Aliased
export type Bound = number | bigint | Placeholder

export interface Ordering {
  orderBy?: readonly Expression[]
  limit?: Bound
  offset?: Bound
}

export interface Join {
  readonly type: JoinType
  readonly source: Source
  readonly on: SQL | undefined
  readonly lateral: boolean
  hint?: string
  tableHint?: string
}

export interface SetOperation extends Ordering {
  readonly type: SetOperator
  readonly all: boolean
  readonly right: { getSQL(): SQL }
}

export interface SelectConfig extends Ordering {
  readonly with: readonly Subquery[]
  readonly distinct: boolean
  readonly source: Source
  tableHint?: string
  readonly joins: Join[]
  where?: SQL | undefined
  groupBy?: readonly Expression[]
  groupHint?: string
  having?: SQL | undefined
  forUpdate?: boolean
  statementHint?: string
  readonly setOperations: SetOperation[]
}

const SELECT = text('select ')
const SELECT_DISTINCT = text('select distinct ')
const FROM = text(' from ')
const ON = text(' on ')
const WHERE = text(' where ')
const GROUP_BY = text(' group by ')
const HAVING = text(' having ')
const ORDER_BY = text(' order by ')
const LIMIT = text(' limit ')
const ONE_ROW = text(' limit 1')
const NO_LIMIT = text(' limit 9223372036854775807')
const OFFSET = text(' offset ')
const FOR_UPDATE = text(' for update')
const UNNEST = text('unnest(array(select as struct * from ')
const UNNESTED = text(')) ')

/** How many rows, as the engine wants it: a value without a column would be typed by what it looks like. */
const COUNT = {
  mapToDriverValue: (value: unknown) => String(value),
  codec: { type: { kind: 'int64' } },
} as const

/**
 * A query as SQL.
 *
 * Source: https://cloud.google.com/spanner/docs/reference/standard-sql/query-syntax
 *
 * @param fields what it selects, flat
 * @param columnName a column's name in the database
 */
export function selectSql(
  config: SelectConfig,
  fields: readonly SelectedField[],
  columnName: (column: Column) => string,
): SQL {
  const sources = [config.source, ...config.joins.map(({ source }) => source)]
  const isResolvedAfter = config.groupBy?.length || config.having || config.orderBy?.length
  const renamed = isResolvedAfter ? renamedSources(sources, fields, columnName) : undefined
  const chunks: SQLChunk[] = [config.distinct ? SELECT_DISTINCT : SELECT]
  pushSelection(chunks, fields)
  chunks.push(FROM)
  pushSource(chunks, config.source, config.tableHint, renamed)
  for (const join of config.joins) pushJoin(chunks, join, renamed)
  if (config.where) chunks.push(WHERE, config.where)
  if (config.groupBy && config.groupBy.length > 0) {
    chunks.push(config.groupHint ? text(` group${config.groupHint} by `) : GROUP_BY)
    pushList(chunks, config.groupBy)
  }
  if (config.having) chunks.push(HAVING, config.having)
  pushOrdering(chunks, config, config.orderBy)
  if (config.forUpdate) chunks.push(FOR_UPDATE)
  let query: SQL = new SelectStatement(chunks, sources, renamed)
  for (const operation of config.setOperations) query = setOperationSql(query, operation, columnName)
  if (config.with.length > 0) query = new WithSubqueries(config.with, query)
  return config.statementHint ? new SQL([text(`${config.statementHint} `), query]) : query
}

function pushJoin(
  chunks: SQLChunk[],
  { type, source, on, hint, tableHint, lateral }: Join,
  renamed: ReadonlyMap<string, string> | undefined,
): void {
  chunks.push(text(` ${type} join${hint ?? ''} `))
  if (lateral) pushLateral(chunks, source as Subquery, renamed)
  else pushSource(chunks, source, tableHint, renamed)
  if (on) chunks.push(ON, on)
}

/** What refers to tables on its left may stand in an UNNEST alone. */
function pushLateral(
  chunks: SQLChunk[],
  { _: { sql, alias } }: Subquery,
  renamed: ReadonlyMap<string, string> | undefined,
): void {
  chunks.push(UNNEST, [sql], UNNESTED, new Name(renamed?.get(alias) ?? alias))
}

/** @param ordering whose limit `one` is one that every execution has */
export function pushOrdering(
  chunks: SQLChunk[],
  { limit, offset }: Pick<Ordering, 'offset'> & { readonly limit?: Bound | 'one' | undefined },
  orderBy: readonly SQLChunk[] | undefined,
): void {
  if (orderBy && orderBy.length > 0) {
    chunks.push(ORDER_BY)
    pushList(chunks, orderBy)
  }
  const skips = offset !== undefined && offset !== 0
  if (limit === 'one') chunks.push(ONE_ROW)
  else if (limit !== undefined && !(typeof limit === 'number' && limit < 0))
    chunks.push(LIMIT, new Param(limit, COUNT))
  // GoogleSQL skips rows only where it stops after some.
  else if (skips) chunks.push(NO_LIMIT)
  if (skips) chunks.push(OFFSET, new Param(offset, COUNT))
}

function setOperationSql(left: SQL, operation: SetOperation, columnName: (column: Column) => string): SQL {
  const { type, all, right } = operation
  const chunks: SQLChunk[] = [[left], text(` ${type} ${all ? 'all' : 'distinct'} `), [right.getSQL()]]
  pushOrdering(
    chunks,
    operation,
    operation.orderBy?.map((expression) => withoutTables(expression, columnName)),
  )
  return new SQL(chunks)
}

/** What orders the rows of a set operation has only their columns' names, since their tables are gone. */
function withoutTables(chunk: SQLChunk, columnName: (column: Column) => string): SQLChunk {
  if (is(chunk, Column)) return new Name(columnName(chunk))
  if (chunk instanceof SubqueryField) return new Name(chunk.fieldAlias)
  if (!is(chunk, SQL)) return chunk
  return new SQL(chunk.queryChunks.map((each) => withoutTables(each, columnName)))
}
