import type { Catalog, CatalogIndex, CatalogKeyPart, CatalogTable } from './catalog.js'

/** How many times a column is named outside its table's columns and key: by indexes, foreign keys and change streams. */
export function usesOf(catalog: Catalog, table: CatalogTable): (column: string) => number {
  const names = [
    ...table.indexes.flatMap((index) => [
      ...ownParts(catalog, index).map(({ column }) => column),
      ...index.storing,
    ]),
    ...table.foreignKeys.flatMap(({ columns }) => columns),
    ...catalog.tables.flatMap(({ foreignKeys }) =>
      foreignKeys.flatMap((key) => (key.table === table.name ? key.references : [])),
    ),
    ...catalog.changeStreams.flatMap(({ watch }) =>
      watch === 'all'
        ? []
        : watch.flatMap(({ table: watched, columns }) =>
            watched === table.name && columns !== 'all' ? columns : [],
          ),
    ),
  ]
  return (column) => names.filter((name) => name === column).length
}

/** An interleaved index begins with the key of the table that it lies in, mirrors and all. */
function ownParts({ tables }: Catalog, { parts, interleaveIn }: CatalogIndex): readonly CatalogKeyPart[] {
  const parent = tables.find(({ name }) => name === interleaveIn)
  return parts.slice(parent?.key.length ?? 0)
}
