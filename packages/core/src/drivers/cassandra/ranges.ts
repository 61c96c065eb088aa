import { IsothermError } from '../../errors.js'
import type { Cells, ReadOptions, ReadRequest } from '../../database/driver.js'
import { staticColumns } from '../../dialects/cql/static-columns.js'
import type { CqlRead, CqlStatements } from '../../dialects/cql/statements.js'
import type { Session } from './execute.js'
import { collectPages, type RowDecoder } from './paging.js'
import type { Call } from './sending.js'
import { sideBySide } from './side-by-side.js'
import { columnsDecoder } from './values.js'

/** How many keys and ranges of one request are read at a time. A client's connection takes 2,048 calls in all. */
const SIDE_BY_SIDE = 128

/**
 * Rows by keys, or by ranges of one partition each: in the order in which those are given, and within a range in the order
 * of the key.
 *
 * @throws {IsothermError} `UNSUPPORTED` for a read of the whole table, of an index, or of a range over several partitions.
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
    // They were begun in order, and those that were begun have ended: what is here has no gap.
    const inOrder = found.flat()
    return inOrder.length > limit ? inOrder.slice(0, limit) : inOrder
  })
}

/** What gives rows one behind the other: a key, or the slices of a range. */
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
  /** What is static is handed on also where its partition has no rows. */
  readonly whole: boolean
}

/** What a conditional write depends on need be of no row: static columns by themselves are asked for as they are. */
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

/** Without the rows of another table that lie in the same partition, and without what tells them apart. */
function decoderOf({ columns, present, asked }: CqlRead, whole: boolean): RowDecoder {
  const decode = columnsDecoder(columns)
  if (present === undefined) return decode
  return (row) => {
    const cells = decode(row)
    if (cells[present] === null && !whole) return undefined
    cells.length = asked
    return cells
  }
}

function unreadable({ layout: { table }, index }: ReadRequest): IsothermError {
  return index === undefined
    ? new IsothermError('UNSUPPORTED', `${table.name} is read by keys and ranges, not as a whole.`, {
        fix: 'Give the keys, or ranges of one partition each.',
        table: table.name,
      })
    : new IsothermError('UNSUPPORTED', `${table.name} is not read by its index ${index}.`, {
        fix: 'Keep a table of its own with that key, written beside this one, and read that.',
        table: table.name,
      })
}
