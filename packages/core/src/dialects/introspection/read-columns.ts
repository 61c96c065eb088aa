import type { CatalogColumn } from './catalog.js'
import { byPosition, groupedBy, tableOf, type CatalogContext } from './catalog-context.js'
import type { CellKind, RowOf } from './catalog-query.js'
import type { ColumnClauses } from './ddl-clauses.js'

const COLUMNS = {
  table_schema: 'text',
  table_name: 'text',
  column_name: 'text',
  ordinal_position: 'integer',
  spanner_type: 'text',
  is_nullable: 'text',
  column_default: 'text',
  is_generated: 'text',
  generation_expression: 'text',
  is_stored: 'text',
  is_hidden: 'text',
  is_identity: 'text',
  identity_start_with_counter: 'text',
  identity_skip_range_min: 'text',
  identity_skip_range_max: 'text',
  on_update_expression: 'text',
} as const satisfies Record<string, CellKind>

type ColumnRow = RowOf<typeof COLUMNS>

/** By table, in their order. Views have columns, too. */
export async function readColumns(context: CatalogContext): Promise<ReadonlyMap<string, CatalogColumn[]>> {
  const [rows, committed] = await Promise.all([
    context.read({
      view: 'columns',
      columns: COLUMNS,
      // Not every engine has them.
      optional: [
        'is_hidden',
        'is_identity',
        'identity_start_with_counter',
        'identity_skip_range_min',
        'identity_skip_range_max',
        'on_update_expression',
      ],
      schemaColumn: 'table_schema',
    }),
    commitTimestamps(context),
  ])
  const columns = groupedBy(byPosition(rows), (row) => tableOf(context, row))
  return new Map(
    [...columns].map(([table, list]) => {
      const clauses = context.facts.tables.get(table)?.columns
      return [
        table,
        list.map((row) => {
          const name = row.column_name ?? ''
          return columnOf(row, clauses?.get(name), committed.has(`${table} ${name}`))
        }),
      ]
    }),
  )
}

/** The columns that take commit timestamps, as `table column`. */
async function commitTimestamps(context: CatalogContext): Promise<ReadonlySet<string>> {
  const rows = await context.read({
    view: 'column_options',
    columns: {
      table_schema: 'text',
      table_name: 'text',
      column_name: 'text',
      option_name: 'text',
      option_value: 'text',
    },
    schemaColumn: 'table_schema',
  })
  const set = rows.filter(
    (row) => row.option_name === 'allow_commit_timestamp' && row.option_value?.toUpperCase() === 'TRUE',
  )
  return new Set(set.map((row) => `${tableOf(context, row)} ${row.column_name}`))
}

function columnOf(row: ColumnRow, clauses: ColumnClauses | undefined, commit: boolean): CatalogColumn {
  const identity = identityOf(row) ?? clauses?.identity
  return {
    name: row.column_name ?? '',
    type: row.spanner_type ?? '',
    nullable: row.is_nullable === 'YES',
    ...(row.column_default !== null && { default: row.column_default }),
    ...(row.is_generated === 'ALWAYS' && {
      generated: { expression: row.generation_expression ?? '', stored: row.is_stored === 'YES' },
    }),
    ...(identity && { identity }),
    updates: row.on_update_expression !== null || clauses?.onUpdate === true,
    allowsCommitTimestamp: commit,
    hidden: /^(?:true|yes)$/i.test(row.is_hidden ?? '') || clauses?.hidden === true,
  }
}

function identityOf(row: ColumnRow): CatalogColumn['identity'] {
  if (row.is_identity !== 'YES') return undefined
  const start = row.identity_start_with_counter
  const [min, max] = [row.identity_skip_range_min, row.identity_skip_range_max]
  return {
    ...(start !== null && { startCounter: start }),
    ...(min !== null && max !== null && { skipRange: [min, max] as const }),
  }
}
