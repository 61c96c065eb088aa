import { internals, type WireType } from '@isotherm/core/adapter'
import {
  Column,
  is,
  SQL,
  StringChunk,
  Table,
  View,
  type Casing,
  type ColumnBuilderBase,
  type ColumnsSelection,
  type SQLChunk,
} from 'drizzle-orm'
import type { CasingCache } from 'drizzle-orm/casing'
import type { PgDialect, PgSelectConfig, PgSession, SelectedFieldsOrdered } from 'drizzle-orm/pg-core'
import type { PgCountBuilder } from 'drizzle-orm/pg-core/query-builders/count'
import type { TypedQueryBuilder } from 'drizzle-orm/query-builders/query-builder'
import { SelectionProxyHandler } from 'drizzle-orm/selection-proxy'

// All that Drizzle has at run time and leaves out of its types. Nothing else in this package knows of it, so that another
// version of Drizzle is another file like this one.

const NAME = Symbol.for('drizzle:Name')
const ORIGINAL_NAME = Symbol.for('drizzle:OriginalName')
const BASE_NAME = Symbol.for('drizzle:BaseName')
const SCHEMA = Symbol.for('drizzle:Schema')
const COLUMNS = Symbol.for('drizzle:Columns')
const EXTRA_CONFIG_COLUMNS = Symbol.for('drizzle:ExtraConfigColumns')
const EXTRA_CONFIG_BUILDER = Symbol.for('drizzle:ExtraConfigBuilder')
const IS_ALIAS = Symbol.for('drizzle:IsAlias')
const VIEW_CONFIG = Symbol.for('drizzle:ViewBaseConfig')

/** Makes a table's indexes and constraints. */
export type ExtraConfig = (columns: Record<string, Column>) => unknown

interface TableInternals {
  readonly [NAME]: string
  readonly [ORIGINAL_NAME]: string
  [BASE_NAME]: string
  readonly [SCHEMA]: string | undefined
  [COLUMNS]: Record<string, Column>
  [EXTRA_CONFIG_COLUMNS]: Record<string, Column>
  [EXTRA_CONFIG_BUILDER]: ExtraConfig | undefined
  [IS_ALIAS]: boolean
}

const inside = internals<TableInternals>('Table of drizzle-orm', [
  NAME,
  ORIGINAL_NAME,
  BASE_NAME,
  SCHEMA,
  COLUMNS,
  EXTRA_CONFIG_COLUMNS,
  EXTRA_CONFIG_BUILDER,
  IS_ALIAS,
])

/** The name of a table in the query: its alias, if it has one. */
export function nameOf(table: Table): string {
  return inside(table)[NAME]
}

/** The name of the table in the database. */
export function originalNameOf(table: Table): string {
  return inside(table)[ORIGINAL_NAME]
}

/** The name of the table before a table creator changed it. */
function baseNameOf(table: Table): string {
  return inside(table)[BASE_NAME]
}

/** Calls a table something else in the results of joins. */
export function renameInResults(table: Table, name: string): void {
  inside(table)[BASE_NAME] = name
}

/** The name of a table in the results of joins. */
export function nameInResults(table: Table): string {
  return isAlias(table) ? nameOf(table) : (baseNameOf(table) ?? nameOf(table))
}

export function schemaOf(table: Table): string | undefined {
  return inside(table)[SCHEMA]
}

export function isAlias(table: Table): boolean {
  return inside(table)[IS_ALIAS]
}

/** The table of an alias: the alias forwards all properties, but does not show the table behind it. */
export function originalOf(table: Table): Table {
  const own = Object.getOwnPropertyDescriptor(table, COLUMNS)?.value as Record<string, Column> | undefined
  return Object.values(own ?? {})[0]?.table ?? table
}

export function columnsOf(table: Table): Record<string, Column> {
  return inside(table)[COLUMNS]
}

/** Gives a table its columns, and what makes its indexes and constraints. */
export function furnish(table: Table, columns: Record<string, Column>, extra: ExtraConfig | undefined): void {
  const own = inside(table)
  own[COLUMNS] = columns
  own[EXTRA_CONFIG_COLUMNS] = columns
  own[EXTRA_CONFIG_BUILDER] = extra
}

