import {
  type CallOptions,
  type Cells,
  type PhysicalColumn,
  type ReadRequest,
  type Reader,
  type ResultSet,
  type Statement,
  type WireType,
  itemAt,
} from '@isotherm/core/engine'
import type { Answer, Caller, Connection } from './connection.js'
import { readStatement } from './reads.js'
import { type RowDecoder, resultDecoder, resultType, rowDecoder, textOf } from './values.js'

/** Waits for work under the timeout and the signal of a call. */
export type Waited = <T>(call: CallOptions, work: (caller: Caller) => Promise<T>) => Promise<T>

/** The reads of one connection. */
export function readerOf(connection: Connection, waited: Waited, otherwise: CallOptions = {}): Reader {
  const ask = (statement: Statement, call: CallOptions = otherwise): Promise<Answer> =>
    waited(call, (caller) => connection.query(statement.text, valuesOf(statement), caller))
  return {
    read: async (request, call) => cellsOfRead(await ask(readStatement(request), call), request),
    query: async (statement, types, call) => cellsOf(await ask(statement, call), types),
    run: async (statement, call) => resultOf(await ask(statement, call)),
  }
}

const timeOf = rowDecoder([{ kind: 'timestamp' }])

/** The time of a transaction, which is its commit timestamp here. */
export function momentOf({ rows }: Answer): Date {
  return itemAt(timeOf(itemAt(rows, 0).slice(0, 1)), 0) as Date
}

/** The number of the next transaction that writes: the same for as long as nothing is written. */
export function nextTransactionOf({ rows }: Answer): string | null {
  return itemAt(itemAt(rows, 0), 1)
}

const decoders = new WeakMap<readonly PhysicalColumn[], RowDecoder>()

/** The rows of a read. Their decoder is made once for each list of columns, which a table keeps. */
export function cellsOfRead({ rows }: Answer, { columns }: ReadRequest): Cells[] {
  let decode = decoders.get(columns)
  if (!decode) decoders.set(columns, (decode = rowDecoder(columns.map(({ type }) => type))))
  return rows.map(decode)
}

export function valuesOf({ parameters }: Statement): (string | null)[] {
  return parameters.map(({ type, value }) => textOf(type, value))
}

export function cellsOf({ rows }: Answer, types: readonly WireType[]): Cells[] {
  return rows.map(rowDecoder(types))
}

export function resultOf({ columns, rows, rowCount }: Answer): ResultSet {
  const types = columns.map(({ dataTypeID }) => resultType(dataTypeID))
  const isQuery = columns.length > 0
  return {
    columns: columns.map(({ name }, at) => ({ name, type: types[at]! })),
    rows: rows.map(resultDecoder(types)),
    ...(!isQuery && rowCount !== undefined && { rowCount }),
  }
}
