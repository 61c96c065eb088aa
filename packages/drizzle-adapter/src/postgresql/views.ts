import { IsothermError } from '@isotherm/core'
import {
  Column,
  is,
  Name,
  SQL,
  StringChunk,
  Subquery,
  Table,
  type Casing,
  type SQLChunk,
  type View,
} from 'drizzle-orm'
import { getViewConfig, PgMaterializedView, PgView, type ViewWithConfig } from 'drizzle-orm/pg-core'
import { TypedQueryBuilder } from 'drizzle-orm/query-builders/query-builder'
import { columnsOf, viewConfigOf, writtenSelection } from '../drizzle-internals.js'
import { inSchema } from '../schema/names.js'
import type { DdlWords, DeclaredView } from '../schema/table-kind.js'
import { viewSql } from '../schema/view-options.js'
import { SelectStatement } from '../sql/select-statement.js'
import { PostgreSqlWords } from './ddl-words.js'
import { render } from './sql/render.js'

/**
 * The views of `pgView`, but for those that are there already.
 *
 * @throws {IsothermError} `UNSUPPORTED` for materialized views, and for what Spanner's views have not.
 */
export function declaredViews(given: readonly object[], casing: Casing | undefined): DeclaredView[] {
  const words = new PostgreSqlWords(casing)
  return given.flatMap((each) => {
    if (is(each, PgMaterializedView)) throw materialized(each)
    return is(each, PgView) ? (declaredView(each, words) ?? []) : []
  })
}

function declaredView(view: PgView, words: DdlWords): DeclaredView | undefined {
  const { schema, originalName, query, isExisting, isAlias } = viewConfigOf(view)
  if (isExisting || isAlias || !query) return undefined
  const name = inSchema(schema, originalName)
  const options = (getViewConfig(view).with ?? {}) as ViewWithConfig
  refuseOptions(name, options)
  refuseNameless(name, query)
  refuseUncased(name, query, words)
  const sql = viewSql(
    name,
    render(query, (column) => words.columnName(column)),
  )
  // Isotherm's own default is that who asks needs the rights.
  return { name, sql, security: options.securityInvoker === false ? 'definer' : 'invoker' }
}

/** @throws {IsothermError} `UNSUPPORTED` for an option that Spanner's views have not. */
function refuseOptions(name: string, { checkOption, securityBarrier }: ViewWithConfig): void {
  if (checkOption === undefined && !securityBarrier) return
  throw new IsothermError('UNSUPPORTED', `The view ${name} has options that Spanner's views have not.`, {
    fix: 'Leave checkOption and securityBarrier out: nothing is written through a view.',
  })
}

/**
 * Of one table, Drizzle's own dialect leaves its name out before the columns of an expression. A query within that expression
 * would find its own table's columns by such names, without a word.
 */
function refuseNameless(view: string, query: SQL): void {
  const look = (chunk: SQLChunk): void => {
    if (Array.isArray(chunk)) chunk.forEach((each: SQLChunk) => look(each))
    else if (is(chunk, Subquery)) look(chunk._.sql)
    else if (is(chunk, TypedQueryBuilder)) look(chunk.getSQL())
    if (!is(chunk, SQL)) return
    const selection = chunk instanceof SelectStatement ? undefined : writtenSelection(chunk)
    const nameless = selection?.queryChunks.flatMap((field) => namelessIn(field) ?? [])[0]
    if (nameless !== undefined) throw lost(view, nameless)
    for (const each of chunk.queryChunks) look(each)
  }
  look(query)
}

/** A column without its table in an expression that has a query in its text. */
function namelessIn(field: SQLChunk): string | undefined {
  if (!is(field, SQL)) return undefined
  const { queryChunks } = field
  const hasQuery = queryChunks.some(
    (chunk) => is(chunk, StringChunk) && /\bselect\b/i.test(chunk.value.join('')),
  )
  return hasQuery ? queryChunks.find((chunk) => is(chunk, Name))?.value : undefined
}

function lost(view: string, name: string): IsothermError {
  return new IsothermError(
    'UNSUPPORTED',
    `The view ${view} has a query within an expression, which names ${name} without its table: it may be read of another.`,
    { fix: ownBuilder(view, '') },
  )
}

function ownBuilder(view: string, options: string): string {
  return `Make its query with new QueryBuilder(new SpannerPgDialect(${options})), QueryBuilder of drizzle-orm/pg-core, in place of a callback: pgView('${view}').as(qb.select()…).`
}

/** The builder that `pgView` hands to a callback knows no casing, and writes down names that no column has. */
function refuseUncased(view: string, query: SQL, words: DdlWords): void {
  const uncased = new Set<string>()
  const named = new Set<string>()
  const look = (chunk: SQLChunk, before: SQLChunk | undefined): void => {
    if (is(chunk, SQL)) chunk.queryChunks.forEach((each, at, all) => look(each, all[at - 1]))
    else if (Array.isArray(chunk)) chunk.forEach((each: SQLChunk) => look(each, undefined))
    else if (is(chunk, Name) && !isAs(before)) named.add(chunk.value)
    else if (is(chunk, Table) || is(chunk, Column)) {
      for (const column of Object.values(columnsOf(is(chunk, Table) ? chunk : chunk.table)))
        if (words.columnName(column) !== column.name) uncased.add(column.name)
    }
  }
  look(query, undefined)
  const wrong = [...named].find((name) => uncased.has(name))
  if (wrong === undefined) return
  throw new IsothermError(
    'UNSUPPORTED',
    `The view ${view} names ${wrong} as its property, whatever the casing of its columns.`,
    {
      fix: ownBuilder(view, '{ casing }'),
    },
  )
}

function isAs(chunk: SQLChunk | undefined): boolean {
  return is(chunk, StringChunk) && /\bas\s*$/i.test(chunk.value.join(''))
}

function materialized(view: View): IsothermError {
  const { schema, originalName } = viewConfigOf(view)
  return new IsothermError(
    'UNSUPPORTED',
    `${inSchema(schema, originalName)} is a materialized view, which Spanner has not.`,
    { fix: 'Use a view, or a table that is written beside the first.' },
  )
}
