import type { SqlDialect } from '@isotherm/core'
import { columnCodec, type ResultColumn, type ResultSet, type ResultType } from '@isotherm/core/adapter'
import { put } from './put.js'

/** What `db.execute` gives: rows by column name, and of a DML statement how many rows it touched. */
export type RawResult<Row = Record<string, unknown>> = Row[] & { readonly rowCount: number | undefined }

/** Turns a cell into what a row shows; undefined where that is the same. */
type Show = ((cell: unknown) => unknown) | undefined

/**
 * Rows of a statement that nothing is known of. A column without a name is called by its place: `_0`. A STRUCT is an object,
 * and a JSON document is parsed.
 */
export function rawRows({ columns, rows, rowCount }: ResultSet, dialect: SqlDialect): RawResult {
  const toObject = objectOf(columns, dialect)
  // Not enumerable, so that the result is an array like any other.
  return Object.defineProperty(rows.map(toObject), 'rowCount', { value: rowCount }) as RawResult
}

function objectOf(
  columns: readonly ResultColumn[],
  dialect: SqlDialect,
): (cells: readonly unknown[]) => Record<string, unknown> {
  const names = columns.map(({ name }, at) => name || `_${at}`)
  const shows = columns.map(({ type }) => showOf(type, dialect))
  return (cells) => {
    const row: Record<string, unknown> = {}
    for (let at = 0; at < names.length; at++) {
      const cell = cells[at]
      const show = shows[at]
      put(row, names[at]!, cell === null || !show ? cell : show(cell))
    }
    return row
  }
}

function showOf(type: ResultType, dialect: SqlDialect): Show {
  switch (type.kind) {
    case 'json': {
      const { decode } = columnCodec({ kind: 'json' }, dialect)
      return decode
    }
    case 'struct':
      return objectOf(type.fields, dialect) as Show
    case 'array': {
      const show = showOf(type.of, dialect)
      return show && ((items) => (items as unknown[]).map((item) => (item === null ? null : show(item))))
    }
    default:
      return undefined
  }
}
