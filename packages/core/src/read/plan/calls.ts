import type { CompiledTable } from '../../rows/compiled-table.js'
import type { PlainRow } from '../../engine/codec.js'
import type { CostProfile, KeyRange } from '../../engine/driver.js'
import type { IndexLayout, KeyOrder } from '../../layout/layout.js'
import type { Selection, Statement } from '../../layout/statement.js'
import { sqlOf } from '../../engine/dialect.js'
import type { AccessPath } from './access-path.js'
import { STATEMENT_CHUNK, firstChunk, probeRows, waveChunk, windowRows } from './costs.js'
import { orderingWires, partitionLength } from './key-ranges.js'
import { positionOf } from './order.js'
import { type Partition, shardCount } from './partitions.js'
import type { FanOutRequest } from './request.js'

// The calls of a plan to the database, as data.

export interface PlannedRead {
  readonly kind: 'read'
  readonly shard?: number
  /** The time bucket, if rows are in partitions by time. */
  readonly bucket?: string
  readonly ranges: readonly KeyRange[]
  /** How many rows the first call asks for. */
  readonly limit?: number
  /** The ranges end at the last row of the call before, in each shard. */
  readonly upTo?: 'last row'
  /** Each range from its end to its start. */
  readonly reversed?: true
}

export interface PlannedStatement {
  readonly kind: 'statement'
  readonly shard?: number
  /** Which of the shards, where one statement cannot name them all. */
  readonly shards?: readonly number[]
  readonly statement: Statement
  readonly limit: number
}

export type PlannedCall = PlannedRead | PlannedStatement

/** What the statements of a query ask for, without their limits. */
export function selectionOf(
  { layout }: CompiledTable,
  { condition, order, after }: Pick<FanOutRequest, 'condition' | 'order' | 'after'>,
  index: IndexLayout | undefined,
  shards: readonly number[] | undefined,
): Selection {
  return {
    layout,
    ...(index && { index }),
    ...(shards && { shards }),
    ...(condition && { condition }),
    order,
    ...(after && { after }),
  }
}

/** One read of all ranges that can match. */
export function rangesCall({ groups, rangeOf }: AccessPath): PlannedRead[] {
  return [{ kind: 'read', ranges: groups.group(0).map(rangeOf) }]
}

/**
 * A read of a few rows of one partition, and one of all partitions up to the last of those.
 *
 * @param seed from 0 to 1: which partition it is
 */
export function probeCalls(
  { groups, shape, restOf }: AccessPath,
  wanted: number,
  seed: number,
): PlannedRead[] {
  const open: Partition[] = []
  const ranges: KeyRange[] = []
  for (const partition of groups.group(0)) {
    const range = restOf(partition)
    if (!range) continue
    open.push(partition)
    ranges.push(range)
  }
  const probed = Math.floor(seed * open.length)
  if (open.length === 0) return []
  const rows = probeRows({ wanted, ranges: shape.ranges })
  return [
    { kind: 'read', ...targetOf(open[probed]!), ranges: [ranges[probed]!], limit: rows },
    {
      kind: 'read',
      ranges,
      limit: windowRows(rows, shape.ranges),
      upTo: 'last row',
    },
  ]
}

/** Statements over all partitions, mostly one. */
export function statementCalls(
  table: CompiledTable,
  selection: Selection,
  { strategy, shape }: AccessPath,
  costs: CostProfile,
  rows = STATEMENT_CHUNK,
): PlannedStatement[] {
  const limited = { ...selection, limit: rows }
  const statements =
    strategy === 'push-down' && shape.statementOrdered && !costs.statementsScan
      ? statementsPerShard(table, limited)
      : [{ statement: statementOver(table, limited) }]
  return statements.map((statement) => ({ kind: 'statement', ...statement, limit: rows }))
}

/**
 * A call for each partition that has rows left to read: a read, unless an index lacks columns of the rows, or the order is
 * not the key's. Then a statement goes back to the table for the columns, or sorts.
 */
export function partitionCalls(
  table: CompiledTable,
  selection: Selection,
  path: AccessPath,
  partitions: readonly Partition[],
  limit: number,
): PlannedCall[] {
  const { shape, strategy } = path
  const isRead = !shape.statements || (shape.keyOrdered && (shape.readable || strategy === 'back-join'))
  if (isRead) return partitionReads(path, partitions, limit)
  return partitions.map((partition) => ({
    kind: 'statement',
    ...targetOf(partition),
    statement: shardStatement(table, selection, partition.shard, limit),
    limit,
  }))
}

