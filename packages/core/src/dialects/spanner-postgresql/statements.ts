import { physicalColumns, type PhysicalColumn, type TableLayout } from '../layout.js'
import { plainName } from '../plain-name.js'
import { commonStatements, conditions, insertInto, shardColumn, source, tail } from '../sql-statements.js'
import { isFloat, SqlWriter, type SqlSyntax } from '../sql-writer.js'
import type { Statements } from '../statement.js'
import { quote } from './identifier.js'

/**
 * The emulator ends on a comparison of a NULL float. A CASE keeps it from comparing, and means the same everywhere; no index
 * is lost by it but one that starts with a nullable float.
 */
function unlessNull(column: PhysicalColumn, expression: string, comparison: string): string {
  return column.nullable && isFloat(column)
    ? `CASE WHEN ${expression} IS NULL THEN NULL ELSE ${comparison} END`
    : comparison
}

const syntax: SqlSyntax = {
  returning: 'RETURNING',
  nulls: 'highest',
  commitTimestamp: 'SPANNER.PENDING_COMMIT_TIMESTAMP()',
  quote,
  parameter: (number) => ({ text: `$${number}`, name: `p${number}` }),
  compare: (column, expression, operator, operand) =>
    unlessNull(column, expression, `${expression} ${operator} ${operand}`),
  isOneOf(column, expression, values, parameter) {
    const { type } = column
    if (type.kind === 'array') return 'FALSE'
    // ANY does not take arrays of these.
    if (type.kind === 'numeric' || isFloat(column)) {
      const list = values.map((value) => parameter(type, value)).join(', ')
      return unlessNull(column, expression, `${expression} IN (${list})`)
    }
    return `${expression} = ANY(${parameter({ kind: 'array', of: type }, values)})`
  },
  startsWith: (expression, prefix) => `starts_with(${expression}, ${prefix})`,
  orderTerm(column, expression, direction) {
    const suffix = direction === 'desc' ? ' DESC' : ''
    // As above: NULL, the highest value, is told apart before anything is compared.
    return column.nullable && isFloat(column)
      ? `(${expression} IS NULL)${suffix}, COALESCE(${expression}, 0)${suffix}`
      : expression + suffix
  },
  forceIndex: (index) => ` /*@ FORCE_INDEX=${quote(plainName(index))} */`,
}

/** Source: https://cloud.google.com/spanner/quotas#query-limits */
const MAX_UNIONS = 200
const MAX_FUNCTION_CALLS = 1000

/** Operators count as function calls. */
const OPERATOR = /\b(?:AND|OR|NOT|IS|IN|ANY|CASE|starts_with)\b|[=<>!]+/g

/** Joined pair by pair: in a plain list each query lies one level deeper than the one before, and levels are limited. */
function unionAll(queries: readonly string[]): string {
  if (queries.length === 1) return queries[0]!
  const half = queries.length >> 1
  return `(${unionAll(queries.slice(0, half))} UNION ALL ${unionAll(queries.slice(half))})`
}

export const spannerPostgreSqlStatements: Statements = {
  ...commonStatements(syntax),

  upsert(layout, columns, rows) {
    // A generated key part can be named as what conflicts, but not be set; the emulator takes neither.
    if (layout.key.some(({ column }) => !column.written)) return undefined
    const writer = new SqlWriter(syntax)
    const insert = insertInto(writer, syntax, layout, columns, rows)
    // Every column that is inserted has to be set, the key's too.
    const set = columns.map((column) => `${writer.column(column)} = excluded.${writer.column(column)}`)
    return writer.statement(
      `INSERT ${insert} ON CONFLICT (${keyColumns(writer, layout)}) DO UPDATE SET ${set.join(', ')}`,
    )
  },

  shardsPerStatement(selection) {
    // Each shard's query has them all once more, and the comparison of its shard.
    const operators = conditions(new SqlWriter(syntax), selection).join(' AND ').match(OPERATOR)?.length ?? 0
    return Math.min(MAX_UNIONS, Math.max(1, Math.floor(MAX_FUNCTION_CALLS / (operators + 1))))
  },

  selectPerShard(selection) {
    const { layout, shards } = selection
    const own = shardColumn(selection)
    const writer = new SqlWriter(syntax)
    const columns = writer.columns(physicalColumns(layout))
    // All shards are asked the same, but for the shard itself: the parameters are shared.
    const rest =
      conditions(writer, selection)
        .map((each) => ` AND ${each}`)
        .join('') + tail(writer, selection)
    const perShard = shards.map(
      (each) =>
        `(SELECT ${columns} FROM ${source(syntax, selection)}` +
        ` WHERE ${writer.column(own)} = ${writer.parameter(own.type, String(each))}${rest})`,
    )
    return writer.statement(
      `SELECT ${columns} FROM ${unionAll(perShard)} AS shards${tail(writer, selection)}`,
    )
  },
}

function keyColumns(writer: SqlWriter, layout: TableLayout): string {
  return writer.columns(layout.key.map((part) => part.column))
}
