import { paired } from '@isotherm/core/adapter'
import { IsothermError } from '@isotherm/core'
import { Column, Name, SQL, type SQLChunk, StringChunk, is } from 'drizzle-orm'
import {
  type NestedRelation,
  type RelationalField,
  type RelationalNode,
  scopedToNode,
} from '../../relational/plan.js'
import { quoteName } from './literals.js'
import { pushOrdering, refuseForeignSource, text } from './select-sql.js'
import { FromSource } from '../../sql/sources.js'

const SELECT = text('select ')
const NESTED = text('array(select as struct ')
const NESTED_END = text(')')
const FROM = text(' from ')
const WHERE = text(' where ')
const AND = text(' and ')
const EQUALS = text(' = ')
const COMMA = text(', ')
const AS = text(' as ')

/**
 * How deeply relations may be nested: 25 nested subqueries are allowed, and one level is kept for reading the result.
 *
 * Source: https://cloud.google.com/spanner/quotas#query-limits
 */
const MAX_NESTED = 24

type ColumnName = (column: Column) => string

/**
 * A relational query as one statement: rows that belong to a row are an array of structs within it, with at most one
 * element if the relation is to one, since a struct alone cannot be a column of a result.
 *
 * @throws {IsothermError} `UNSUPPORTED_QUERY` for more nested relations than a statement can have, and for a table that was not
 * declared for GoogleSQL.
 * Source: https://cloud.google.com/spanner/docs/reference/standard-sql/subqueries#array_subquery_concepts
 */
export function relationalSql(root: RelationalNode, columnName: ColumnName): SQL {
  refuseDepth(root)
  const chunks: SQLChunk[] = [SELECT]
  pushFields(chunks, root, columnName)
  root.relations.forEach((relation, at) => {
    if (at > 0 || root.fields.length > 0) chunks.push(COMMA)
    pushRelation(chunks, root, relation, columnName)
    pushName(chunks, relation.name, root)
  })
  pushRest(chunks, root, [])
  return scopedToNode(chunks, root)
}

function refuseDepth(root: RelationalNode): void {
  const depth = depthOf(root)
  if (depth <= MAX_NESTED) return
  throw new IsothermError(
    'UNSUPPORTED_QUERY',
    `The relations of ${root.alias} are ${depth} within one another, and Spanner nests no more than ${MAX_NESTED}.`,
    { fix: 'Read the innermost ones by a query of their own, with inArray(…) over the keys of the first.' },
  )
}

function depthOf({ relations }: RelationalNode): number {
  return relations.reduce((deepest, { node }) => Math.max(deepest, 1 + depthOf(node)), 0)
}

function pushRelation(
  chunks: SQLChunk[],
  { alias }: RelationalNode,
  { outer, inner, node }: NestedRelation,
  columnName: ColumnName,
): void {
  const nested: SQLChunk[] = [NESTED]
  pushFields(nested, node, columnName)
  node.relations.forEach((relation, at) => {
    if (at > 0 || node.fields.length > 0) nested.push(COMMA)
    pushRelation(nested, node, relation, columnName)
  })
  const on = paired(inner, outer).flatMap(([column, outside], at): SQLChunk[] => [
    ...(at > 0 ? [AND] : []),
    placed(node.alias, column, columnName),
    EQUALS,
    placed(alias, outside, columnName),
  ])
  pushRest(nested, node, on)
  nested.push(NESTED_END)
  chunks.push(scopedToNode(nested, node))
}

function pushFields(chunks: SQLChunk[], node: RelationalNode, columnName: ColumnName): void {
  node.fields.forEach((each, at) => {
    if (at > 0) chunks.push(COMMA)
    pushField(chunks, each, node, columnName)
  })
}

function pushField(
  chunks: SQLChunk[],
  { field }: RelationalField,
  node: RelationalNode,
  columnName: ColumnName,
): void {
  if (is(field, Column)) {
    chunks.push(placed(node.alias, field, columnName))
  } else if (is(field, SQL.Aliased)) {
    chunks.push(field.sql)
    pushName(chunks, field.fieldAlias, node)
  } else {
    chunks.push(field)
  }
}

/** The names are for code that reads the result elsewhere. In ORDER BY, a name would hide the table with the same name. */
function pushName(chunks: SQLChunk[], name: string, { alias }: RelationalNode): void {
  if (name.toLowerCase() !== alias.toLowerCase()) chunks.push(AS, new Name(name))
}

/** @param on what makes its rows belong to the row around them; empty at the root */
function pushRest(chunks: SQLChunk[], node: RelationalNode, on: readonly SQLChunk[]): void {
  const { table, where, orderBy, isOne, limit, offset } = node
  refuseForeignSource(table)
  chunks.push(FROM)
  chunks.push(new FromSource(table, undefined, true))
  if (on.length > 0 || where) chunks.push(WHERE)
  for (const each of on) chunks.push(each)
  // In parentheses: an OR in it must not let in the rows of others.
  if (where && on.length === 0) chunks.push(where)
  else if (where) chunks.push(AND, isEnclosed(where) ? where : [where])
  pushOrdering(chunks, { limit: isOne ? 'one' : limit, offset }, orderBy)
}

/** As Drizzle's `and` and `or` have made it. */
function isEnclosed({ queryChunks }: SQL): boolean {
  const [first, , last, ...more] = queryChunks
  return isText(first, '(') && isText(last, ')') && more.length === 0
}

function isText(chunk: SQLChunk | undefined, expected: string): boolean {
  return is(chunk, StringChunk) && chunk.value.join('') === expected
}

function placed(alias: string, column: Column, columnName: ColumnName): SQLChunk {
  return text(`${quoteName(alias)}.${quoteName(columnName(column))}`)
}
