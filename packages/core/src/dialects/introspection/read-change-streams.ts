import type { ChangeStream, WatchedTable } from '../../model/schema.js'
import { byName, groupedBy, tableOf, type CatalogContext } from './catalog-context.js'

const STREAM = { change_stream_schema: 'text', change_stream_name: 'text' } as const
const TABLE = { table_schema: 'text', table_name: 'text' } as const

interface StreamRow {
  readonly change_stream_schema: string | null
  readonly change_stream_name: string | null
}

/** The columns that are watched come in no order: whoever knows the table puts them in its own. */
export async function readChangeStreams(context: CatalogContext): Promise<ChangeStream[]> {
  const { read, facts, nameOf } = context
  const streamOf = (row: StreamRow): string =>
    nameOf([row.change_stream_schema ?? '', row.change_stream_name ?? ''])
  const [streams, tables, columns, options] = await Promise.all([
    read({ view: 'change_streams', columns: { ...STREAM, all: 'flag' } }),
    read({ view: 'change_stream_tables', columns: { ...STREAM, ...TABLE, all_columns: 'flag' } }),
    read({ view: 'change_stream_columns', columns: { ...STREAM, ...TABLE, column_name: 'text' } }),
    read({
      view: 'change_stream_options',
      columns: { ...STREAM, option_name: 'text', option_value: 'text' },
    }),
  ])
  const tablesOf = groupedBy(tables, streamOf)
  const columnsOf = groupedBy(columns, (row) => `${streamOf(row)} ${tableOf(context, row)}`)
  const optionsOf = groupedBy(options, streamOf)

  const watched = (stream: string): WatchedTable[] =>
    byName((tablesOf.get(stream) ?? []).map((row) => ({ ...row, name: tableOf(context, row) }))).map(
      ({ name, all_columns }) => ({
        table: name,
        columns: all_columns
          ? 'all'
          : (columnsOf.get(`${stream} ${name}`) ?? []).map((row) => row.column_name ?? ''),
      }),
    )

  return byName(
    streams.map((row) => {
      const name = streamOf(row)
      const told = (optionsOf.get(name) ?? []).map(
        (option) => [option.option_name ?? '', option.option_value ?? ''] as const,
      )
      const all = { ...facts.changeStreamOptions.get(name), ...Object.fromEntries(told) }
      return {
        name,
        watch: row.all ? ('all' as const) : watched(name),
        options: Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1))),
      }
    }),
  )
}
