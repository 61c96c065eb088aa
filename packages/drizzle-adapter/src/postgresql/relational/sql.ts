import { aliasedTableColumn, and, Column, is, Name, SQL, sql, StringChunk, type SQLChunk } from 'drizzle-orm'
import type { RelationalNode } from '../../relational/plan.js'

/**
 * The statement of one table of a relational query.
 *
 * @param keys columns that are read beside the fields, and put after them: they say which rows belong together
 * @param belongs which of the rows are wanted
 */
export function levelSql(node: RelationalNode, keys: readonly Column[], belongs?: SQL): SQL {
  const { table, alias, fields, isOne, orderBy, limit, offset } = node
  const where = and(belongs, node.where)
  const selected = [
    ...fields.map(({ field }) => (is(field, Column) ? aliasedTableColumn(field, alias) : expression(field))),
    ...keys.map((key) => aliasedTableColumn(key, alias)),
  ]
  const chunks: SQLChunk[] = [
    new StringChunk('select '),
    sql.join(selected, sql`, `),
    new StringChunk(' from '),
    table,
    new StringChunk(' '),
    new Name(alias),
  ]
  if (where) chunks.push(new StringChunk(' where '), where)
  if (orderBy.length > 0) chunks.push(new StringChunk(' order by '), sql.join([...orderBy], sql`, `))
  // Of nested rows, only the reader knows which are the first of theirs.
  const most = isOne && !belongs ? 1 : limit
  if (most !== undefined) chunks.push(sql` limit ${most}`)
  // Spanner skips rows only where it stops after some.
  else if (offset !== undefined) chunks.push(new StringChunk(' limit 9223372036854775807'))
  if (offset !== undefined) chunks.push(sql` offset ${offset}`)
  return new SQL(chunks)
}

function expression(field: SQL | SQL.Aliased): SQL {
  return is(field, SQL.Aliased) ? sql`${field.sql} as ${sql.identifier(field.fieldAlias)}` : field
}
