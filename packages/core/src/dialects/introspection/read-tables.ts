import type { Interleaving } from '../../model/table.js'
import type { CatalogTable } from './catalog.js'
import { byName, parentName, tableOf, type CatalogContext } from './catalog-context.js'
import { readColumns } from './read-columns.js'
import { readChecks } from './read-checks.js'
import { readForeignKeys } from './read-foreign-keys.js'
import { readIndexes } from './read-indexes.js'

/** Sorted by name; columns and key parts are in their own order. */
export async function readTables(context: CatalogContext): Promise<CatalogTable[]> {
  const rows = await context.read({
    view: 'tables',
    columns: {
      table_schema: 'text',
      table_name: 'text',
      table_type: 'text',
      parent_table_name: 'text',
      on_delete_action: 'text',
      interleave_type: 'text',
      row_deletion_policy_expression: 'text',
    },
    optional: ['interleave_type', 'row_deletion_policy_expression'],
    schemaColumn: 'table_schema',
  })
  const tables = rows.filter((row) => row.table_type === 'BASE TABLE')
  const names = new Set(tables.map((row) => tableOf(context, row)))
  const [columns, { keys, indexes }, checks, foreignKeys] = await Promise.all([
    readColumns(context),
    readIndexes(context, names),
    readChecks(context),
    readForeignKeys(context),
  ])
  return byName(
    tables.map((row): CatalogTable => {
      const name = tableOf(context, row)
      const policy = row.row_deletion_policy_expression
      const parent = parentOf(context, row, names)
      return {
        name,
        columns: columns.get(name) ?? [],
        key: keys.get(name) ?? [],
        ...(parent && { parent }),
        indexes: byName(indexes.get(name) ?? []),
        checks: byName(checks.get(name) ?? []),
        foreignKeys: byName(foreignKeys.get(name) ?? []),
        ...(policy !== null && policy !== '' && { rowDeletion: policy }),
      }
    }),
  )
}

interface ParentRow {
  readonly table_schema: string | null
  readonly table_name: string | null
  readonly parent_table_name: string | null
  readonly on_delete_action: string | null
  readonly interleave_type: string | null
}

function parentOf(
  context: CatalogContext,
  row: ParentRow,
  tables: ReadonlySet<string>,
): Interleaving | undefined {
  const parent = row.parent_table_name ?? ''
  if (parent === '') return undefined
  const inDdl = context.facts.tables.get(tableOf(context, row))?.parent
  return {
    table: inDdl ?? parentName(context, parent, row.table_schema, tables),
    onDelete: row.on_delete_action === 'CASCADE' ? 'cascade' : 'no action',
    ...(row.interleave_type === 'IN' && { required: false as const }),
  }
}
