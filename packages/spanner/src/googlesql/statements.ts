import {
  type PhysicalColumn,
  type ScalarType,
  type Selection,
  type SqlSyntax,
  SqlWriter,
  type Statements,
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
  unqualified,
  itemAt,
} from '@isotherm/core/engine'
import { quote } from './lexical-syntax.js'

const syntax: SqlSyntax = {
  returning: 'THEN RETURN',
  nulls: 'lowest',
  isNan: (expression) => `IS_NAN(${expression})`,
  commitTimestamp: 'PENDING_COMMIT_TIMESTAMP()',
  quote,
  // A bare name that is the table's as well, whatever its case, means the whole row.
  needsQualifier(layout) {
    const own = unqualified(layout).toLowerCase()
    return layout.columns.some(({ name }) => name.toLowerCase() === own)
  },
  parameter: (number) => ({ text: `@p${number}`, name: `p${number}` }),
  compare: (_, expression, operator, operand) => `${expression} ${operator} ${operand}`,
  isOneOf(column, expression, values, parameter) {
    if (isComposite(column.type)) return 'FALSE'
    return `${expression} IN UNNEST(${parameter({ kind: 'array', of: column.type }, values)})`
  },
  startsWith: (expression, prefix) => `STARTS_WITH(${expression}, ${prefix})`,
  orderTerm: (_, expression, direction) => (direction === 'desc' ? `${expression} DESC` : expression),
  // Source: https://cloud.google.com/spanner/docs/reference/standard-sql/query-syntax#statement_hints
  lockRows: '@{LOCK_SCANNED_RANGES=exclusive} ',
  // The name is not an expression, and cannot be a parameter.
  sequenceNumbers(sequence, count, parameter) {
    const rows = `UNNEST(GENERATE_ARRAY(1, ${parameter({ kind: 'int64' }, String(count))}))`
    return `SELECT GET_NEXT_SEQUENCE_VALUE(SEQUENCE ${quote(sequence)}) FROM ${rows}`
  },
  forceIndex: (index) => `@{FORCE_INDEX=${quote(plainName(index))}}`,
  castTypes: { numeric: 'NUMERIC', double: 'FLOAT64', text: 'STRING' },
  numericText: (expression) => `CAST(${expression} AS STRING)`,
  hasExtremes: canBeKey,
}

export const googleSqlStatements: Statements = {
  ...commonStatements(syntax),

  upsert(layout, columns, rows) {
    const writer = new SqlWriter(syntax)
    return writer.statement(`INSERT OR UPDATE ${insertInto(writer, syntax, layout, columns, rows)}`)
  },

  shardsPerStatement: () => Infinity,

  selectPerShard(selection) {
    const own = shardColumn(selection)
    const writer = new SqlWriter(syntax)
    const shards = `UNNEST(${writer.shardList(selection.shards)}) AS _shard`
    const text = nested(writer, selection, shards, (inside) => [`${inside.column(own)} = _shard`])
    return writer.statement(text + tail(writer, selection))
  },

  parentsPerStatement: () => Infinity,

  selectPerParent(selection) {
    const { parentKey, parents } = selection
    const writer = new SqlWriter(syntax)
    // A list for each part of the key; a parent has the same position in all of them.
    const lists = parentKey.map((column, part) => {
      const values = parents.map((key) => itemAt(key, part))
      // No key part is an array itself.
      const list = writer.parameter({ kind: 'array', of: column.type as ScalarType }, values)
      return { column, values, list }
    })
    const positions = `UNNEST(${itemAt(lists, 0).list}) AS _parent WITH OFFSET AS _at`
    const text = nested(writer, selection, positions, (inside) =>
      lists.map(({ column, values, list }, part) =>
        sameAs(column, inside.column(column), part === 0 ? '_parent' : `${list}[OFFSET(_at)]`, values),
      ),
    )
    return writer.statement(text)
  },
}

/** A query within another: once for each row of `outer`, with a limit of its own each time. */
function nested(
  writer: SqlWriter,
  selection: Selection,
  outer: string,
  extraConditions: (inside: SqlWriter) => readonly string[],
): string {
  const { layout } = selection
  const columns = physicalColumns(layout)
  const inside = writer.from(layout)
  const where = [...extraConditions(inside), ...conditions(inside, selection)].join(' AND ')
  const query =
    `SELECT AS STRUCT ${inside.columns(columns)} FROM ${source(syntax, selection)}` +
    ` WHERE ${where}${tail(inside, selection)}`
  return `SELECT ${writer.columns(columns)} FROM ${outer}, UNNEST(ARRAY(${query}))`
}

/** The column has the value of an operand, NULL and NaN included where that can be one. */
function sameAs(
  column: PhysicalColumn,
  expression: string,
  operand: string,
  values: readonly Wire[],
): string {
  const same = [`${expression} = ${operand}`]
  if (values.includes(null)) same.push(`(${expression} IS NULL AND ${operand} IS NULL)`)
  if (isFloat(column) && values.includes('NaN')) same.push(`(IS_NAN(${expression}) AND IS_NAN(${operand}))`)
  const [only, ...others] = same
  return only !== undefined && others.length === 0 ? only : `(${same.join(' OR ')})`
}
