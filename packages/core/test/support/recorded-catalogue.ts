import type { CatalogReader } from '@isotherm/core/tools'

/** A row of a view of the information schema, by its columns. What is left out is NULL. */
export type RecordedRow = Readonly<Record<string, Cell>>

type Cell = string | number | bigint | boolean | null | undefined

export interface RecordedDatabase {
  /** By the view's name: `columns`, `indexes` … */
  readonly views: Readonly<Record<string, readonly RecordedRow[]>>
  readonly ddl?: readonly string[]
  /** Columns of the catalogue that not every engine has, as `view.column`. */
  readonly has?: readonly string[]
}

/** A reader that answers from rows that were written down: any value as text, as the cast of the statement gives it. */
export function recordedCatalogue({ views, ddl = [], has = [] }: RecordedDatabase): CatalogReader {
  return {
    async query({ text }) {
      if (text.startsWith('SELECT table_name, column_name FROM information_schema.columns'))
        return has.map((name) => name.split('.'))
      return text.split(' UNION ALL ').flatMap((select) => {
        const [, number, list, view] = /^SELECT '(\d+)', (.+) FROM information_schema\.(\w+)/.exec(select)!
        const columns = list!.split(', ').map((cast) => /^CAST\((?:NULL|.(\w+).) AS \w+\)$/.exec(cast)![1])
        return (views[view!] ?? []).map((row) => [
          number,
          ...columns.map((column) => textOf(column === undefined ? null : row[column])),
        ])
      })
    },
    ddl: async () => ddl,
  }
}

const textOf = (cell: Cell): string | null => (cell === null || cell === undefined ? null : String(cell))

interface RecordedColumn extends RecordedRow {
  readonly column_name: string
  readonly spanner_type: string
}

export interface RecordedTable {
  readonly schema?: string
  readonly name?: string
  readonly columns: readonly RecordedColumn[]
  /** Names, each with `DESC` behind it where it descends. */
  readonly key: readonly string[]
  /** Further columns of the table's own row. */
  readonly row?: RecordedRow
}

/** The rows of some tables, with the usual values where a test does not give others. */
export function recordedTables(tables: readonly RecordedTable[]): Record<string, RecordedRow[]> {
  const position = ({ schema = '', name = 'T' }: RecordedTable): RecordedRow => ({
    table_schema: schema,
    table_name: name,
  })
  return {
    tables: tables.map((table) => ({ ...position(table), table_type: 'BASE TABLE', ...table.row })),
    columns: tables.flatMap((table) =>
      table.columns.map((column, at) => ({
        ...position(table),
        ordinal_position: at + 1,
        is_nullable: 'NO',
        is_generated: 'NEVER',
        ...column,
      })),
    ),
    indexes: tables.map((table) => ({
      ...position(table),
      index_name: 'PRIMARY_KEY',
      index_type: 'PRIMARY_KEY',
      is_unique: true,
    })),
    index_columns: tables.flatMap((table) =>
      table.key.map((part, at) => ({
        ...position(table),
        index_name: 'PRIMARY_KEY',
        column_name: part.split(' ')[0]!,
        ordinal_position: at + 1,
        column_ordering: part.split(' ')[1] ?? 'ASC',
      })),
    ),
  }
}
