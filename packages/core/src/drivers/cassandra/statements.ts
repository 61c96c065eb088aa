import type { types } from 'cassandra-driver'
import { IsothermError } from '../../errors.js'
import type { Cells, ReadOptions, ResultColumn, ResultSet } from '../../database/driver.js'
import type { Statement } from '../../dialects/statement.js'
import type { WireType } from '../../dialects/wire.js'
import type { Session } from './execute.js'
import { FETCH_SIZE } from './paging.js'
import { resultColumns } from './result-types.js'
import type { Call } from './sending.js'
import { rowDecoder, type RowCells } from './values.js'

// Statements that come as text: those of the catalogue, and those of others.

/** Rows of a statement whose columns are known by their types. */
export function queryRows(
  session: Session,
  statement: Statement,
  types: readonly WireType[],
  options: ReadOptions,
): Promise<Cells[]> {
  return session.call('read', options, async (call) => {
    let decode: RowCells | undefined
    const rows: Cells[] = []
    for await (const page of pagesOf(call, statement, true)) {
      const columns = types.map((type, at) => ({ name: page.columns[at]!.name, type }))
      decode ??= rowDecoder(columns, true)
      for (const row of page.rows ?? []) rows.push(decode(row))
    }
    return rows
  })
}

/** Runs a statement of somebody else's, whose columns only the database knows. */
export async function runStatement(
  session: Session,
  statement: Statement,
  options: ReadOptions,
): Promise<ResultSet> {
  const verb = firstWord(statement.text)
  if (verb === 'USE') throw movesKeyspace()
  const reads = verb === 'SELECT'
  return session.call(reads ? 'read' : 'once', options, async (call) => {
    if (!reads) call.sent = true
    let columns: ResultColumn[] | undefined
    let decode: RowCells | undefined
    const rows: Cells[] = []
    // A statement without parameters is mostly made for this one run: to prepare it would push another out of the client's
    // memory of those that are.
    for await (const page of pagesOf(call, statement, statement.parameters.length > 0)) {
      columns ??= readable(resultColumns(page))
      decode ??= rowDecoder(columns)
      for (const row of page.rows ?? []) rows.push(decode(row))
    }
    return { columns: columns ?? [], rows }
  })
}

/** A row of the client's is an object: what cannot stand in one under its name would come as something else. */
function readable(columns: ResultColumn[]): ResultColumn[] {
  const names = columns.map(({ name }) => name)
  const lost = names.find((name, at) => name === '__proto__' || names.indexOf(name) < at)
  if (lost === undefined) return columns
  throw new IsothermError('UNSUPPORTED', `The client cannot tell the column ${lost} of the result.`, {
    fix: 'Give each column a name of its own: SELECT … AS …',
  })
}

/** Pages without rows are pages: see `collectPages`. */
async function* pagesOf(call: Call, statement: Statement, prepare: boolean): AsyncGenerator<types.ResultSet> {
  let pageState: string | undefined
  do {
    const page = await call.page(statement, FETCH_SIZE, pageState, prepare)
    yield page
    pageState = page.pageState ?? undefined
  } while (pageState !== undefined && !call.ended)
}

const NOTHING = String.raw`\s|--[^\n]*|//[^\n]*|/\*[\s\S]*?\*/`
const FIRST_WORD = new RegExp(String.raw`^(?:${NOTHING})*(\w+)`)

/** In capitals; empty for what is no statement. */
export function firstWord(text: string): string {
  return (FIRST_WORD.exec(text)?.[1] ?? '').toUpperCase()
}

function movesKeyspace(): IsothermError {
  return new IsothermError(
    'UNSUPPORTED',
    'USE would move every statement of this client to another keyspace.',
    {
      fix: 'Make a client of that keyspace, or name the keyspace in the statement.',
    },
  )
}
