import type { types } from 'cassandra-driver'
import type { CqlStatement } from '../../dialects/cql/statements.js'
import type { Call } from './sending.js'

/** Rows of one page where nobody wants fewer. */
export const FETCH_SIZE = 5_000

/** Undefined for a row that is not to be handed on. */
export type RowDecoder = (row: types.Row) => unknown[] | undefined

/**
 * The rows of a read, page by page. A page counts what the servers have looked at and not what is left of it: one without
 * rows is not the end, and only one without a state is. (The client's own iterator ends at the first empty page:
 * https://issues.apache.org/jira/browse/NODEJS-668.)
 *
 * @param limit how many rows are wanted; the statement may give more
 */
export function collectPages(
  call: Call,
  statement: CqlStatement,
  decode: RowDecoder,
  limit = Infinity,
): Promise<unknown[][]> {
  // Most reads are of one page: they take no promise more than the client makes.
  return call.page(statement, Math.min(limit, FETCH_SIZE)).then((result) => {
    const rows: unknown[][] = []
    take(result, decode, limit, rows)
    const isWhole = result.pageState === null || rows.length === limit
    return isWhole ? rows : restOf(call, statement, decode, limit, rows, result.pageState)
  })
}

async function restOf(
  call: Call,
  statement: CqlStatement,
  decode: RowDecoder,
  limit: number,
  rows: unknown[][],
  second: string,
): Promise<unknown[][]> {
  let pageState: string | null = second
  while (pageState !== null && rows.length < limit && !call.ended) {
    const result: types.ResultSet = await call.page(
      statement,
      Math.min(limit - rows.length, FETCH_SIZE),
      pageState,
    )
    take(result, decode, limit, rows)
    pageState = result.pageState
  }
  return rows
}

function take({ rows: given }: types.ResultSet, decode: RowDecoder, limit: number, rows: unknown[][]): void {
  if (!given) return
  for (let at = 0; at < given.length && rows.length < limit; at++) {
    const row = decode(given[at]!)
    if (row !== undefined) rows.push(row)
  }
}
