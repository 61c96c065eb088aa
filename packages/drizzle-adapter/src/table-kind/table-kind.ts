import type { Casing, Column, SQL, Table } from 'drizzle-orm'
import { type BuiltQuery, nameOf, schemaOf } from '../drizzle-internals.js'
import { type Workload, IsothermError, type Suppression, type SequenceOptions } from '@isotherm/core'
import type { ColumnDeclaration, SqlDialectRuntime } from '@isotherm/core/adapter'

/** `finance.Invoice` */
export function qualifiedName(table: Table): string {
  return inSchema(schemaOf(table), nameOf(table))
}

export function inSchema(schema: string | undefined, name: string): string {
  return schema === undefined || name.includes('.') ? name : `${schema}.${name}`
}

/** Drizzle's name for a unique constraint without a name of its own. */
export function uniqueName(table: Table, columns: readonly Column[]): string {
  return [nameOf(table), ...columns.map(({ name }) => name), 'unique'].join('_')
}

/** A column in a key or an index. */
export interface OrderedColumn {
  readonly column: Column
  readonly order: 'asc' | 'desc'
  /** The position of NULL. Undefined: as in the dialect's order. */
  readonly nulls?: 'first' | 'last' | undefined
}

/** As much of a table as says what its primary key is. */
export interface DeclaredKey {
  readonly columns: readonly Column[]
  readonly primaryKeys: readonly { readonly parts: readonly OrderedColumn[] }[]
  readonly interleaving: DeclaredInterleaving | undefined
}

interface DeclaredInterleaving {
  readonly parent: Table
  readonly onDelete: 'cascade' | 'no action'
  readonly requireParent: boolean
}

export interface DeclaredIndex {
  readonly name: string | undefined
  readonly columns: readonly OrderedColumn[]
  readonly unique: boolean
  readonly nullFiltered: boolean
  readonly notNull: readonly Column[]
  readonly storing: readonly Column[]
  readonly interleaveIn: Table | undefined
  readonly shard: { readonly shards: number; readonly of: readonly Column[] } | undefined
}

export interface DeclaredForeignKey {
  readonly name: string | undefined
  readonly columns: readonly Column[]
  readonly foreignTable: Table
  readonly foreignColumns: readonly Column[]
  readonly onDelete: 'cascade' | 'no action'
  readonly enforced: boolean
}

export interface DeclaredSuppression {
  readonly rule: Suppression['rule']
  readonly on: Column | string | undefined
  readonly reason: string
}

/** All that was declared of a table. Its columns may be any that have the names of the table's own. */
export interface Declarations extends DeclaredKey {
  readonly indexes: readonly DeclaredIndex[]
  /** Unique constraints, which are indexes: Spanner has no other form. */
  readonly uniques: readonly { readonly name: string; readonly columns: readonly Column[] }[]
  readonly foreignKeys: readonly DeclaredForeignKey[]
  readonly checks: readonly { readonly name: string; readonly value: SQL | string }[]
  readonly rowDeletion: { readonly column: Column; readonly days: number } | undefined
  readonly workload: Workload | undefined
  readonly suppressions: readonly DeclaredSuppression[]
}

/** A view, as DDL has it. */
export interface DeclaredView {
  readonly name: string
  readonly sql: string
  readonly security: 'invoker' | 'definer'
}

/** One of the two kinds of tables that Isotherm knows, and how Drizzle has what is declared of them. */
export interface TableKind {
  readonly dialect: SqlDialectRuntime
  /** The dialects whose databases can have its tables: their SQL is the same. */
  readonly dialects: readonly string[]
  /** The function that declares tables of this kind, for messages. */
  readonly declaredWith: string
  isTable(value: object): value is Table
  /** A value that is not a table, but shows just as well which kind a module is of. */
  isOther(value: object): boolean
  keyOf(table: Table): DeclaredKey
  /** @throws {IsothermError} `UNSUPPORTED_MODEL` for what Spanner does not support. */
  declarationsOf(table: Table, words: DdlSyntax): Declarations
  /** A column's type, and how its values are made, without the details of the DDL. */
  declarationOf(column: Column): ColumnDeclaration
  /** Whether a key of Isotherm's may be in the column. Most tables have no such column, and need no schema. */
  mayBeMade(column: Column): boolean
  /** The generator of a column's values, if its default declares one: a sequence, or a UUID. */
  sourceOfDefault(column: Column): ColumnDeclaration['source']
  namedSchemaOf(value: object): string | undefined
  /** Declared sequences, and those that columns draw from and that say what they are like. */
  sequences(entities: readonly object[], tables: readonly Table[]): SequenceOptions[]
  /** The declared views, without existing ones. */
  views(entities: readonly object[], casing: Casing | undefined): DeclaredView[]
  wordsFor(casing: Casing | undefined): DdlSyntax
  /** The value that is passed for a column of commit timestamps. */
  readonly commitTimestamp: SQL
}

/** The names of columns, and SQL expressions, in DDL. */
export interface DdlSyntax {
  columnName(column: Column): string
  /** An expression over the columns of one table. */
  expression(sql: SQL): string
  /** A value of a column, or an expression in its place. */
  valueOf(column: Column, value: unknown): string
}

/** @throws {IsothermError} `UNSUPPORTED_MODEL` for a query with a placeholder. */
export function viewSql(name: string, { sql, params }: BuiltQuery): string {
  if (params.length === 0) return sql
  throw new IsothermError('UNSUPPORTED_MODEL', `The view ${name} has a placeholder in its query.`, {
    fix: 'Write the value itself: a view takes no parameters.',
  })
}

/** Views, each after those that it reads. */
export function viewsInOrder(views: readonly DeclaredView[]): DeclaredView[] {
  const sorted = new Set<DeclaredView>()
  const add = (view: DeclaredView, above: readonly object[]): void => {
    if (above.includes(view)) return
    for (const other of views) if (other !== view && reads(view.sql, other.name)) add(other, [...above, view])
    sorted.add(view)
  }
  for (const view of views) add(view, [])
  return [...sorted]
}

/** Whether a query has a view after FROM or JOIN, with quotes around its name or without. */
function reads(query: string, view: string): boolean {
  const name = view
    .split('.')
    .map((part) => `["\`]?${part}["\`]?`)
    .join('\\.')
  return new RegExp(`\\b(?:from|join)(?:@\\{[^}]*\\})?\\s+${name}(?![\\w\`".])`, 'i').test(query)
}