/** The result of a table's third argument for its columns; undefined if the table does not have one. */
export function extraConfigOf(table: Table): unknown {
  const own = inside(table)
  return own[EXTRA_CONFIG_BUILDER]?.(own[EXTRA_CONFIG_COLUMNS])
}

const insideBuilder = internals<{ setName(name: string): void; build(table: Table): Column }>(
  'ColumnBuilder of drizzle-orm',
  ['setName', 'build'],
)

/** The column of a builder; without a name of its own it has its property's. */
export function buildColumn(builder: ColumnBuilderBase, property: string, table: Table): Column {
  const own = insideBuilder(builder)
  own.setName(property)
  return own.build(table)
}

const insideColumn = internals<{ shouldDisableInsert(): boolean; readonly config: object }>(
  'Column of drizzle-orm',
  ['shouldDisableInsert', 'config'],
)

/** Whether an insert may name the column. */
export function isInsertable(column: Column): boolean {
  return !insideColumn(column).shouldDisableInsert()
}

interface SqlInternals {
  readonly decoder: { mapFromDriverValue(value: unknown): unknown }
  readonly shouldInlineParams: boolean
}

const insideSql = internals<SqlInternals>('SQL of drizzle-orm', ['decoder', 'shouldInlineParams'])

/** Decodes the value of an expression: `mapWith` sets it. */
export function decoderOf(sql: SQL): SqlInternals['decoder'] {
  return insideSql(sql).decoder
}

const insideAliased = internals<{ readonly isSelectionField: boolean }>('SQL.Aliased of drizzle-orm', [
  'isSelectionField',
])

/** Whether an aliased expression refers to a column of a subquery, rather than to the expression behind it. */
export function isSelectionField(aliased: SQL.Aliased): boolean {
  return insideAliased(aliased).isSelectionField
}

interface ViewInternals {
  readonly name: string
  readonly originalName: string
  readonly schema: string | undefined
  readonly selectedFields: Record<string, unknown>
  readonly isExisting: boolean
  readonly query: SQL | undefined
  readonly isAlias: boolean
}

const insideView = internals<{ readonly [VIEW_CONFIG]: ViewInternals }>('View of drizzle-orm', [VIEW_CONFIG])

export function viewConfigOf(view: View): ViewInternals {
  return insideView(view)[VIEW_CONFIG]
}

/** Fields of a view, or of a subquery, as columns of its own. */
export function selectionOf<Selection extends object>(
  selection: Selection,
  config: {
    /** Absent: columns keep the names of their tables. */
    readonly alias?: string
    /** How an expression without a name is handled: refused, or written out. */
    readonly sqlBehavior: 'error' | 'sql'
    /** How an expression with a name is handled: by that name, or written out. */
    readonly sqlAliasedBehavior: 'alias' | 'sql'
    readonly replaceOriginalName?: boolean
  },
): Selection {
  return new Proxy(selection, new SelectionProxyHandler(config) as ProxyHandler<Selection>)
}

/** The same expression, decoder and all, of other pieces. */
export function withChunks(sql: SQL, chunks: readonly SQLChunk[]): SQL {
  return Object.assign(Object.create(Object.getPrototypeOf(sql) as object) as SQL, sql, {
    queryChunks: chunks,
  })
}

const insideQuery = internals<{ getSelectedFields(): ColumnsSelection }>('TypedQueryBuilder of drizzle-orm', [
  'getSelectedFields',
])

/** The selected fields of a query. */
export function selectedFieldsOf(query: TypedQueryBuilder<ColumnsSelection>): ColumnsSelection {
  return insideQuery(query).getSelectedFields()
}

/** How a dialect writes names and strings. */
interface Wording {
  readonly casing: CasingCache
  escapeName(name: string): string
  escapeString(text: string): string
}

/** SQL as text. */
export interface BuiltQuery {
  readonly sql: string
  /**
   * The values as they are sent, if a column or another encoder has encoded them; a placeholder stays one, alone or in a
   * `Param` that knows its column.
   */
  readonly params: readonly unknown[]
  /** Each parameter's type; undefined where no column tells. */
  readonly types: readonly (WireType | undefined)[]
  readonly sources: readonly PlacedSource[]
}

/** Where a text names a source of the query. */
export interface PlacedSource {
  /** Where the name begins. */
  readonly at: number
  /** Undefined for a subquery of a WITH clause. */
  readonly source: Table | View | undefined
  /** A view's own query; absent where the program does not have it. */
  readonly viewQuery?: () => BuiltQuery
}

