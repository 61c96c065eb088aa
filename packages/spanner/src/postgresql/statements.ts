import {
  type PhysicalColumn,
  type Selection,
  type SqlSyntax,
  SqlWriter,
  type Statements,
  type TableLayout,
  type Wire,
  canBeKey,
  commonStatements,
  conditions,
  insertInto,
  isComposite,
  isFloat,
  physicalColumns,
  plainName,
  shardColumn,
  source,
  tail,
  paired,
} from '@isotherm/core/engine'
import { quote } from './lexical-syntax.js'

/**
 * The emulator's process ends at a comparison of a NULL float. A CASE prevents the comparison, and means the same
 * everywhere; only an index that starts with a nullable float cannot be used with it.
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
    if (isComposite(type)) return 'FALSE'
    // ANY does not take arrays of these, and the emulator no list of numerics.
    if (type.kind === 'numeric')
      return `(${values.map((value) => `${expression} = ${parameter(type, value)}`).join(' OR ')})`
    if (isFloat(column)) {
      const list = values.map((value) => parameter(type, value)).join(', ')
      return unlessNull(column, expression, `${expression} IN (${list})`)
    }
    return `${expression} = ANY(${parameter({ kind: 'array', of: type }, values)})`
  },
  startsWith: (expression, prefix) => `starts_with(${expression}, ${prefix})`,
  orderTerm(column, expression, direction) {
    const suffix = direction === 'desc' ? ' DESC' : ''
    // As above: NULL, the highest value, is compared first.
    return column.nullable && isFloat(column)
      ? `(${expression} IS NULL)${suffix}, COALESCE(${expression}, 0)${suffix}`
      : expression + suffix
  },
  lockRows: '/*@ LOCK_SCANNED_RANGES=exclusive */ ',
  // There is nothing that makes rows but an array.
  sequenceNumbers(sequence, count, parameter) {
    const rows = parameter({ kind: 'array', of: { kind: 'int64' } }, Array<string>(count).fill('0'))
    return `SELECT nextval('${sequence.replaceAll("'", "''")}') FROM unnest(${rows})`
  },
  forceIndex: (index) => ` /*@ FORCE_INDEX=${quote(plainName(index))} */`,
  castTypes: { numeric: 'numeric', double: 'double precision', text: 'text' },
  // It keeps the zeros that a number was written with.
  numericText(expression) {
    const text = `CAST(${expression} AS text)`
    return `CASE WHEN strpos(${text}, '.') > 0 THEN rtrim(rtrim(${text}, '0'), '.') ELSE ${text} END`
  },
  hasExtremes: (type) => canBeKey(type) && type.kind !== 'bool' && type.kind !== 'bytes',
}

/** Source: https://cloud.google.com/spanner/quotas#query-limits */
const MAX_UNIONS = 200
const MAX_FUNCTION_CALLS = 1000
export const MAX_PARAMETERS = 950

/** Operators count as function calls. */
const OPERATOR = /\b(?:AND|OR|NOT|IS|IN|ANY|CASE|COALESCE|starts_with)\b|[=<>!]+/g

/**
 * Joined pair by pair: in a plain list each query is nested one level deeper than the one before, and levels are limited.
 */
function unionAll(queries: readonly string[]): string {
  const [only, ...others] = queries
  if (only !== undefined && others.length === 0) return only
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
    const own = shardColumn(selection)
    const writer = new SqlWriter(syntax)
    const perShard = queries(
      writer,
      selection,
      [own],
      selection.shards.map((shard) => [String(shard)]),
    )
    const columns = writer.columns(physicalColumns(selection.layout))
    return writer.statement(
      `SELECT ${columns} FROM ${unionAll(perShard)} AS shards${tail(writer, selection)}`,
    )
  },

  parentsPerStatement(selection) {
    const { parentKey } = selection
    const writer = new SqlWriter(syntax)
    const [one = ''] = queries(writer, selection, parentKey, [parentKey.map(() => '')])
    const operators = one.match(OPERATOR)?.length ?? 0
    const shared = writer.statement('').parameters.length - parentKey.length
    return Math.max(
      1,
      Math.min(
        MAX_UNIONS,
        Math.floor(MAX_FUNCTION_CALLS / operators),
        Math.floor((MAX_PARAMETERS - shared) / parentKey.length),
      ),
    )
  },

  selectPerParent(selection) {
    const { layout, parentKey, parents } = selection
    const writer = new SqlWriter(syntax)
    const perParent = queries(writer, selection, parentKey, parents)
    const columns = writer.columns(physicalColumns(layout))
    return writer.statement(`SELECT ${columns} FROM ${unionAll(perParent)} AS children`)
  },
}

/** A query for each of these values of some columns. All queries share the other parameters. */
function queries(
  writer: SqlWriter,
  selection: Selection,
  own: readonly PhysicalColumn[],
  values: readonly (readonly Wire[])[],
): readonly string[] {
  const columns = writer.columns(physicalColumns(selection.layout))
  const rest =
    conditions(writer, selection)
      .map((each) => ` AND ${each}`)
      .join('') + tail(writer, selection)
  return values.map((each) => {
    const same = paired(own, each)
      .map(([column, wire]) => writer.same(column, wire))
      .join(' AND ')
    return `(SELECT ${columns} FROM ${source(syntax, selection)} WHERE ${same}${rest})`
  })
}

function keyColumns(writer: SqlWriter, layout: TableLayout): string {
  return writer.columns(layout.key.map((part) => part.column))
}
