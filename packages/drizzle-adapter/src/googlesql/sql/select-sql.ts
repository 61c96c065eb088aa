import { present } from '@isotherm/core/adapter'
import { IsothermError } from '@isotherm/core'
import {
  Column,
  Name,
  Param,
  SQL,
  type SQLChunk,
  StringChunk,
  Subquery,
  Table,
  View,
  WithSubquery,
  aliasedTableColumn,
  entityKind,
  is,
  sql,
} from 'drizzle-orm'
import { type Fields, isSelectable } from '../../sql/fields.js'
import {
  FromSource,
  ScopedSql,
  type Source,
  SourceLabel,
  freeName,
  sourceName,
  withoutTables,
} from '../../sql/sources.js'
import { SpannerTable } from '../tables/table.js'
import { SpannerViewBase } from '../tables/alias.js'
import {
  columnsOf,
  decoderOf,
  isSelectionField,
  nameInResults,
  nameOf,
  viewConfigOf,
} from '../../drizzle-internals.js'
import { type SelectedField, nameInCache, put } from '../../session/rows.js'
import type { JoinType, SetOperator } from 'drizzle-orm/query-builders/select.types'
import { type RowBound, WithSubqueries, checkedCondition } from '../../sql/condition.js'

/**
 * The compiler takes any table of Drizzle's, whose columns would be read and written as another database has them.
 *
 * @throws {IsothermError} `UNSUPPORTED_MODEL` for a table or a view that was not declared for GoogleSQL.
 */
export function refuseForeignSource(source: Source): void {
  const [declaredWith, isOwn] = is(source, View)
    ? ['spannerView', is(source, SpannerViewBase)]
    : ['spannerTable', !is(source, Table) || is(source, SpannerTable)]
  if (isOwn) return
  const name = present(sourceName(source), 'name of a table or view')
  throw new IsothermError(
    'UNSUPPORTED_MODEL',
    `${name} is not a ${declaredWith}, and the database is a GoogleSQL one.`,
    {
      fix: `Declare it with ${declaredWith}: '@isotherm/drizzle-adapter/postgresql' is for databases of the PostgreSQL dialect.`,
      table: name,
    },
  )
}

const DOT = new StringChunk('.')

/** A named field of a subquery, as the query around it sees it: always with the subquery's name before its own. */
export class SubqueryField<T = unknown> extends SQL.Aliased<T> {
  static override readonly [entityKind]: string = 'SpannerSubqueryField'

  readonly subquery: string

  constructor(subquery: string, name: string, decoder: { mapFromDriverValue(value: never): unknown }) {
    super(new SQL([sql.identifier(subquery), DOT, sql.identifier(name)]).mapWith(decoder), name)
    this.subquery = subquery
  }
}

/** Text that never changes, made once. */
export const text = (value: string): StringChunk => new StringChunk(value)

const COMMA = text(', ')
const AS = text(' as ')

/** Adds chunks with commas between them. */
export function pushList(chunks: SQLChunk[], items: readonly SQLChunk[]): void {
  items.forEach((item, at) => {
    if (at > 0) chunks.push(COMMA)
    chunks.push(item)
  })
}

/** Adds the selected fields. Columns are qualified by their tables' names: a column may have the name of its table. */
export function pushSelection(chunks: SQLChunk[], fields: readonly SelectedField[]): void {
  for (const [at, { field }] of fields.entries()) {
    if (at > 0) chunks.push(COMMA)
    if (field instanceof Column || !is(field, SQL.Aliased) || field instanceof SubqueryField)
      chunks.push(field)
    else if (isSelectionField(field)) chunks.push(new Name(field.fieldAlias))
    else chunks.push(field.sql, AS, new Name(field.fieldAlias))
  }
}

const NONE: ReadonlyMap<string, string> = new Map()

/**
 * New names for tables with the name of a selected field: after the select list, in GROUP BY, HAVING and ORDER BY, ``
 * `Tag`.`id` `` would be the field `id` of the selected column `Tag`. For a JSON column that is not an error, but another
 * value.
 *
 * Source: https://cloud.google.com/spanner/docs/reference/standard-sql/query-syntax#ambiguous_aliases
 */
export function renamedSources(
  sources: readonly Source[],
  fields: readonly SelectedField[],
  columnName: (column: Column) => string,
): ReadonlyMap<string, string> {
  const selected = new Set<string>()
  for (const { field } of fields) addNames(selected, field, columnName)
  const names = sources.flatMap((source) => sourceName(source) ?? [])
  const hidden = names.filter((name) => selected.has(name.toLowerCase()))
  if (hidden.length === 0) return NONE
  const taken = new Set([...selected, ...names.map((name) => name.toLowerCase())])
  return new Map(hidden.map((name) => [name, freeName(name, taken)]))
}

