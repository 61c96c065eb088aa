import type { CompiledTable } from '../../database/compiled-table.js'
import type {
  CallOptions,
  Driver,
  PartitionedReads,
  PartRequest,
  ReadAt,
  ReadOptions,
} from '../../database/driver.js'
import type { Condition } from '../../dialects/condition.js'
import { refuseUntaken } from '../../database/capabilities.js'
import { IsothermError } from '../../errors.js'
import { spanned } from '../../observability/operation-span.js'
import { statementOver } from '../planning/calls.js'
import { isImpossible, tableConstraints } from '../planning/constraints.js'
import { describeCondition } from '../describe.js'
import { isImplied } from '../planning/implied.js'
import { invalidQuery } from '../invalid-query.js'
import { shardRange } from '../planning/key-ranges.js'
import { makePart, partRequest, type FanOutPart, type PartSource } from './part.js'
import type { FanOutServices } from '../services.js'
import { shardsToRead } from '../planning/shards.js'
import { shardList } from '../planning/ways.js'

export interface PartitionsOptions {
  /** Read by machines of Spanner's that serve nobody else, at a price of their own. Default: false. */
  readonly dataBoost?: boolean
}

/** A fan-out in parts, which live in the database until they are closed. */
export interface FanOutParts extends AsyncDisposable {
  /** Plain data, each for `db.readPart`. */
  readonly parts: readonly FanOutPart[]
  /** Ends all of them, wherever they are being read. Closing twice is no error. */
  close(options?: CallOptions): Promise<void>
}

/** Of a query, what its parts depend on, and what they cannot have. */
export interface PartitionedQuery {
  readonly services: FanOutServices
  readonly table: CompiledTable
  readonly condition: Condition | undefined
  readonly at: ReadAt | undefined
  readonly call: CallOptions & Pick<ReadOptions, 'directedReads'>
  readonly wanted: readonly unknown[]
  readonly limit: number | undefined
  readonly cursor: string | undefined
  readonly index: unknown
  readonly includes: { readonly list: readonly unknown[] }
  readonly forced: unknown
  readonly isPartial: boolean
}

/** Splits a query into parts that together hold each of its rows once, as of one moment. */
export async function openParts(
  query: PartitionedQuery,
  wish: number,
  { dataBoost = false }: PartitionsOptions,
): Promise<FanOutParts> {
  const { services, table, at, call } = query
  refuseUnsplittable(query, wish)
  const partitioned = partitionsOf(services.driver)
  refuseUntaken(services.driver, { ...call, at })
  const target = { system: services.driver.system, table: table.layout.table.name }
  const { source, readAt, tokens } = await spanned(target, 'partition', () =>
    split(partitioned, query, { ...call, ...(at !== undefined && { at }), parts: wish }),
  )
  const { priority, tag, directedReads } = call
  const content = {
    readAt,
    source,
    ...(dataBoost && { dataBoost }),
    ...(priority !== undefined && { priority }),
    ...(tag !== undefined && { tag }),
    ...(directedReads && { directedReads }),
  }
  const [first] = tokens
  const close = async (options?: CallOptions): Promise<void> => {
    if (first !== undefined) await partitioned.closeParts(first, options)
  }
  return {
    parts: tokens.map((token) => makePart(table, { ...content, token }, services.cursorSecrets)),
    close,
    [Symbol.asyncDispose]: () => close(),
  }
}

/** @throws {IsothermError} `UNSUPPORTED` for a driver that cannot read in parts. */
export function partitionsOf({ name, partitions }: Driver): PartitionedReads {
  if (partitions) return partitions
  throw new IsothermError('UNSUPPORTED', `${name} cannot split a read into parts.`, {
    fix: 'Read the query as it is: for await (const row of query).',
  })
}

interface Split {
  readonly source: PartSource
  readonly readAt: string
  readonly tokens: readonly string[]
}

async function split(
  partitioned: PartitionedReads,
  query: PartitionedQuery,
  options: Parameters<PartitionedReads['partition']>[1],
): Promise<Split> {
  const { table, condition } = query
  const [best, ...others] = sources(query)
  const asked = async (source: PartSource | undefined): Promise<Split> => {
    // No row can match.
    if (source === undefined) return { source: {}, readAt: new Date().toISOString(), tokens: [] }
    const request: PartRequest = partRequest({ source }, table)
    const { readTimestamp, tokens } = await partitioned.partition(request, options)
    return { source, readAt: readTimestamp.toISOString(), tokens }
  }
  try {
    return await asked(best)
  } catch (error) {
    const isUnsplittable = error instanceof IsothermError && error.code === 'UNSUPPORTED'
    if (!isUnsplittable || others.length === 0 || condition === undefined) throw error
    return asked(others[0])
  }
}

/**
 * What can be split, the best first; none where no row can match. Key ranges can be split always. A filter is left to the
 * database, but it splits a statement only where the plan it makes for it runs in each place by itself, which nobody can
 * tell beforehand (`IN` a list, an index that it finds useful): then the parts are read by key, and filtered by their readers.
 *
 * Source: https://cloud.google.com/spanner/docs/reads#read_data_in_parallel
 */
function sources({ table, condition }: PartitionedQuery): readonly PartSource[] {
  const { layout, dialect } = table
  // All of it, whichever shards there are.
  if (condition === undefined) return [{}]
  const constraints = tableConstraints(layout, condition, dialect)
  const shards = shardsToRead(layout, layout, constraints)
  if (shards?.length === 0 || isImpossible(constraints)) return []
  const ranges = shardList(shards).map((shard) => {
    const { bounded: _, ...range } = shardRange(layout, shard, constraints)
    return range
  })
  if (isImplied(condition, layout, constraints)) return [{ ranges }]
  const statement = statementOver(table, { layout, ...(shards && { shards }), condition, order: [] })
  return [{ statement }, { ranges, filter: describeCondition(condition) }]
}

function refuseUnsplittable(query: PartitionedQuery, wish: number): void {
  const { layout } = query.table
  const refuse = (what: string, fix: string) => invalidQuery(layout, `cannot be split ${what}`, fix)
  if (!Number.isSafeInteger(wish) || wish < 1) {
    throw refuse(`into ${wish} parts.`, 'Wish for a whole number of parts, from 1.')
  }
  if (query.wanted.length > 0) {
    throw refuse('in an order.', 'Leave orderBy out, and sort what the parts hold; parts have no order.')
  }
  if (query.limit !== undefined) {
    throw refuse('with a limit.', 'Leave limit out, and stop reading; or read a page().')
  }
  if (query.cursor !== undefined) {
    throw refuse('after a cursor.', 'Leave after out, and filter by where; parts have no order.')
  }
  if (query.includes.list.length > 0) {
    throw refuse('with children.', 'Leave include out, and split the query of the children for itself.')
  }
  if (query.index !== undefined || query.forced !== undefined) {
    throw refuse(
      query.index === undefined ? 'via a strategy.' : 'by an index.',
      'Leave byIndex and via out: parts are read from the table, in a way of their own.',
    )
  }
  if (query.isPartial) {
    throw refuse(
      'with shards missing.',
      "Leave onShardError('partial') out: a part that fails can be read again by itself.",
    )
  }
}
