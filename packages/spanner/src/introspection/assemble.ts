import { type Schema, tokenize } from '@isotherm/core/engine'
import { type CatalogReader, type ChangeStream, type View, foldName, tablePaths } from '@isotherm/core/tools'
import type { Catalog, CatalogChangeStream, CatalogTable, CatalogView } from './catalog.js'
import type { IntrospectedDialect } from './dialect.js'
import { isOpaque } from './columns.js'
import { opaqueStatementsOf, withOpaque } from './opaque.js'
import { tablesOf } from './tables.js'
import { readCatalog } from './read-catalog.js'

/**
 * Views in an order in which they can be created: each after those that it reads, otherwise by name. Isotherm finds what a
 * query reads from its text, in which a name may mean something else; then the order of the database's own DDL decides.
 */
function viewsOf(views: readonly CatalogView[], dialect: IntrospectedDialect): View[] {
  const left = new Map(views.map((view) => [view, new Set(tableNames(view.query, dialect))]))
  const sorted: View[] = []
  while (left.size > 0) {
    const waiting = [...left.keys()]
    const ready = waiting.find(
      (view) =>
        !waiting.some(
          (other) => other !== view && left.get(view)?.has(foldName(other.name, dialect.lexicalSyntax)),
        ),
    )
    const next = ready ?? waiting.reduce((a, b) => (b.position < a.position ? b : a))
    left.delete(next)
    sorted.push({
      name: next.name,
      query: { [dialect.lexicalSyntax.name]: next.query },
      security: next.security,
    })
  }
  return sorted
}

/** The names at positions where a table may be. */
function tableNames(query: string, { lexicalSyntax, defaultSchema }: IntrospectedDialect): string[] {
  return tablePaths(tokenize(query, lexicalSyntax)).map((path) =>
    foldName((path[0] === defaultSchema ? path.slice(1) : path).join('.'), lexicalSyntax),
  )
}

/** The schema that Isotherm would have made this database from, as far as the database stores it. */
function assemble(read: Catalog, dialect: IntrospectedDialect, note: (text: string) => void): Schema {
  const catalog = withOpaque(read, dialect, note)
  const opaqueStatements = opaqueStatementsOf(catalog, dialect)
  for (const table of catalog.tables) noteVectorLengths(table, dialect, note)
  return {
    version: 1,
    tables: tablesOf(catalog, dialect),
    namespaces: catalog.namespaces,
    sequences: catalog.sequences,
    views: viewsOf(catalog.views, dialect),
    changeStreams: catalog.changeStreams.map((stream) => inTableOrder(stream, catalog)),
    ...(opaqueStatements.length > 0 && { opaqueStatements }),
  }
}

const VECTOR_LENGTH = /\bvector(?:_length\s*=>\s*| length )\d+/i

/** A `Schema` has arrays, of any length. */
function noteVectorLengths(
  { name, columns }: CatalogTable,
  dialect: IntrospectedDialect,
  note: (text: string) => void,
): void {
  for (const column of columns) {
    const [length] = VECTOR_LENGTH.exec(column.type) ?? []
    if (length === undefined || isOpaque(column, dialect)) continue
    note(
      `The column ${name}.${column.name} has ${length}, and models have no vector length: a database that is made from them ` +
        'lacks it. To keep the length, declare the column in opaqueColumns of the table; rows are then read without it.',
    )
  }
}

/** The catalogue has the columns that a stream watches in no order. */
function inTableOrder(read: CatalogChangeStream, { tables }: Catalog): ChangeStream {
  const { name: stream, options } = read
  if (read.watch === 'all') return { name: stream, watch: read.watch, options }
  const watch = read.watch.map(({ table, columns }) => {
    const names = tables.find(({ name }) => name === table)?.columns.map(({ name }) => name)
    return {
      table,
      columns: columns === 'all' || !names ? columns : names.filter((name) => columns.includes(name)),
    }
  })
  return { name: stream, watch, options }
}

export async function introspectedSchema(
  reader: CatalogReader,
  dialect: IntrospectedDialect,
): Promise<Schema> {
  return assemble(await readCatalog(reader, dialect), dialect, (text) => reader.note?.(text))
}
