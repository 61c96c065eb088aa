import type { SqlSyntax, SqlWriter } from './sql-writer.js'
import type { GroupColumn, Measure } from './statement.js'

// What stands between SELECT and FROM where rows are grouped.

export function groupExpression(
  syntax: SqlSyntax,
  writer: SqlWriter,
  { column, asText }: GroupColumn,
): string {
  const expression = writer.column(column)
  return asText ? syntax.numericText(expression) : expression
}

export function measureExpression(syntax: SqlSyntax, writer: SqlWriter, measure: Measure): string {
  const { castTypes } = syntax
  const [column] = measure.columns
  if (!column) return 'COUNT(*)'
  const expression = writer.column(column)
  const { kind } = column.type
  switch (measure.compute) {
    case 'count':
      return 'COUNT(*)'
    case 'countDistinct':
      return `COUNT(DISTINCT ${distinguished(syntax, writer, measure)})`
    case 'sum':
      return kind === 'int64' ? wholeSum(syntax, expression) : `SUM(${doubled(syntax, expression, kind)})`
    case 'avg':
      // Their own averages of integers are of different types, and one of them adds up floats.
      return kind === 'int64'
        ? `CAST(${wholeSum(syntax, expression)} AS ${castTypes.double}) / COUNT(${expression})`
        : `AVG(${doubled(syntax, expression, kind)})`
    case 'min':
      return `MIN(${expression})`
    case 'max':
      return `MAX(${expression})`
    case 'values':
      return `ARRAY_AGG(${expression})`
  }
}

/** 64 bits do not hold the sum of many integers of 64 bits. */
function wholeSum({ castTypes }: SqlSyntax, expression: string): string {
  return `SUM(CAST(${expression} AS ${castTypes.numeric}))`
}

/** Sums of floats of 32 bits are kept in 64, in which they are given back. */
function doubled({ castTypes }: SqlSyntax, expression: string, kind: string): string {
  return kind === 'float32' ? `CAST(${expression} AS ${castTypes.double})` : expression
}

/** One expression that differs where the values do. */
function distinguished(syntax: SqlSyntax, writer: SqlWriter, { columns, asText }: Measure): string {
  const expressions = columns.map((column) => writer.column(column))
  if (asText) return syntax.numericText(expressions[0]!)
  // COUNT takes one expression. A value in several columns lies in integers, whose texts hold no slash.
  return expressions.length === 1
    ? expressions[0]!
    : expressions.map((each) => `CAST(${each} AS ${syntax.castTypes.text})`).join(" || '/' || ")
}
