import type { CompiledTable } from '../../database/compiled-table.js'
import type { CostProfile, KeyRange } from '../../database/driver.js'
import type { Selection, Statement } from '../../dialects/statement.js'
import type { Constraints } from './constraints.js'
import { firstChunk, STATEMENT_CHUNK, windowRows } from './chunks.js'
import { probeRows } from './costs.js'
import { rangeAfter, type ShardRange } from './key-ranges.js'
import type { FanOutRequest } from '../request.js'
import { shardCount } from './shards.js'
import { shardList, type Way } from './ways.js'
import { sqlOf } from '../../dialects/dialect.js'

// What a plan asks of the database, as data.

export interface PlannedRead {
  readonly kind: 'read'
  readonly shard?: number
  /** The time bucket, where rows lie in partitions by time. */
  readonly bucket?: string
  readonly ranges: readonly KeyRange[]
  /** How many rows the first call asks for. */
  readonly limit?: number
  /** The ranges end where the last row of the call before stands in each shard. */
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

export function plannedCalls(
  table: CompiledTable,
  { condition, order, after, limit }: FanOutRequest,
  constraints: Constraints,
  costs: CostProfile,
  way: Way,
): PlannedCall[] {
  const { index, keys, read, ranges, shape, strategy } = way
  const { layout } = table
  const selection: Selection = {
    layout,
    ...(index && { index }),
    ...(read && { shards: read }),
    ...(condition && { condition }),
    order,
    ...(after && { after }),
  }
  const rest = (shard: number | undefined, at: number): ShardRange =>
    after ? rangeAfter(keys, shard, ranges[at]!, order, after, constraints) : ranges[at]!
  switch (strategy) {
    case 'read-ranges':
      return [{ kind: 'read', ranges: ranges.map(plainRange) }]
    case 'probe-window': {
      const at = Math.floor(Math.random() * read!.length)
      const shard = read![at]!
      const rows = probeRows({ wanted: limit!, ranges: ranges.length })
      return [
        { kind: 'read', shard, ranges: [plainRange(rest(shard, at))], limit: rows },
        {
          kind: 'read',
          ranges: read!.map((each, place) => plainRange(rest(each, place))),
          limit: windowRows(rows, ranges.length),
          upTo: 'last row',
        },
      ]
    }
    case 'push-down':
    case 'bounded-range': {
      const rows = limit ?? STATEMENT_CHUNK
      const statements =
        strategy === 'push-down' && shape.statementOrdered && !costs.statementsScan
          ? statementsPerShard(table, { ...selection, limit: rows })
          : [{ statement: statementOver(table, { ...selection, limit: rows }) }]
      return statements.map((statement) => ({ kind: 'statement', ...statement, limit: rows }))
    }
    case 'merge-shards':
    case 'back-join': {
      // One row more shows where a group ends.
      const rows = firstChunk(shape) + (keys.grouped === undefined ? 0 : 1)
      return shardList(read).map((shard, at) => {
        const named = shard === undefined ? {} : { shard }
        // An index that lacks columns of the rows is read by statement, which goes back to the table for them.
        if (shape.keyOrdered && (shape.readable || strategy === 'back-join'))
          return { kind: 'read', ...named, ranges: [plainRange(rest(shard, at))], limit: rows }
        return {
          kind: 'statement',
          ...named,
          statement: shardStatement(table, selection, shard, rows),
          limit: rows,
        }
      })
    }
  }
}

const BY_STATEMENT = 'A read by statement'

/**
 * Statements over all shards that give each its own limit, mostly one. Where one statement cannot name all shards, several
 * share them, and their rows are merged like those of shards.
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
export function shardStatement(
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

function plainRange({ start, startOpen, end, endOpen }: KeyRange): KeyRange {
  return { start, startOpen, end, endOpen }
}
