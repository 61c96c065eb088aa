import { IsothermError, type Mutation, type Statement, type TableLayout } from '@isotherm/core/engine'
import { postgresqlStatements } from '../sql/statements.js'

/** How many rows one statement writes. */
const ROWS = 1_000

/** The statements for mutations that wait for the commit. */
export function bufferedStatements(mutations: readonly Mutation[]): Statement[] {
  return mutations.flatMap((mutation) => {
    const layout = layoutOf(mutation)
    const statements = postgresqlStatements
    if (mutation.op === 'delete') return mutation.keys.map((key) => statements.delete(layout, key))
    const { op, rows, found } = mutation
    const columns = mutation.columns.map((name) => layout.columns.find((column) => column.name === name)!)
    if (op === 'update') {
      const isKey = new Set(layout.key.map(({ column }) => column))
      return rows.map((row) => {
        const changes = columns.flatMap((column, at) =>
          isKey.has(column) ? [] : [{ column, value: row[at]! }],
        )
        const key = layout.key.map(({ column }) => row[columns.indexOf(column)]!)
        return statements.update(layout, changes, key, found)
      })
    }
    const parts: Statement[] = []
    for (let from = 0; from < rows.length; from += ROWS) {
      const some = rows.slice(from, from + ROWS)
      parts.push(
        op === 'insert'
          ? statements.insert(layout, columns, some, [])
          : statements.upsert(layout, columns, some)!,
      )
    }
    return parts
  })
}

function layoutOf({ table, layout }: Mutation): TableLayout {
  if (layout) return layout
  throw new IsothermError(
    'UNSUPPORTED',
    `Rows of ${table} cannot be written: nobody has said what its key is.`,
    {
      fix: 'Give the layout of the table with them.',
      table,
    },
  )
}
