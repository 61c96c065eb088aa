import type { types } from 'cassandra-driver'
import type { CqlRead, CqlStatement, CqlStatements } from '../cql/statements.js'
import type { Call } from './sending.js'
import {
  type Cells,
  IsothermError,
  type ReadOptions,
  type PhysicalColumn,
  type ReadRequest,
  type TableLayout,
  keyFields,
  shownKey,
  staticColumns,
} from '@isotherm/core/engine'
import type { Session } from './execute.js'
import { columnsDecoder } from './values.js'

/** Rows of one page where the caller does not ask for fewer. */
export const FETCH_SIZE = 5_000

/** Rows of the second page, at least. */
const MIN_SECOND_PAGE = 100

/** Undefined for a row that is not returned. */
export type RowDecoder = (row: types.Row) => unknown[] | undefined

/**
 * The rows of a read, page by page. A page counts scanned rows, not the remaining ones: an empty page is not the end, only
 * one without a page state is. (The client's own iterator ends at the first empty page:
 * https://issues.apache.org/jira/browse/NODEJS-668.)
 *
 * @param limit how many rows are wanted; the statement may return more
 */
function collectPages(
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
  // Few of the remaining rows may be wanted: the pages grow.
  let size = MIN_SECOND_PAGE
  while (pageState !== null && rows.length < limit && !call.ended) {
    const result: types.ResultSet = await call.page(
      statement,
      Math.min(Math.max(limit - rows.length, size), FETCH_SIZE),
      pageState,
    )
    size *= 2
    take(result, decode, limit, rows)
    pageState = result.pageState
  }
  return rows
}

function take({ rows: page }: types.ResultSet, decode: RowDecoder, limit: number, rows: unknown[][]): void {
  if (!page) return
  for (let at = 0; at < page.length && rows.length < limit; at++) {
    const row = decode(page[at]!)
    if (row !== undefined) rows.push(row)
  }
}

/**
 * Runs jobs by their positions from 0, some at a time, until all have run or no more are wanted.
 *
 * @param wanted asked before each job begins
 * @throws what a job throws; none begins after that.
 */
async function sideBySide(
  count: number,
  max: number,
  job: (at: number) => Promise<void>,
  wanted: () => boolean = () => true,
): Promise<void> {
  let next = 0
  let failed = false
  const work = async (): Promise<void> => {
    while (next < count && !failed && wanted()) {
      try {
        await job(next++)
      } catch (error) {
        failed = true
        throw error
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(count, max) }, work))
}

/** How many keys and ranges of one request are read at a time. A client's connection takes 2,048 calls in all. */
const SIDE_BY_SIDE = 128

/**
 * Rows by keys, or by ranges of one partition each: in the order in which those are given, and within a range in the order
 * of the key.
 *
 * @throws {IsothermError} `UNSUPPORTED_QUERY` for a read of the whole table, of an index, or of a range over several partitions.
 */
export async function readRows(
  session: Session,
  statements: CqlStatements,
  request: ReadRequest,
  options: ReadOptions,
  purpose: 'read' | 'serial-read',
): Promise<Cells[]> {
  const { limit = Infinity } = request
  const whole = purpose === 'serial-read' && asksForStatics(request)
  const sources = sourcesOf(statements, request)
  const [only] = sources
  if (limit <= 0 || !only) return []
  return session.call(purpose, options, async (call) => {
    if (sources.length === 1) return readSource(call, only, { limit, whole })
    const found = new Array<Cells[]>(sources.length)
    let rows = 0
    await sideBySide(
      sources.length,
      SIDE_BY_SIDE,
      async (at) => {
        found[at] = await readSource(call, sources[at]!, { limit, whole })
        rows += found[at].length
      },
      () => rows < limit && !call.ended,
    )
    // The reads were begun in order, and those that were begun have ended: the rows have no gap.
    const inOrder = found.flat()
    return inOrder.length > limit ? inOrder.slice(0, limit) : inOrder
  })
}

/** A source of rows in order: a key, or the slices of a range. */
type Source = readonly CqlRead[]

