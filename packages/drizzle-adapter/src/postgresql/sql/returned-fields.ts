import { spannerPostgresqlRuntime } from '@isotherm/spanner'
import { IsothermError } from '@isotherm/core'
import { generatedExpressions, present } from '@isotherm/core/adapter'
import { type Casing, Column, SQL, type SQLChunk, StringChunk, Subquery, is, sql } from 'drizzle-orm'
import type { PgTable, SelectedFieldsOrdered } from 'drizzle-orm/pg-core'
import { TypedQueryBuilder } from 'drizzle-orm/query-builders/query-builder'
import { columnsOf, withChunks } from '../../drizzle-internals.js'
import { keySchema } from '../../keys/table-schema.js'
import { generatedAs } from '../../schema/column-declaration.js'
import { qualifiedName } from '../../table-kind/table-kind.js'
import { ScopedSql } from '../../sql/sources.js'
import { WithSubqueries } from '../../sql/condition.js'
import { codecOf } from '../columns/codec.js'
import { SpannerPgColumn } from '../columns/common.js'
import { PostgreSqlDdlSyntax, postgreSqlKind } from '../tables/table-kind.js'

/** The expressions of generated columns, as selected fields. */
type Expressions = ReadonlyMap<Column, SQL.Aliased>

/**
 * The returned fields of an insert or an update. Not every engine has computed a generated column by then: it may still
 * have its old value, or be NULL. Its expression reads columns that have their new values, so the expression is returned in
 * its place.
 */
export class ReturnedFields {
  readonly #casing: Casing | undefined
  readonly #words: PostgreSqlDdlSyntax
  readonly #known = new WeakMap<PgTable, Expressions>()

  constructor(casing: Casing | undefined) {
    this.#casing = casing
    this.#words = new PostgreSqlDdlSyntax(casing)
  }

  /** @throws {IsothermError} `UNSUPPORTED_QUERY` for a generated column in a query within an expression. */
  of(table: PgTable, fields: SelectedFieldsOrdered): SelectedFieldsOrdered {
    const expressions = this.#expressionsOf(table)
    if (expressions.size === 0) return fields
    return fields.map((each) => ({ ...each, field: inPlace(each.field, expressions) as typeof each.field }))
  }

  #expressionsOf(table: PgTable): Expressions {
    let found = this.#known.get(table)
    if (!found) this.#known.set(table, (found = expressionsIn(table, this.#casing, this.#words)))
    return found
  }
}

function expressionsIn(table: PgTable, casing: Casing | undefined, words: PostgreSqlDdlSyntax): Expressions {
  const columns = Object.entries(columnsOf(table))
  // A table without them needs no schema.
  const ofKeys = columns.some(([, column]) => isDerived(column))
    ? generatedExpressions(
        present(keySchema(table, postgreSqlKind, casing), 'schema of a table'),
        spannerPostgresqlRuntime,
      )
    : undefined
  return new Map(
    columns.flatMap(([property, column]) => {
      const text = isDerived(column) ? ofKeys?.get(property) : undefined
      const expression = text === undefined ? generatedSql(column, words) : sql.raw(text)
      return expression ? [[column, ofType(expression, column).as(words.columnName(column))] as const] : []
    }),
  )
}

/** Whether it is a shard or a hash. */
function isDerived(column: Column): boolean {
  if (!is(column, SpannerPgColumn)) return false
  const { source } = column.declaration
  return source?.kind === 'shard' || source?.kind === 'hash'
}

function generatedSql(column: Column, words: PostgreSqlDdlSyntax): SQL | undefined {
  const expression = generatedAs(column)
  if (expression === undefined) return undefined
  return is(expression, SQL)
    ? new SQL([expression]).inlineParams()
    : sql.raw(words.valueOf(column, expression))
}

/** Floats alone are computed of values of another type, of whole numbers. */
function ofType(expression: SQL, column: Column): SQL {
  const { kind } = codecOf(column).type
  if (kind === 'float64') return sql`(${expression})::float8`
  return kind === 'float32' ? sql`(${expression})::float4` : sql`(${expression})`
}

function inPlace(field: SQLChunk, expressions: Expressions): SQLChunk {
  if (!is(field, Column)) return replaced(field, expressions, false)
  return expressions.get(field) ?? field
}

/** @param isInQuery within a query that reads rows of its own, where a column may be of one of those */
function replaced(chunk: SQLChunk, expressions: Expressions, isInQuery: boolean): SQLChunk {
  if (is(chunk, Column)) {
    const expression = expressions.get(chunk)
    if (expression && isInQuery) throw inQuery(chunk)
    return expression?.sql ?? chunk
  }
  if (Array.isArray(chunk)) return chunk.map((each) => replaced(each, expressions, isInQuery))
  if (is(chunk, SQL.Aliased)) {
    const named = replaced(chunk.sql, expressions, isInQuery) as SQL
    return named === chunk.sql ? chunk : new SQL.Aliased(named, chunk.fieldAlias)
  }
  if (is(chunk, TypedQueryBuilder) || is(chunk, Subquery)) {
    replaced(is(chunk, Subquery) ? chunk._.sql : chunk.getSQL(), expressions, true)
    return chunk
  }
  if (!is(chunk, SQL)) return chunk
  const within = isInQuery || isQuery(chunk)
  const chunks = chunk.queryChunks.map((each) => replaced(each, expressions, within))
  return chunks.every((each, at) => each === chunk.queryChunks[at]) ? chunk : withChunks(chunk, chunks)
}

function isQuery(sql: SQL): boolean {
  if (sql instanceof ScopedSql || sql instanceof WithSubqueries) return true
  return sql.queryChunks.some((each) => is(each, StringChunk) && /\bselect\b/i.test(each.value.join('')))
}

function inQuery({ name, table }: Column): IsothermError {
  return new IsothermError(
    'UNSUPPORTED_QUERY',
    `A query in returning() reads ${qualifiedName(table)}.${name}, which the database computes once the row is written.`,
    { fix: 'Read it by a statement of its own, in the same transaction.', column: name },
  )
}