/** Columns that know the type of their values on the wire. */
interface TypedColumn {
  readonly codec?: { readonly type: WireType }
}

/**
 * SQL over one table as DDL needs it: columns stand without their table, and values where a parameter would.
 *
 * @param literal writes a value: as it is sent where a type is given, as the user gave it where none is
 */
export function inlineQuery(
  sql: SQL,
  wording: Wording,
  literal: (value: unknown, type: WireType | undefined) => string,
): string {
  // Drizzle asks for a parameter's typing right before it has it written, and never for what no encoder has seen.
  let type: WireType | undefined
  return sql.toQuery({
    ...wording,
    prepareTyping(encoder) {
      type = typeOf(encoder)
      return 'none'
    },
    escapeParam(_, value) {
      const written = literal(value, type)
      type = undefined
      return written
    },
    invokeSource: 'indexes',
  }).sql
}

function typeOf(encoder: unknown): WireType | undefined {
  return is(encoder, Column) ? (encoder as TypedColumn).codec?.type : undefined
}

/** Whether the values of this SQL are written into its text. */
export function inlinesValues(sql: SQL): boolean {
  return insideSql(sql).shouldInlineParams
}

const insideCount = internals<{ readonly sql: SQL }>('PgCountBuilder of drizzle-orm', ['sql'])

/** Gives a `$count` its SQL: as a field of a select, and awaited by itself. */
export function setCountSql(count: PgCountBuilder<PgSession>, field: SQL, awaited: SQL): void {
  Object.assign(count, { queryChunks: [field], sql: awaited })
}

/** The statement of a `$count` that is awaited by itself. */
export function countSqlOf(count: PgCountBuilder<PgSession>): SQL {
  return insideCount(count).sql
}

const insidePgDialect = internals<{
  buildSelection(fields: SelectedFieldsOrdered, options: { readonly isSingleTable: boolean }): SQL
}>('PgDialect of drizzle-orm', ['buildSelection'])

/** The selection that a write of Drizzle's PostgreSQL returns, as written after `returning`. */
export function pgSelectionSql(dialect: PgDialect, fields: SelectedFieldsOrdered): SQL {
  return insidePgDialect(dialect).buildSelection(fields, { isSingleTable: true })
}

/** The configuration of a column, including the fields of its own class. */
export function columnConfigOf(column: Column): object {
  return insideColumn(column).config
}

/** The parts of a select of Drizzle's PostgreSQL. */
interface PgSelectInternals {
  readonly config: PgSelectConfig
  /** Undefined where a query is only described. */
  readonly session: unknown
  readonly dialect: unknown
}

export const pgSelectOf = internals<PgSelectInternals>('PgSelectBase of drizzle-orm', [
  'config',
  'session',
  'dialect',
])

const insideSession = internals<{ readonly client: unknown }>('PgSession of drizzle-orm', ['client'])

/** The client of one of Drizzle's own sessions: of a transaction, what the client made for it. */
export function clientOf(session: object): unknown {
  return insideSession(session).client
}

const insideOwnDialect = internals<{ readonly casing: CasingCache }>('PgDialect of drizzle-orm', ['casing'])
const insideCasing = internals<{ convert(name: string): string }>('CasingCache of drizzle-orm', ['convert'])

/** The casing of Drizzle's own dialect, which keeps only what makes names. */
export function casingOf(dialect: object): Casing | undefined {
  const { casing } = insideOwnDialect(dialect)
  const inside = insideCasing(casing)
  if (inside.convert('aB') === 'a_b') return 'snake_case'
  return inside.convert('a_b') === 'aB' ? 'camelCase' : undefined
}

/** The selection of a select, as Drizzle's PostgreSQL has written it; undefined for other SQL. */
export function writtenSelection({ queryChunks }: SQL): SQL | undefined {
  const isText = (at: number, text: string): boolean => {
    const chunk = queryChunks[at]
    return is(chunk, StringChunk) && chunk.value.join('') === text
  }
  const from = queryChunks.findIndex((_, at) => isText(at, ' from '))
  const selection = queryChunks[from - 1]
  return is(selection, SQL) && queryChunks.some((_, at) => at < from && isText(at, 'select'))
    ? selection
    : undefined
}