function sourcesOf(statements: CqlStatements, request: ReadRequest): readonly Source[] {
  const { layout, columns, index, keys = [], ranges = [], limit, reversed = false } = request
  if (index !== undefined || (!request.keys && !request.ranges)) throw unreadable(request)
  const sources: Source[] = []
  for (const key of keys) {
    // No row has NULL in its key, and the engine would not even look for it.
    if (!key.includes(null)) sources.push([statements.get(layout, columns, key)])
  }
  for (const range of ranges) {
    const slices = statements.range(layout, columns, range, limit, reversed)
    if (slices.length > 0) sources.push(slices)
  }
  return sources
}

interface Wanted {
  readonly limit: number
  /** Static columns are returned even if their partition has no rows. */
  readonly whole: boolean
}

/** The columns of a condition need not belong to a row: static columns alone are read as they are. */
function asksForStatics({ layout, columns }: ReadRequest): boolean {
  const names = staticColumns(layout)
  return names.size > 0 && columns.every(({ name }) => names.has(name))
}

async function readSource(call: Call, slices: Source, { limit, whole }: Wanted): Promise<Cells[]> {
  const [first, second] = slices
  if (!second) return collectPages(call, first!, decoderOf(first!, whole), limit)
  if (slices.length === 2) {
    // Behind a cursor the first slice is the rest of one time, which mostly holds nothing: rather a few rows too many than
    // another round trip.
    const both = await Promise.all(
      slices.map((slice) => collectPages(call, slice, decoderOf(slice, whole), limit)),
    )
    return both.flat().slice(0, limit)
  }
  const rows: Cells[] = []
  for (const slice of slices) {
    if (rows.length >= limit || call.ended) break
    const more = await collectPages(call, slice, decoderOf(slice, whole), limit - rows.length)
    for (const row of more) rows.push(row)
  }
  return rows
}

/** Decodes rows: leaves out cells that do not belong to a row of the table, and the columns that distinguish them. */
function decoderOf(read: CqlRead, whole: boolean): RowDecoder {
  const { columns, present, required, requestedCount } = read
  const decode = columnsDecoder(columns)
  if (present.length === 0 && required.length === 0) return decode
  return (row) => {
    const cells = decode(row)
    if (!whole) {
      if (nullAmong(cells, present) !== undefined) return undefined
      const missing = nullAmong(cells, required)
      if (missing !== undefined) throw incomplete(read, cells, missing)
    }
    cells.length = requestedCount
    return cells
  }
}

/** The first of these positions whose cell is NULL. */
function nullAmong(cells: Cells, positions: readonly number[]): number | undefined {
  for (const at of positions) if (cells[at] === null) return at
  return undefined
}

/** Another program has written the row, or it is older than the column. */
function incomplete({ layout, columns }: CqlRead, cells: Cells, missing: number): IsothermError {
  const { table } = layout
  const { name } = columns[missing]!
  const { column } = layout.fields.find(({ physical }) => physical.some((each) => each.name === name))!
  const key = keyOf(layout, columns, cells)
  const row = key ? `${table.name} ${shownKey(key)}` : `A row of ${table.name}`
  return new IsothermError(
    'ROW_INCOMPLETE',
    `${row} is NULL in ${column.property}, which is not declared nullable.`,
    {
      fix:
        'Update or delete the row. If rows of this table expire, add writesExpire: true to the options of the table: reads ' +
        'then skip expired rows. If rows may lack the value, declare the column nullable: true.',
      table: table.name,
      column: column.property,
    },
  )
}

/** Undefined where the columns do not hold all of it. */
function keyOf(
  layout: TableLayout,
  columns: readonly PhysicalColumn[],
  cells: Cells,
): Record<string, unknown> | undefined {
  const key: Record<string, unknown> = {}
  for (const { column, physical, join } of keyFields(layout)) {
    const positions = physical.map((part) => columns.findIndex(({ name }) => name === part.name))
    if (positions.includes(-1)) return undefined
    const values = positions.map((at) => cells[at])
    key[column.property] = join ? join(values, 0) : values[0]
  }
  return key
}

function unreadable({ layout: { table }, index }: ReadRequest): IsothermError {
  return index === undefined
    ? new IsothermError('UNSUPPORTED_QUERY', `${table.name} is read by keys and ranges, not as a whole.`, {
        fix: 'Give the keys, or ranges of one partition each.',
        table: table.name,
      })
    : new IsothermError('UNSUPPORTED_QUERY', `${table.name} is not read by its index ${index}.`, {
        fix: 'Keep a table of its own with that key, written beside this one, and read that.',
        table: table.name,
      })
}
