import type { SqlDialect } from '../model/sql-expression.js'
import { dialectNamed } from '../dialects/registry.js'
import type { Table } from '../model/table.js'

/** What the database computes columns of, by their properties: expressions over the row's other columns, as DDL has them. */
export function generatedExpressions(table: Table, dialect: SqlDialect): ReadonlyMap<string, string> {
  const { fields } = dialectNamed(dialect).layout(table)
  return new Map(
    fields.flatMap(({ column, physical: [first] }) =>
      first?.made?.by === 'generated' ? [[column.property, first.made.expression] as const] : [],
    ),
  )
}
