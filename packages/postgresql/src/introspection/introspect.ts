import type { Schema } from '@isotherm/core/engine'
import type { CatalogReader, Sequence, View } from '@isotherm/core/tools'
import { startOf } from './columns.js'
import { isCountedBy, isInvoker, isPlainView, opaqueStatementsOf, queryOf } from './opaque.js'
import { type Scope, readScope } from './scope.js'
import { tablesOf } from './tables.js'

/**
 * The schema that Isotherm would have made this database from, as far as the database stores it: of the schema `public`, or of the
 * first one of `search_path`, and of named schemas. Owners, rights and comments are not read.
 *
 * @throws {IsothermError} `UNSUPPORTED_OBJECT` naming the table and the column, for a key with a column that no schema models.
 */
export async function introspectPostgresql(reader: CatalogReader): Promise<Schema> {
  const scope = await readScope(reader)
  const tables = tablesOf(scope)
  const opaqueStatements = opaqueStatementsOf(scope, tables)
  return {
    version: 1,
    tables,
    namespaces: scope.namespaces,
    sequences: sequencesOf(scope, tables),
    views: viewsOf(scope),
    changeStreams: [],
    ...(opaqueStatements.length > 0 && { opaqueStatements }),
  }
}

function sequencesOf({ sequences, tables: scoped }: Scope, tables: Schema['tables']): Sequence[] {
  return sequences.flatMap(({ row, name }): Sequence[] => {
    if (row.isIdentity || !row.isPlain) return []
    const owner = scoped.find((table) => table.row.oid === row.owner)?.name
    const column = tables
      .find((table) => table.name === owner)
      ?.columns.find((each) => each.name === row.ownerColumn)
    return column && isCountedBy(column, row.isPlain) ? [] : [{ name, ...startOf(row) }]
  })
}

/** Each after those that it reads, otherwise by name. */
function viewsOf({ views }: Scope): View[] {
  const sorted = new Set<(typeof views)[number]>()
  const add = (view: (typeof views)[number]): void => {
    for (const oid of view.row.reads) {
      const read = views.find(({ row }) => row.oid === oid)
      if (read && !sorted.has(read)) add(read)
    }
    sorted.add(view)
  }
  for (const view of views) add(view)
  return [...sorted].filter(isPlainView).map(({ name, row }) => ({
    name,
    query: { postgresql: queryOf(row) },
    security: isInvoker(row) ? 'invoker' : 'definer',
  }))
}