/** The possible names of a field in the result: an expression without a name is named after what it refers to. */
function addNames(names: Set<string>, field: SQLChunk, columnName: (column: Column) => string): void {
  if (is(field, Column)) names.add(columnName(field).toLowerCase())
  else if (is(field, SQL.Aliased)) names.add(field.fieldAlias.toLowerCase())
  else if (is(field, Subquery)) names.add(field._.alias.toLowerCase())
  else if (is(field, SQL)) for (const chunk of field.queryChunks) addNames(names, chunk, columnName)
}

export type Expression = Column | SQL | SQL.Aliased

export interface Ordering {
  orderBy?: readonly Expression[]
  limit?: RowBound
  offset?: RowBound
}

interface Join {
  readonly type: JoinType
  readonly source: Source
  readonly on: SQL | undefined
  readonly lateral: boolean
  hint?: string
  tableHint?: string
}

interface SetOperation extends Ordering {
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

/** A number of rows, as the engine expects it: a value without a column would get a type by its JavaScript value. */
const COUNT = {
  mapToDriverValue: (value: unknown) => String(value),
  codec: { type: { kind: 'int64' } },
} as const

/**
 * A query as SQL.
 *
 * Source: https://cloud.google.com/spanner/docs/reference/standard-sql/query-syntax
 *
 * @param fields the selected fields, flat
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
  chunks.push(new FromSource(config.source, config.tableHint))
  for (const join of config.joins) pushJoin(chunks, join)
  const where = checkedCondition('where', config.where)
  if (where) chunks.push(WHERE, where)
  if (config.groupBy && config.groupBy.length > 0) {
    chunks.push(config.groupHint ? text(` group${config.groupHint} by `) : GROUP_BY)
    pushList(chunks, config.groupBy)
  } else if (config.groupHint) {
    throw new IsothermError('INVALID_QUERY', 'The query has a groupHint and makes no groups.', {
      fix: 'Call groupBy() as well, or leave the hint out.',
    })
  }
  const having = checkedCondition('having', config.having)
  if (having) chunks.push(HAVING, having)
  pushOrdering(chunks, config, config.orderBy)
  if (config.forUpdate) chunks.push(FOR_UPDATE)
  let query: SQL = new ScopedSql(chunks, sources, renamed)
  for (const operation of config.setOperations) query = setOperationSql(query, operation, columnName)
  if (config.with.length > 0) query = new WithSubqueries(config.with, query)
  return config.statementHint ? new SQL([text(`${config.statementHint} `), query]) : query
}

function pushJoin(chunks: SQLChunk[], { type, source, on, hint, tableHint, lateral }: Join): void {
  chunks.push(text(` ${type} join${hint ?? ''} `))
  if (lateral) pushLateral(chunks, source as Subquery)
  else chunks.push(new FromSource(source, tableHint))
  const condition = checkedCondition('on', on)
  if (condition) chunks.push(ON, condition)
}

/** An expression that refers to tables on its left is allowed only in an UNNEST. */
function pushLateral(chunks: SQLChunk[], subquery: Subquery): void {
  chunks.push(UNNEST, [subquery._.sql], UNNESTED, new SourceLabel(subquery, subquery._.alias))
}

/** @param ordering its limit `one` reads one row in every execution, without a parameter */
export function pushOrdering(
  chunks: SQLChunk[],
  { limit, offset }: Pick<Ordering, 'offset'> & { readonly limit?: RowBound | 'one' | undefined },
  orderBy: readonly SQLChunk[] | undefined,
): void {
  if (orderBy && orderBy.length > 0) {
    chunks.push(ORDER_BY)
    pushList(chunks, orderBy)
  }
  const skips = offset !== undefined && offset !== 0
  if (limit === 'one') chunks.push(ONE_ROW)
  else if (limit !== undefined) chunks.push(LIMIT, new Param(limit, COUNT))
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

/** @throws {IsothermError} `INVALID_QUERY` for a column of a table that the query does not read. */
export function checkTables(
  fields: readonly SelectedField[],
  { source, joins }: SelectConfig,
  names: Readonly<Record<string, unknown>>,
): void {
  // The columns that plain SQL reads are unknown.
  if (is(source, SQL) || joins.some((join) => is(join.source, SQL))) return
  for (const { field, path } of fields) {
    if (!is(field, Column) || nameInResults(field.table) in names) continue
    const table = nameOf(field.table)
    throw new IsothermError(
      'INVALID_QUERY',
      `The field ${path.join('.')} is a column of ${table}, which the query does not read.`,
      { fix: `Join ${table}.` },
    )
  }
}

export function fieldsOf(source: Source): Fields {
  if (is(source, Subquery)) return namedIn(source._.selectedFields)
  if (is(source, View)) return viewConfigOf(source).selectedFields
  return is(source, SQL) ? {} : columnsOf(source)
}

/** The names of the tables that a source reads, for messages. */
export function tablesIn(source: Source): readonly string[] {
  if (is(source, Subquery)) return source._.usedTables ?? []
  if (is(source, Table)) return [nameInCache(source)]
  return []
}

/**
 * The fields of a subquery, as the query around it names them. An expression without a name stays as it is: a subquery that
 * is a value needs no names.
 */
function fieldsAround(fields: Fields, alias: string): Fields {
  const around: Record<string, unknown> = {}
  for (const name of Object.keys(fields)) {
    const field = fields[name]
    if (is(field, Column)) put(around, name, aliasedTableColumn(field, alias))
    else if (is(field, SQL.Aliased))
      put(around, name, new SubqueryField(alias, field.fieldAlias, decoderOf(field.sql)))
    else if (is(field, Subquery))
      put(around, name, new SubqueryField(alias, field._.alias, decoderOfOnly(field)))
    else if (is(field, SQL)) put(around, name, field)
    else put(around, name, fieldsAround(is(field, Table) ? columnsOf(field) : (field as Fields), alias))
  }
  return around
}

/** A subquery whose fields are its properties too. */
export function subqueryOf(query: SQL, fields: Fields, alias: string, tables: readonly string[]): Subquery {
  const around = fieldsAround(fields, alias)
  return Object.defineProperties(new Subquery(query, around, alias, false, [...tables]), asProperties(around))
}

/** A subquery of a WITH clause. */
export function withSubqueryOf(
  query: SQL,
  fields: Fields,
  alias: string,
  tables: readonly string[],
): WithSubquery {
  const around = fieldsAround(fields, alias)
  return Object.defineProperties(
    new WithSubquery(query, around, alias, true, [...tables]),
    asProperties(around),
  )
}

function asProperties(fields: Fields): PropertyDescriptorMap {
  return Object.fromEntries(
    Object.keys(fields).map((name) => [name, { enumerable: true, get: () => named(fields, name) }]),
  )
}

/** @throws {IsothermError} `INVALID_QUERY` for an expression that the query around has no name for. */
function named(fields: Fields, name: string): unknown {
  const field = fields[name]
  if (isSelectable(field)) {
    if (!is(field, SQL)) return field
    throw new IsothermError(
      'INVALID_QUERY',
      `The field ${name} of a subquery is an expression without a name.`,
      {
        fix: `Name it where it is selected: sql\`…\`.as('${name}').`,
      },
    )
  }
  return namedIn(field as Fields)
}

function namedIn(fields: Fields): Fields {
  return Object.fromEntries(Object.keys(fields).map((name) => [name, named(fields, name)]))
}

/** How the value of a subquery with one field is read. */
function decoderOfOnly(subquery: Subquery): { mapFromDriverValue(value: never): unknown } {
  const [only] = Object.values(subquery._.selectedFields)
  if (is(only, Column)) return only
  if (is(only, SQL.Aliased)) return decoderOf(only.sql)
  return decoderOf(is(only, SQL) ? only : new SQL([]))
}

/** Fields as a condition sees them: a named expression is the expression, since WHERE and HAVING know no names. */
export function asExpressions(fields: Fields): Fields {
  return mapFields(fields, (field) =>
    // The field of a subquery is a name already, which says whose it is.
    is(field, SQL.Aliased) && !(field instanceof SubqueryField) ? field.sql : field,
  )
}

function mapFields(fields: Fields, change: (field: unknown) => unknown): Fields {
  const mapped: Record<string, unknown> = {}
  for (const name of Object.keys(fields)) {
    const field = fields[name]
    const isField = isSelectable(field) || is(field, Table) || typeof field !== 'object' || field === null
    put(mapped, name, isField ? change(field) : mapFields(field as Fields, change))
  }
  return mapped
}

/** Whether two selections have the same fields in the same order, as those of a set operation must. */
export function haveSameFields(left: Fields, right: Fields): boolean {
  const [names, others] = [Object.keys(left), Object.keys(right)]
  return names.length === others.length && names.every((name, at) => name === others[at])
}