/** A read for each partition that has rows left to read. */
export function partitionReads(
  { restOf, reversed }: AccessPath,
  partitions: readonly Partition[],
  limit: number,
): PlannedRead[] {
  const calls: PlannedRead[] = []
  for (const partition of partitions) {
    const range = restOf(partition)
    if (!range) continue
    const target = targetOf(partition)
    calls.push({ kind: 'read', ...target, ranges: [range], limit, ...(reversed && { reversed: true }) })
  }
  return calls
}

function targetOf({ shard, bucket }: Partition): Pick<PlannedRead, 'shard' | 'bucket'> {
  return { ...(shard !== undefined && { shard }), ...(bucket !== undefined && { bucket }) }
}

/**
 * How many rows each of these partitions is asked for at first. One more shows where a group of a coarse key ends.
 *
 * @param partitions how many partitions the wanted rows fall into
 * @param atOnce how many are asked together: more, where those of several groups are
 */
export function rowsAtFirst(
  { shape, keys }: AccessPath,
  wanted: number | undefined,
  partitions: number,
  atOnce = partitions,
): number {
  const rows = shape.statements
    ? firstChunk(shape)
    : waveChunk({ ...shape, wanted }, Math.max(1, partitions), Math.max(1, atOnce))
  return rows + (keys.grouped === undefined ? 0 : 1)
}

/** The rest of a read of one partition, after its last row; from the start of that row's group, where the keys only group. */
export function readAfter(keys: KeyOrder, call: PlannedRead, last: PlainRow, limit: number): PlannedRead {
  const [range] = call.ranges as readonly [KeyRange]
  // Columns that are the same in all rows of the partition need not have been read.
  const bound = [...range.start.slice(0, partitionLength(keys)), ...orderingWires(keys, last)]
  const isOpen = keys.grouped === undefined
  const rest = call.reversed
    ? { ...range, end: bound, endOpen: isOpen }
    : { ...range, start: bound, startOpen: isOpen }
  return { ...call, ranges: [rest], limit }
}

/** The same statement for the rows after its last one. */
export function statementAfter(
  table: CompiledTable,
  selection: Selection,
  call: PlannedStatement,
  last: PlainRow,
  limit: number,
): PlannedStatement {
  const { shards = selection.shards } = call
  const nextSelection = {
    ...selection,
    ...(shards && { shards }),
    after: positionOf(selection.order, last),
    limit,
  }
  const statement =
    call.shard === undefined
      ? statementOver(table, nextSelection)
      : shardStatement(table, nextSelection, call.shard, limit)
  return { ...call, statement, limit }
}

const BY_STATEMENT = 'A read by statement'

/**
 * Statements over all shards with a limit for each, mostly one. If one statement cannot name all shards, several share
 * them, and their rows are merged like those of shards.
 */
function statementsPerShard(
  table: CompiledTable,
  selection: Selection,
): { readonly statement: Statement; readonly shards?: readonly number[] }[] {
  const { shards } = selection
  // Without shards, one limit is all there is.
  if (!shards) return [{ statement: statementOver(table, selection) }]
  const { statements } = sqlOf(table.dialect, BY_STATEMENT)
  const each = statements.shardsPerStatement({ ...selection, shards })
  if (shards.length <= each) return [{ statement: statements.selectPerShard({ ...selection, shards }) }]
  const batches = []
  for (let from = 0; from < shards.length; from += each) {
    const batch = shards.slice(from, from + each)
    batches.push({ statement: statements.selectPerShard({ ...selection, shards: batch }), shards: batch })
  }
  return batches
}

/** One statement over all shards of a selection, sorted by the database. */
export function statementOver({ dialect }: CompiledTable, selection: Selection): Statement {
  const { shards, ...unsharded } = selection
  // To name every shard would say nothing and cost a look-up per row.
  const all = shards?.length === shardCount(selection.index ?? selection.layout)
  return sqlOf(dialect, BY_STATEMENT).statements.select(all ? unsharded : selection)
}

/** A statement over one shard. */
function shardStatement(
  table: CompiledTable,
  selection: Omit<Selection, 'shards' | 'limit'>,
  shard: number | undefined,
  limit: number,
): Statement {
  return sqlOf(table.dialect, BY_STATEMENT).statements.select({
    ...selection,
    limit,
    ...(shard !== undefined && { shards: [shard] }),
  })
}
