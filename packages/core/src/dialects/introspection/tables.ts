import { IsothermError } from '../../errors.js'
import type { RowDeletion, Table } from '../../model/table.js'
import { foldName } from '../../sql/fold.js'
import type { Catalog, CatalogTable } from './catalog.js'
import { columnsOf, type ColumnContext } from './columns.js'
import type { IntrospectedDialect } from './dialect.js'
import { indexOf, indexShardsOf } from './indexes.js'
import { mirrorsOf, withoutMirrors } from './mirrors.js'
import { usesOf } from './uses.js'

/** The tables, parents first and otherwise by name. */
export function tablesOf(catalog: Catalog, dialect: IntrospectedDialect): Table[] {
  const context = { dialect, sequences: catalog.sequences.map(({ name }) => name) }
  const tables = new Map<string, Table>()
  const add = (table: CatalogTable): Table => {
    const known = tables.get(table.name)
    if (known) return known
    const parent = catalog.tables.find(({ name }) => name === table.parent?.table)
    const made = tableOf(catalog, table, parent && add(parent), context)
    tables.set(table.name, made)
    return made
  }
  for (const table of catalog.tables) add(table)
  return [...tables.values()]
}

function tableOf(
  catalog: Catalog,
  table: CatalogTable,
  parent: Table | undefined,
  context: ColumnContext,
): Table {
  const { dialect } = context
  const uses = usesOf(catalog, table)
  const mirrors = mirrorsOf(table, uses, dialect)
  const all = columnsOf(table, parent, context)
  const shards = indexShardsOf(table, all, uses, dialect)
  const dropped = new Set([...mirrors.keys(), ...[...shards.values()].map(({ column }) => column)])
  const rowDeletion =
    table.rowDeletion === undefined ? undefined : rowDeletionOf(table, table.rowDeletion, dialect)
  return {
    name: table.name,
    columns: all.filter(({ name }) => !dropped.has(name)),
    primaryKey: withoutMirrors(table.key, mirrors).map(({ column, order }) => ({ property: column, order })),
    indexes: table.indexes.map((index) => indexOf(table, index, mirrors, shards.get(index.name))),
    ...(table.parent && { parent: table.parent }),
    checks: table.checks.map(({ name, clause }) => ({ name, expression: { [dialect.name]: clause } })),
    foreignKeys: table.foreignKeys,
    ...(rowDeletion && { rowDeletion }),
    exceptions: [],
  }
}

function rowDeletionOf(table: CatalogTable, policy: string, dialect: IntrospectedDialect): RowDeletion {
  const read = dialect.rowDeletion(policy)
  // The policy is kept as it was written, the column perhaps in other letters than its own.
  const column =
    read &&
    table.columns.find(({ name }) => foldName(name, dialect.name) === foldName(read.column, dialect.name))
  if (read && column) return { property: column.name, days: read.days }
  throw new IsothermError('UNSUPPORTED', `${table.name} has the row deletion policy ${policy}.`, {
    fix: 'Isotherm has whole days after the time in a column: declare the tables that you need as models.',
    table: table.name,
  })
}
