import {
  IsothermError,
  type Mutation,
  type PhysicalColumn,
  type Statement,
  SqlWriter,
  type TableLayout,
  type Wire,
  missingRow,
} from '@isotherm/core/engine'
import { writtenKey } from './errors.js'
import { quote } from '../sql/lexical-syntax.js'
import { MAX_PARAMETERS, postgresqlStatements, postgresqlSyntax } from '../sql/statements.js'

/** How many rows one statement writes at most. */
const ROWS = 1_000

interface BufferedStatement {
  readonly statement: Statement
  /** Of an update: the error where it changes no row. */
  readonly updates?: () => IsothermError
}

/** The statements for mutations that wait for the commit. */
export function bufferedStatements(mutations: readonly Mutation[]): BufferedStatement[] {
  return mutations.flatMap((mutation): BufferedStatement[] => {
    const layout = layoutOf(mutation)
    if (mutation.op === 'delete')
      return mutation.keys.map((key) => ({ statement: postgresqlStatements.delete(layout, key) }))
    const { op, rows } = mutation
    const columns = mutation.columns.map((name) => layout.columns.find((column) => column.name === name)!)
    if (op === 'update') {
      return rows.map((row, at) => ({
        statement: update(layout, columns, row, mutation),
        updates: () => missingRow(layout.table.name, writtenKey(mutation, layout, at), { layout }),
      }))
    }
    const parts: BufferedStatement[] = []
    // A column of lists makes each value a parameter.
    const atOnce = Math.min(ROWS, Math.floor(MAX_PARAMETERS / columns.length))
    for (let from = 0; from < rows.length; from += atOnce) {
      const some = rows.slice(from, from + atOnce)
      const statement =
        op === 'insert'
          ? postgresqlStatements.insert(layout, columns, some, [])
          : postgresqlStatements.upsert(layout, columns, some)
      if (statement) parts.push({ statement })
    }
    return parts
  })
}

/** The parts of the key that the database computes follow from the others, and from what the row is found by. */
function update(
  layout: TableLayout,
  columns: readonly PhysicalColumn[],
  row: readonly Wire[],
  { found = [] }: Exclude<Mutation, { readonly op: 'delete' }>,
): Statement {
  const writer = new SqlWriter(postgresqlSyntax)
  const inKey = new Set(layout.key.map(({ column }) => column))
  const set: string[] = []
  const where: string[] = []
  for (const [at, column] of columns.entries()) {
    if (inKey.has(column)) where.push(writer.same(column, row[at]!))
    else set.push(`${writer.column(column)} = ${writer.value(column.type, row[at]!)}`)
  }
  for (const { column, value } of found) where.push(writer.same(column, value))
  return writer.statement(
    `UPDATE ${quote(layout.table.name)} SET ${set.join(', ')} WHERE ${where.join(' AND ')}`,
  )
}

function layoutOf({ table, layout }: Mutation): TableLayout {
  if (layout) return layout
  throw new IsothermError('UNSUPPORTED_WRITE', `Rows of ${table} cannot be written: its key is unknown.`, {
    fix: 'Give the layout of the table with them.',
    table,
  })
}
