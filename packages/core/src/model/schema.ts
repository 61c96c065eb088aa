import type { UserTypeField } from './column-type.js'
import type { SqlExpression } from './sql-expression.js'
import type { Table } from './table.js'

/** A bit-reversed sequence. Counters are in decimal, since JSON has no 64-bit integers. */
export interface Sequence {
  readonly name: string
  /** The first counter value, before its bits are reversed. */
  readonly startCounter?: string
  /** Values (as handed out) that are passed over, both ends included. */
  readonly skipRange?: readonly [string, string]
}

/** A type that the user has made of others: a value of several fields. */
export interface UserType {
  readonly name: string
  readonly fields: readonly UserTypeField[]
}

export interface View {
  readonly name: string
  readonly query: SqlExpression
  /** Whose rights a query of the view needs: of who asks, or of who made it. */
  readonly security: 'invoker' | 'definer'
}

export interface WatchedTable {
  readonly table: string
  /** Properties; `all` includes those that are added later. The key is always watched. */
  readonly columns: 'all' | readonly string[]
}

export interface ChangeStream {
  readonly name: string
  readonly watch: 'all' | readonly WatchedTable[]
  /** With the names of the database: `retention_period`, `value_capture_type` … */
  readonly options: Readonly<Record<string, string>>
}

/**
 * A statement that makes or sets what Isotherm does not model, such as a search index: kept, compared and run as text.
 */
export interface OpaqueStatement {
  /** `CREATE SEARCH INDEX AlbumsByTitle ON Albums (TitleTokens)` */
  readonly create: SqlExpression
  /** The statement that undoes it. Absent: the dialect knows it, or there is no such statement. */
  readonly drop?: SqlExpression
}

/**
 * Everything that Isotherm knows of a database: frozen plain data that survives `JSON.stringify`. Decorators,
 * `defineTable` and introspection make one; the linter, the dialects, the database and the migrations read it.
 */
export interface Schema {
  readonly version: 1
  /** Parents stand before their children. */
  readonly tables: readonly Table[]
  /** Named schemas that exist whether or not a table is in them. */
  readonly namespaces: readonly string[]
  readonly sequences: readonly Sequence[]
  /** A view comes after those that it reads. */
  readonly views: readonly View[]
  readonly changeStreams: readonly ChangeStream[]
  /** A type comes after those that it consists of. Absent: there are no user types. */
  readonly userTypes?: readonly UserType[]
  /** In the order in which they run. Absent: there are none. */
  readonly opaqueStatements?: readonly OpaqueStatement[]
}

export function findTable(schema: Schema, name: string): Table | undefined {
  return schema.tables.find((table) => table.name === name)
}

export function findUserType(schema: Pick<Schema, 'userTypes'>, name: string): UserType | undefined {
  return schema.userTypes?.find((type) => type.name === name)
}

/** The named schema of `sales.Order`; undefined for a name without one. */
export function namespaceOf(name: string): string | undefined {
  const dot = name.indexOf('.')
  return dot < 0 ? undefined : name.slice(0, dot)
}

/** A name in the same named schema as a table. */
export function inNamespaceOf(table: string, name: string): string {
  const namespace = namespaceOf(table)
  return namespace === undefined ? name : `${namespace}.${name}`
}
