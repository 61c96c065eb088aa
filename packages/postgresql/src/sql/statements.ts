import {
  type PhysicalColumn,
  type Selection,
  type SqlSyntax,
  SqlWriter,
  type Statements,
  type TableLayout,
  type Wire,
  type WireRow,
  COMMIT_TIMESTAMP,
  canBeKey,
  commonStatements,
  conditions,
  insertInto,
  isComposite,
  physicalColumns,
  shardColumn,
  source,
  tail,
} from '@isotherm/core/engine'
import { quote, quoteText } from './lexical-syntax.js'
import { listType, parameterType } from './types.js'

export const postgresqlSyntax: SqlSyntax = {
  returning: 'RETURNING',
  nulls: 'highest',
  commitTimestamp: 'transaction_timestamp()',
  quote,
  // With its type: PostgreSQL would guess it from what is around, and there is not always anything.
  parameter: (number, type) => ({ text: `$${number}::${parameterType(type)}`, name: `p${number}` }),
  compare: (_, expression, operator, operand) => `${expression} ${operator} ${operand}`,
  isOneOf({ type }, expression, values, parameter) {
    if (isComposite(type)) return 'FALSE'
    return `${expression} = ANY(${parameter(listType(type), values)})`
  },
  startsWith: (expression, prefix) => `starts_with(${expression}, ${prefix})`,
  orderTerm: (_, expression, direction) => (direction === 'desc' ? `${expression} DESC` : expression),
  scansKeys: true,
  lockRows: '',
  sequenceNumbers(sequence, count, parameter) {
    const rows = parameter({ kind: 'int64' }, String(count))
    return `SELECT ${bitReversedNext(sequence)} FROM generate_series(1, ${rows})`
  },
  // There are no hints: the planner chooses the index.
  forceIndex: () => '',
  castTypes: { numeric: 'numeric', double: 'double precision', text: 'text' },
  numericText: (expression) => `CAST(trim_scale(${expression}) AS text)`,
  // By way of text, since a cast from a float keeps 15 digits.
  floatAverage: (expression) => `CAST(AVG(CAST(CAST(${expression} AS text) AS numeric)) AS double precision)`,
  hasExtremes: (type) =>
    canBeKey(type) &&
    type.kind !== 'bool' &&
    type.kind !== 'bytes' &&
    !(type.kind === 'uuid' && (type.storage === 'native' || type.storage === 'bytes')),
}

/** The next number of a sequence, with its bits reversed: a positive integer of 64 bits. */
export function bitReversedNext(sequence: string): string {
  return `('0' || reverse(nextval(${quoteText(quote(sequence))})::bit(63)::text))::bit(64)::bigint`
}

/** Source: https://www.postgresql.org/docs/current/limits.html */
export const MAX_PARAMETERS = 65_535

/** Lists are one parameter each, of any length. */
const MAX_AT_ONCE = 10_000

const common = commonStatements(postgresqlSyntax)

export const postgresqlStatements: Statements = {
  ...common,

  insert(layout, columns, rows, returning) {
    const writer = new SqlWriter(postgresqlSyntax)
    const insert = `INSERT ${rowsInto(writer, layout, columns, rows)}`
    return writer.statement(
      returning.length > 0 ? `${insert} RETURNING ${writer.columns(returning)}` : insert,
    )
  },

  getLocked(layout, key) {
    const { text, parameters } = common.getLocked(layout, key)
    return { text: `${text} FOR UPDATE`, parameters }
  },

  upsert(layout, columns, rows) {
    const writer = new SqlWriter(postgresqlSyntax)
    const insert = rowsInto(writer, layout, columns, rows)
    const inKey = new Set(layout.key.map(({ column }) => column))
    const set = columns
      .filter((column) => !inKey.has(column))
      .map((column) => `${writer.column(column)} = excluded.${writer.column(column)}`)
    return writer.statement(
      `INSERT ${insert} ON CONFLICT (${keyColumns(writer, layout)}) DO ${set.length > 0 ? `UPDATE SET ${set.join(', ')}` : 'NOTHING'}`,
    )
  },

  shardsPerStatement: () => MAX_AT_ONCE,

  selectPerShard(selection) {
    const writer = new SqlWriter(postgresqlSyntax)
    const list = writer.shardList(selection.shards)
    return writer.statement(
      `${perRowOf(writer, selection, [shardColumn(selection)], [list])}${tail(writer, selection, false)}`,
    )
  },

  parentsPerStatement: () => MAX_AT_ONCE,

  selectPerParent(selection) {
    const { parentKey, parents } = selection
    const writer = new SqlWriter(postgresqlSyntax)
    const lists = parentKey.map(({ type }, at) =>
      writer.parameter(
        listType(type),
        parents.map((parent) => parent[at] as Wire),
      ),
    )
    return writer.statement(perRowOf(writer, selection, parentKey, lists))
  },
}

/**
 * The head of an INSERT. A list for each column is one parameter, whatever the number of rows: the statement is short, and the same
 * for all of them. Lists of lists are not to be had, and a default cannot be in a list.
 */
function rowsInto(
  writer: SqlWriter,
  layout: TableLayout,
  columns: readonly PhysicalColumn[],
  rows: readonly WireRow[],
): string {
  let isListed = rows.length > 1 && columns.every(({ type }) => type.kind !== 'array')
  const lists = columns.map((_, at): WireRow =>
    rows.map((row) => {
      const wire = row[at]
      if (wire === undefined || wire === COMMIT_TIMESTAMP) isListed = false
      return wire
    }),
  )
  if (!isListed) return insertInto(writer, postgresqlSyntax, layout, columns, rows)
  const parameters = columns.map(({ type }, at) => writer.parameter(listType(type), lists[at] as Wire))
  return `INTO ${quote(layout.table.name)} (${writer.columns(columns)}) SELECT * FROM unnest(${parameters.join(', ')})`
}

/**
 * A query for each row of some lists, in which these columns have the row's values, with filter, order and limit of its own. Each
 * is a scan of the index from where the values begin.
 */
function perRowOf(
  writer: SqlWriter,
  selection: Selection,
  own: readonly PhysicalColumn[],
  lists: readonly string[],
): string {
  const columns = writer.columns(physicalColumns(selection.layout))
  // Names that no table and no column of a model has.
  const names = own.map((_, at) => `_p${at}`)
  const same = own.map((column, at) => `${writer.column(column)} = _each.${names[at]}`)
  const where = [...same, ...conditions(writer, selection)].join(' AND ')
  return (
    `SELECT ${columns} FROM unnest(${lists.join(', ')}) AS _each(${names.join(', ')}) CROSS JOIN LATERAL ` +
    `(SELECT ${columns} FROM ${source(postgresqlSyntax, selection)} WHERE ${where}${tail(writer, selection)}) AS _rows`
  )
}

function keyColumns(writer: SqlWriter, layout: TableLayout): string {
  return writer.columns(layout.key.map((part) => part.column))
}
