import type { Column } from '../model/column.js'
import { isSqlDialect, sqlFor, type DialectName, type SqlExpression } from '../model/sql-expression.js'
import { columnOf, type Table } from '../model/table.js'
import { parseSql, type SqlText } from '../sql/syntax-tree.js'
import { namesIn } from './sql-search.js'

// What a schema says in SQL: generated columns, defaults, and shards that somebody else computes.

function textOf(expression: SqlExpression | undefined, dialect: DialectName): SqlText | undefined {
  const sql = expression === undefined ? undefined : sqlFor(expression, dialect)
  return sql === undefined || !isSqlDialect(dialect) ? undefined : parseSql(sql, dialect)
}

/** How the database computes a column, where the schema has it as SQL. */
export function generatedText(column: Column, dialect: DialectName): SqlText | undefined {
  const adopted = column.source?.kind === 'shard' ? column.source.expression : undefined
  return textOf(column.generated?.expression ?? adopted, dialect)
}

export function defaultText(column: Column, dialect: DialectName): SqlText | undefined {
  return textOf(column.default, dialect)
}

/** The columns that an expression names. Upper and lower case are the same in a name. */
export function columnsNamedIn(table: Table, text: SqlText): Column[] {
  const names = new Set(namesIn(text).map((name) => name.toLowerCase()))
  return table.columns.filter((column) => names.has(column.name.toLowerCase()))
}

export function columnNamed(table: Table, name: string): Column | undefined {
  return table.columns.find((column) => column.name.toLowerCase() === name.toLowerCase())
}

/** The columns from which the database computes this one; undefined where it does not. */
export function computedFrom(table: Table, column: Column, dialect: DialectName): Column[] | undefined {
  if (!isComputed(column)) return undefined
  const text = generatedText(column, dialect)
  return text ? columnsNamedIn(table, text) : hashedBy(table, column)
}

/** The columns whose hash this one is, whoever computes it; undefined where it is none. */
export function hashedBy(table: Table, { source }: Column): Column[] | undefined {
  if (source?.kind !== 'shard' && source?.kind !== 'hash') return undefined
  return source.of.flatMap((property) => columnOf(table, property) ?? [])
}

/** Whether the database computes a column from others. */
export function isComputed({ generated, source }: Column): boolean {
  if (generated) return true
  return (source?.kind === 'shard' || source?.kind === 'hash') && source.computedBy === 'database'
}

/** Columns set to the time of the commit, which nobody knows before it. */
export function isCommitTimestamp(column: Column, dialect: DialectName): boolean {
  if (column.source?.kind === 'timestamp' && column.source.from === 'commit') return true
  const text = defaultText(column, dialect)
  return text?.some((node) => node.kind === 'call' && node.name === 'pending_commit_timestamp') ?? false
}

/** Whether a column decides where rows or the entries of an index lie: a part of the key, or an index's first. */
export function placesRows(table: Table, column: Column): boolean {
  if (column.inherited) return false
  return (
    table.primaryKey.some((part) => part.property === column.property) ||
    table.indexes.some((index) => !index.shard && index.parts[0]?.property === column.property)
  )
}
