import { IsothermError } from '@isotherm/core'
import {
  type Casing,
  Column,
  Name,
  SQL,
  type SQLChunk,
  StringChunk,
  Subquery,
  Table,
  type View,
  is,
  sql,
} from 'drizzle-orm'
import { CasingCache } from 'drizzle-orm/casing'
import { columnsOf, viewConfigOf, withChunks, writtenSelection } from '../../drizzle-internals.js'
import {
  type DdlSyntax,
  type DeclaredView,
  type TableKind,
  inSchema,
  viewSql,
} from '../../table-kind/table-kind.js'
import { codecOf } from '../columns/codec.js'
import { literal, render } from '../render/render.js'
import {
  PgMaterializedView,
  PgSchema,
  PgSequence,
  PgTable,
  PgView,
  type ViewWithConfig,
  getViewConfig,
} from 'drizzle-orm/pg-core'
import { TypedQueryBuilder } from 'drizzle-orm/query-builders/query-builder'
import { ScopedSql } from '../../sql/sources.js'
import { spannerPostgresqlRuntime } from '@isotherm/spanner'
import { SpannerPgColumn } from '../columns/common.js'
import { pgDeclaration, sourceOfDefault } from '../columns/declaration.js'
import { declaredKey, declaredSequence, declaredTable, immutableColumns } from './table-config.js'

/** The names of tables, and their SQL expressions, in DDL. */
export class PostgreSqlDdlSyntax implements DdlSyntax {
  readonly #casing: CasingCache

  constructor(casing: Casing | undefined) {
    this.#casing = new CasingCache(casing)
  }

  columnName(column: Column): string {
    return this.#casing.getColumnCasing(column)
  }

  /** @throws {IsothermError} `UNSUPPORTED_MODEL` for a placeholder. */
  expression(sql: SQL): string {
    const bare = (this.#bare(sql) as SQL).inlineParams()
    const { sql: text, params } = render(bare, (column) => this.columnName(column))
    if (params.length === 0) return text
    throw new IsothermError('UNSUPPORTED_MODEL', 'A placeholder is used where a schema needs a value.', {
      fix: 'Write the value itself.',
    })
  }

  valueOf(column: Column, value: unknown): string {
    if (is(value, SQL)) return this.expression(value)
    const codec = codecOf(column)
    const wire = codec.encode(value)
    return is(wire, SQL) ? this.expression(wire) : literal(wire, codec.type)
  }

  /** Columns stand without their table. */
  #bare(chunk: SQLChunk): SQLChunk {
    if (is(chunk, Column)) return new Name(this.columnName(chunk))
    if (Array.isArray(chunk)) return chunk.map((each) => this.#bare(each))
    if (!is(chunk, SQL)) return chunk
    return withChunks(
      chunk,
      chunk.queryChunks.map((each) => this.#bare(each)),
    )
  }
}

/**
 * The views of `pgView`, without existing ones.
 *
 * @throws {IsothermError} `UNSUPPORTED_MODEL` for materialized views, and for features that Spanner's views do not support.
 */
function declaredViews(entities: readonly object[], casing: Casing | undefined): DeclaredView[] {
  const words = new PostgreSqlDdlSyntax(casing)
  return entities.flatMap((each) => {
    if (is(each, PgMaterializedView)) throw materialized(each)
    return is(each, PgView) ? (declaredView(each, words) ?? []) : []
  })
}

function declaredView(view: PgView, words: DdlSyntax): DeclaredView | undefined {
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

/** @throws {IsothermError} `UNSUPPORTED_MODEL` for an option that Spanner's views do not support. */
function refuseOptions(name: string, { checkOption, securityBarrier }: ViewWithConfig): void {
  if (checkOption === undefined && !securityBarrier) return
  throw new IsothermError(
    'UNSUPPORTED_MODEL',
    `The view ${name} has options that Spanner's views do not support.`,
    {
      fix: 'Leave checkOption and securityBarrier out: views are read-only.',
    },
  )
}

/**
 * If only one table is read, Drizzle's own dialect leaves out its name before the columns of an expression. A query within
 * that expression would silently read its own table's columns.
 */
function refuseNameless(view: string, query: SQL): void {
  const look = (chunk: SQLChunk): void => {
    if (Array.isArray(chunk)) chunk.forEach((each: SQLChunk) => look(each))
    else if (is(chunk, Subquery)) look(chunk._.sql)
    else if (is(chunk, TypedQueryBuilder)) look(chunk.getSQL())
    if (!is(chunk, SQL)) return
    const selection = chunk instanceof ScopedSql ? undefined : writtenSelection(chunk)
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
    'UNSUPPORTED_MODEL',
    `The view ${view} has a query within an expression, which names ${name} without its table: it may be read of another.`,
    { fix: ownBuilder(view, '') },
  )
}

function ownBuilder(view: string, options: string): string {
  return `Make its query with new QueryBuilder(new SpannerPgDialect(${options})), QueryBuilder of drizzle-orm/pg-core, in place of a callback: pgView('${view}').as(qb.select()…).`
}

/** The builder that `pgView` hands to a callback knows no casing, and writes down names that no column has. */
function refuseUncased(view: string, query: SQL, words: DdlSyntax): void {
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
    'UNSUPPORTED_MODEL',
    `The view ${view} names a column ${wrong}, as its property: the callback of pgView does not apply the casing.`,
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
    'UNSUPPORTED_MODEL',
    `${inSchema(schema, originalName)} is a materialized view, which Spanner does not support.`,
    { fix: 'Use a view, or a table that is written beside the first.' },
  )
}

/** Tables of `pgTable`. */
export const postgreSqlKind: TableKind = {
  dialect: spannerPostgresqlRuntime,
  dialects: ['spanner-postgresql', 'postgresql'],
  declaredWith: 'pgTable',
  commitTimestamp: sql`spanner.pending_commit_timestamp()`,
  isTable: (value): value is Table => is(value, PgTable),
  isOther: (value) =>
    is(value, PgView) || is(value, PgMaterializedView) || is(value, PgSequence) || is(value, PgSchema),
  keyOf: declaredKey,
  declarationsOf: declaredTable,
  declarationOf(column) {
    const declaration = pgDeclaration(column)
    return immutableColumns(column.table).has(column.name) ? { ...declaration, immutable: true } : declaration
  },
  mayBeMade(column) {
    return is(column, SpannerPgColumn)
      ? column.declaration.source !== undefined
      : column.columnType === 'PgUUID' || column.columnType === 'PgCustomColumn'
  },
  sourceOfDefault,
  namedSchemaOf: (value) => (is(value, PgSchema) ? value.schemaName : undefined),
  sequences: (entities) => entities.filter((each) => is(each, PgSequence)).map(declaredSequence),
  views: declaredViews,
  wordsFor: (casing) => new PostgreSqlDdlSyntax(casing),
}
