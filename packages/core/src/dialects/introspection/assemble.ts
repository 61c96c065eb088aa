import type { ChangeStream, Schema } from '../../model/schema.js'
import type { Catalog } from './catalog.js'
import type { IntrospectedDialect } from './dialect.js'
import { tablesOf } from './tables.js'
import { viewsOf } from './views.js'

/** What a catalogue means: the schema that Isotherm would have made this database from, as far as the database remembers. */
export function assemble(catalog: Catalog, dialect: IntrospectedDialect): Schema {
  return {
    version: 1,
    tables: tablesOf(catalog, dialect),
    namespaces: catalog.namespaces,
    sequences: catalog.sequences,
    views: viewsOf(catalog.views, dialect),
    changeStreams: catalog.changeStreams.map((stream) => inTableOrder(stream, catalog)),
  }
}

/** The catalogue has the columns that a stream watches in no order. */
function inTableOrder(stream: ChangeStream, { tables }: Catalog): ChangeStream {
  if (stream.watch === 'all') return stream
  const watch = stream.watch.map(({ table, columns }) => {
    const names = tables.find(({ name }) => name === table)?.columns.map(({ name }) => name)
    return {
      table,
      columns: columns === 'all' || !names ? columns : names.filter((name) => columns.includes(name)),
    }
  })
  return { ...stream, watch }
}
