import { physicalColumns } from '../layout.js'
import { plainName } from '../plain-name.js'
import { commonStatements, conditions, insertInto, shardColumn, source, tail } from '../sql-statements.js'
import { SqlWriter, unqualified, type SqlSyntax } from '../sql-writer.js'
import type { Statements } from '../statement.js'
import { quote } from './identifier.js'

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
    if (column.type.kind === 'array') return 'FALSE'
    return `${expression} IN UNNEST(${parameter({ kind: 'array', of: column.type }, values)})`
  },
  startsWith: (expression, prefix) => `STARTS_WITH(${expression}, ${prefix})`,
  orderTerm: (_, expression, direction) => (direction === 'desc' ? `${expression} DESC` : expression),
  forceIndex: (index) => `@{FORCE_INDEX=${quote(plainName(index))}}`,
}

export const googleSqlStatements: Statements = {
  ...commonStatements(syntax),

  upsert(layout, columns, rows) {
    const writer = new SqlWriter(syntax)
    return writer.statement(`INSERT OR UPDATE ${insertInto(writer, syntax, layout, columns, rows)}`)
  },

  shardsPerStatement: () => Infinity,

  selectPerShard(selection) {
    const { layout, shards } = selection
    const own = shardColumn(selection)
    const writer = new SqlWriter(syntax)
    const columns = writer.columns(physicalColumns(layout))
    const list = writer.shardList(shards)
    const inside = writer.from(layout)
    const asked = [`${inside.column(own)} = _shard`, ...conditions(inside, selection)]
    const perShard =
      `SELECT AS STRUCT ${inside.columns(physicalColumns(layout))} FROM ${source(syntax, selection)}` +
      ` WHERE ${asked.join(' AND ')}${tail(inside, selection)}`
    return writer.statement(
      `SELECT ${columns} FROM UNNEST(${list}) AS _shard, UNNEST(ARRAY(${perShard}))${tail(writer, selection)}`,
    )
  },
}
