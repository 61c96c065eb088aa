import type { CatalogCheck } from './catalog.js'
import { constraintKey, groupedBy, tableOf, type CatalogContext } from './catalog-context.js'

/** By table. */
export async function readChecks(context: CatalogContext): Promise<ReadonlyMap<string, CatalogCheck[]>> {
  const [constraints, clauses] = await Promise.all([
    context.read({
      view: 'table_constraints',
      columns: {
        constraint_schema: 'text',
        constraint_name: 'text',
        table_schema: 'text',
        table_name: 'text',
        constraint_type: 'text',
      },
      schemaColumn: 'table_schema',
    }),
    context.read({
      view: 'check_constraints',
      columns: { constraint_schema: 'text', constraint_name: 'text', check_clause: 'text' },
      schemaColumn: 'constraint_schema',
    }),
  ])
  const clauseOf = new Map(clauses.map((row) => [constraintKey(row), row.check_clause ?? '']))
  const checks = constraints
    .filter((row) => row.constraint_type === 'CHECK')
    .map((row) => ({
      table: tableOf(context, row),
      name: row.constraint_name ?? '',
      clause: clauseOf.get(constraintKey(row)) ?? '',
    }))
    .filter((check) => !isNotNull(check))
  return groupedBy(checks, ({ table }) => table)
}

/** The engine lists NOT NULL among the checks. */
function isNotNull({ name, clause }: CatalogCheck): boolean {
  return name.startsWith('CK_IS_NOT_NULL_') && clause.endsWith(' IS NOT NULL')
}
