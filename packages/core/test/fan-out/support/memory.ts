import { isDeepStrictEqual } from 'node:util'
import type { PlainRow } from '../../../src/engine/codec.js'
import type { CompiledTable } from '../../../src/rows/compiled-table.js'
import type { Cells, Driver, ReadRequest, TransactionalDriver } from '../../../src/engine/driver.js'
import { hasSql } from '../../../src/engine/dialect.js'
import type { KeyOrder } from '../../../src/layout/layout.js'
import { SERVICE_COSTS } from '../../../../spanner/src/driver/reachability.js'
import type { FanOutServices } from '../../../src/read/plan/request.js'
import { cellOf } from './cells.js'
import { compareKeys, isInRange, keyOf } from './key-order.js'

/**
 * A driver that answers reads by key from rows in memory, each index in an order of its own where its keys are equal. It
 * knows no statements: what it is asked for has to be read by key.
 */
export function memoryDriver(
  own: CompiledTable,
  ownRows: readonly PlainRow[],
  others: readonly (readonly [CompiledTable, readonly PlainRow[]])[] = [],
): TransactionalDriver & { readonly reads: ReadRequest[] } {
  const { dialect } = own
  if (!hasSql(dialect)) throw new Error(`${dialect.name} has no transactions.`)
  const tables = new Map(
    [[own, ownRows] as const, ...others].map((each) => [each[0].layout.table.name, each]),
  )
  const reads: ReadRequest[] = []
  const refuse = (): never => {
    throw new Error('This driver only reads by key.')
  }
  const read = (request: ReadRequest): Promise<Cells[]> => {
    reads.push(request)
    const [table, rows] = tables.get(request.layout.table.name)!
    const { layout } = table
    if (reads.length * rows.length > 100_000) throw new Error('It reads the same rows for ever.')
    const { index: name, keys: wanted, ranges = [], columns, limit } = request
    const index = name === undefined ? undefined : layout.indexes.find((each) => each.index.name === name)
    const keys: KeyOrder = index ?? layout
    const found = rows
      .filter((row) => !index || isIndexed(index, row))
      .filter((row) =>
        wanted
          ? wanted.some((key) => isDeepStrictEqual(key, keyOf(keys, row)))
          : ranges.some((range) => isInRange(dialect, keys, row, range)),
      )
      .toSorted((a, b) => compareKeys(dialect, keys, keyOf(keys, a), keyOf(keys, b)))
    return Promise.resolve(
      found.slice(0, limit).map((row) => columns.map((column) => cellOf(layout, row, column))),
    )
  }
  return {
    name: 'memory',
    system: 'memory',
    dialect,
    costs: SERVICE_COSTS,
    lacks: [],
    takes: ['at', 'directedReads', 'priority', 'tag'],
    reads,
    read,
    query: refuse,
    run: refuse,
    snapshot: () =>
      Promise.resolve({ read, query: refuse, run: refuse, readTimestamp: undefined, close: () => {} }),
    writes: { commit: refuse, maxRows: refuse },
    atomic: { kind: 'transactions', run: refuse },
    applyDdl: refuse,
    readDdl: refuse,
  }
}

function isIndexed({ index }: CompiledTable['layout']['indexes'][number], row: PlainRow): boolean {
  const filtered = index.nullFiltered ? index.parts.map(({ property }) => property) : index.notNull
  return filtered.every((property) => row[property] !== null)
}

/** What a database lends to its fan-outs, one of a single table. */
export function servicesOf(driver: Driver, table: CompiledTable): FanOutServices {
  return { driver, tables: { of: () => table } }
}
