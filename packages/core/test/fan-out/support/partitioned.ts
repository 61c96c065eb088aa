import { CASSANDRA_COSTS, optionValues } from '../../../../cassandra/src/driver/driver.js'
import { keyspacesCql } from '@isotherm/cassandra'
import type { PlainRow } from '../../../src/engine/codec.js'
import type { CompiledTable } from '../../../src/rows/compiled-table.js'
import type { Cells, Driver, KeyRange, ReadOptions, ReadRequest } from '../../../src/engine/driver.js'
import { cqlCodec } from '../../../../cassandra/src/cql/values.js'
import type { PhysicalKeyPart, TableLayout, Wire } from '../../../src/layout/layout.js'
import { cellOf } from './cells.js'

// An engine whose rows lie in partitions, in memory: it knows columns and their types, one partition at a time, and nothing
// else. A request that a node would reject is an error here.

/** What happens to a read before its answer: an error, or a promise that the answer waits for. */
export type Script = (request: ReadRequest, options: ReadOptions) => Error | Promise<unknown> | undefined

export interface PartitionedDriver extends Driver {
  readonly reads: ReadRequest[]
  /** How many rows have been sent. */
  readonly sent: { rows: number }
}

/** Its rows may be added to while it is read. */
export function partitionedDriver(
  tables: readonly (readonly [CompiledTable, readonly PlainRow[]])[],
  script: Script = () => undefined,
): PartitionedDriver {
  const byName = new Map(tables.map((each) => [each[0].layout.table.name, each]))
  const reads: ReadRequest[] = []
  const sent = { rows: 0 }
  const stored = new Map<TableLayout, { readonly of: number; readonly partitions: Partitions }>()
  const refuse = (): never => {
    throw new Error('This driver reads partitions, and does nothing else.')
  }
  return {
    name: 'Cassandra',
    system: 'cassandra',
    dialect: keyspacesCql,
    costs: CASSANDRA_COSTS,
    lacks: [],
    takes: ['ttlSeconds', 'writeTime', 'consistency', 'conditional'],
    optionValues: optionValues('Cassandra', keyspacesCql.cql.has),
    reads,
    sent,
    async read(request, options = {}) {
      reads.push(request)
      if (reads.length > 20_000) throw new Error('It reads for ever.')
      const outcome = script(request, options)
      if (outcome instanceof Error) throw outcome
      await outcome
      const [{ layout }, rows] = byName.get(request.layout.table.name)!
      const known = stored.get(layout)
      const partitions = known?.of === rows.length ? known.partitions : partitionsOf(layout, rows)
      stored.set(layout, { of: rows.length, partitions })
      const found = answered(request, partitions)
      sent.rows += found.length
      return found
    },
    query: refuse,
    run: refuse,
    writes: { commit: refuse, maxRows: refuse },
    atomic: { kind: 'conditional-writes', read: refuse, writeIf: refuse },
    applyDdl: refuse,
    readDdl: refuse,
  }
}

interface StoredRow {
  readonly row: PlainRow
  readonly key: readonly Wire[]
}

/** Rows by their partition keys, in clustering order. */
type Partitions = ReadonlyMap<string, readonly StoredRow[]>

function partitionsOf({ key, partition }: TableLayout, rows: readonly PlainRow[]): Partitions {
  const stored = rows.map((row): StoredRow => ({ row, key: keyOf({ key }, row) }))
  stored.sort((a, b) => compareKeys(key, a.key, b.key))
  const partitions = new Map<string, StoredRow[]>()
  for (const each of stored) {
    const position = JSON.stringify(each.key.slice(0, partition))
    const known = partitions.get(position)
    if (known) known.push(each)
    else partitions.set(position, [each])
  }
  return partitions
}

function answered(request: ReadRequest, partitions: Partitions): Cells[] {
  const { layout, index, columns, keys, ranges, limit, reversed } = request
  if (index !== undefined || !!keys === !!ranges) throw new Error('It reads keys, or ranges, and no index.')
  if (limit !== undefined && (!Number.isInteger(limit) || limit < 1)) throw new Error(`A limit of ${limit}.`)
  if (reversed && !layout.reversible) throw new Error('It has nothing to turn.')
  const requested = ranges ?? keys!.map((key) => ({ start: key, startOpen: false, end: key, endOpen: false }))
  const found = requested.flatMap((range) => {
    const within = inRange(layout, range, partitions)
    return reversed ? within.toReversed() : within
  })
  return found.slice(0, limit).map(({ row }) => columns.map((column) => cellOf(layout, row, column)))
}

/** The rows of a range in clustering order. @throws for one that is not within a partition, or that has NULL in it. */
function inRange(
  { key, partition = 0 }: TableLayout,
  range: KeyRange,
  partitions: Partitions,
): readonly StoredRow[] {
  const { start, end, startOpen, endOpen } = range
  const position = JSON.stringify(start.slice(0, partition))
  if (start.length < partition || position !== JSON.stringify(end.slice(0, partition)))
    throw new Error(`It spans partitions: ${JSON.stringify(range)}`)
  if ([...start, ...end].includes(null)) throw new Error(`No key has NULL: ${JSON.stringify(range)}`)
  if (start.length > key.length || end.length > key.length) throw new Error('It is longer than a key.')
  return (partitions.get(position) ?? []).filter((each) => {
    const fromStart = compareKeys(key, each.key, start)
    const toEnd = compareKeys(key, end, each.key)
    return (startOpen ? fromStart > 0 : fromStart >= 0) && (endOpen ? toEnd > 0 : toEnd >= 0)
  })
}

/** As far as both go: a bound stands for all the keys that begin with it. */
function compareKeys(key: readonly PhysicalKeyPart[], a: readonly Wire[], b: readonly Wire[]): number {
  for (const [at, { column, order }] of key.entries()) {
    if (at >= a.length || at >= b.length) return 0
    if (a[at] === b[at]) continue
    const { parse, compare } = cqlCodec(column.type)
    const difference = compare(parse(a[at]!) as never, parse(b[at]!) as never)
    if (difference !== 0) return order === 'desc' ? -difference : difference
  }
  return 0
}

export function keyOf({ key }: Pick<TableLayout, 'key'>, row: PlainRow): Wire[] {
  return key.map(({ field, column }) => column.encode(row[field.column.property]))
}
