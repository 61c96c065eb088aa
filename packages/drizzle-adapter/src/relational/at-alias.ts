import { aliasedTableColumn, Column, is, SQL, type SQLChunk, type Table } from 'drizzle-orm'
import { isAlias, nameOf, schemaOf, withChunks } from '../drizzle-internals.js'

/**
 * An expression in which a table's columns go by an alias, as those that a callback is given do. Columns of other tables stay
 * as they are, and so do queries of the builders: what they read is theirs.
 */
export function atAlias<Expression extends Column | SQL | SQL.Aliased>(
  expression: Expression,
  table: Table,
  alias: string,
): Expression {
  return replaced(expression, table, alias) as Expression
}

function replaced(chunk: SQLChunk, table: Table, alias: string): SQLChunk {
  if (is(chunk, Column)) return isOf(table, chunk) ? aliasedTableColumn(chunk, alias) : chunk
  if (is(chunk, SQL.Aliased))
    return new SQL.Aliased(replaced(chunk.sql, table, alias) as SQL, chunk.fieldAlias)
  if (Array.isArray(chunk)) return chunk.map((each) => replaced(each, table, alias))
  if (!is(chunk, SQL)) return chunk
  return withChunks(
    chunk,
    chunk.queryChunks.map((each) => replaced(each, table, alias)),
  )
}

function isOf(table: Table, column: Column): boolean {
  const own = column.table
  if (own === table) return true
  return nameOf(own) === nameOf(table) && schemaOf(own) === schemaOf(table) && isAlias(own) === isAlias(table)
}
