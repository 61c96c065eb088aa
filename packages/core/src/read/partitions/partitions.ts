import type { CompiledTable } from '../../rows/compiled-table.js'
import {
  type CallOptions,
  type Cells,
  type Driver,
  type QueryPartitionRequest,
  type PartitionedReads,
  type TimestampBound,
  type ReadOptions,
  type ReadQueryPartitionOptions,
  refuseUnsupportedOptions,
} from '../../engine/driver.js'
import type { Condition } from '../../layout/statement.js'
import { IsothermError, shown } from '../../errors.js'
import { OperationSpan, type SpanTarget, spanned } from '../../observability/spans.js'
import { statementOver } from '../plan/calls.js'
import { isImpossible, tableConstraints } from '../plan/constraints.js'
import { conditionFrom, describeCondition } from '../plan/cursor.js'
import { isImplied, shardRange } from '../plan/key-ranges.js'
import { invalidQuery } from '../plan/order.js'
import {
  type QueryPartition,
  type QueryPartitionSource,
  checkTable,
  makeQueryPartition,
  openQueryPartition,
  queryPartitionRequest,
} from './query-partition.js'
import type { FanOutServices } from '../plan/request.js'
import { shardsToRead } from '../plan/partitions.js'
import type { PlainRow } from '../../engine/codec.js'
import { type Predicate, predicateOf } from '../../rows/predicate.js'
import { RowIterator } from '../run/row-iterator.js'
import { Limits, withRetries } from '../../engine/retries.js'

export interface PartitionsOptions {
  /** Read with Spanner's Data Boost: by machines that do not serve the application, at a separate price. Default: false. */
  readonly dataBoost?: boolean
}

/** A fan-out in parts, which live in the database until they are closed. */
export interface QueryPartitions extends AsyncDisposable {
  /** Plain data, each for `db.readQueryPartition`. */
  readonly partitions: readonly QueryPartition[]
  /** Closes all of them, wherever they are being read. Closing twice is not an error. */
  close(options?: CallOptions): Promise<void>
}

/** The properties of a query that its query partitions depend on, and those that partitioned queries cannot have. */
interface PartitionedQuery {
  readonly services: FanOutServices
  readonly table: CompiledTable
  readonly condition: Condition | undefined
  readonly at: TimestampBound | undefined
  readonly call: CallOptions & Pick<ReadOptions, 'directedReads'>
  readonly wanted: readonly unknown[]
  readonly limit: number | undefined
  readonly cursor: string | undefined
  readonly index: unknown
  readonly includes: { readonly list: readonly unknown[] }
  readonly forced: unknown
  readonly isPartial: boolean
}

/** Splits a query into query partitions that together hold each of its rows once, in one snapshot. */
export async function openQueryPartitions(
  query: PartitionedQuery,
  wish: number,
  { dataBoost = false }: PartitionsOptions,
): Promise<QueryPartitions> {
  const { services, table, at, call } = query
  refuseUnsplittable(query, wish)
  const partitioned = partitionsOf(services.driver)
  refuseUnsupportedOptions(services.driver, { ...call, at })
  const { driver, telemetry } = services
  const target = { telemetry, system: driver.system, table: table.layout.table.name }
  const { source, readTimestamp, tokens } = await spanned(target, 'partition', () =>
    split(partitioned, query, { ...call, ...(at !== undefined && { at }), parts: wish }),
  )
  const { priority, tag, directedReads } = call
  const content = {
    readTimestamp,
    source,
    ...(dataBoost && { dataBoost }),
    ...(priority !== undefined && { priority }),
    ...(tag !== undefined && { tag }),
    ...(directedReads && { directedReads }),
  }
  const [first] = tokens
  const close = async (options?: CallOptions): Promise<void> => {
    if (first !== undefined) await partitioned.closeQueryPartitions(first, options)
  }
  return {
    partitions: tokens.map((token) =>
      makeQueryPartition(table, { ...content, token }, services.cursorSecrets),
    ),
    close,
    [Symbol.asyncDispose]: () => close(),
  }
}

/** @throws {IsothermError} `UNSUPPORTED_FEATURE` for a driver that cannot read in parts. */
export function partitionsOf({ name, queryPartitions }: Driver): PartitionedReads {
  if (queryPartitions) return queryPartitions
  throw new IsothermError('UNSUPPORTED_FEATURE', `${name} cannot split a read into query partitions.`, {
    fix: 'Read the query as it is: for await (const row of query).',
  })
}

interface Split {
  readonly source: QueryPartitionSource
  readonly readTimestamp: string
  readonly tokens: readonly string[]
}

async function split(
  partitioned: PartitionedReads,
  query: PartitionedQuery,
  options: Parameters<PartitionedReads['partition']>[1],
): Promise<Split> {
  const { table, condition } = query
  const [best, ...others] = sources(query)
  const splitSource = async (source: QueryPartitionSource | undefined): Promise<Split> => {
    // No row can match.
    if (source === undefined) return { source: {}, readTimestamp: new Date().toISOString(), tokens: [] }
    const request: QueryPartitionRequest = queryPartitionRequest({ source }, table)
    const { readTimestamp, tokens } = await partitioned.partition(request, options)
    return { source, readTimestamp: readTimestamp.toISOString(), tokens }
  }
  try {
    return await splitSource(best)
  } catch (error) {
    const isUnsplittable = error instanceof IsothermError && error.code === 'UNSUPPORTED_QUERY'
    if (!isUnsplittable || others.length === 0 || condition === undefined) throw error
    return splitSource(others[0])
  }
}

/**
 * What can be split, the best first; empty where no row can match. Key ranges can always be split. A filter is left to the
 * database, but the database splits a statement only where the plan that it makes for the statement runs on each split by
 * itself. That cannot be known beforehand (`IN` a list, an index that it finds useful). Otherwise query partitions are read
 * by key, and filtered by the process that reads them.
 *
 * Source: https://cloud.google.com/spanner/docs/reads#read_data_in_parallel
 */
function sources({ table, condition }: PartitionedQuery): readonly QueryPartitionSource[] {
  const { layout, dialect } = table
  // All of it, whichever shards there are.
  if (condition === undefined) return [{}]
  const constraints = tableConstraints(layout, condition, dialect)
  const shards = shardsToRead(layout, layout, constraints)
  if (shards?.length === 0 || isImpossible(constraints)) return []
  const ranges = (shards ?? [undefined]).map((shard) => {
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
    throw refuse(
      `into ${shown(wish)} query partitions.`,
      'Ask for a whole number of query partitions, from 1.',
    )
  }
  if (query.wanted.length > 0) {
    throw refuse(
      'in an order.',
      'Leave orderBy out, and sort the rows of the query partitions; these have no order.',
    )
  }
  if (query.limit !== undefined) {
    throw refuse('with a limit.', 'Leave limit out, and stop reading; or read a page().')
  }
  if (query.cursor !== undefined) {
    throw refuse('after a cursor.', 'Leave after out, and filter by where; query partitions have no order.')
  }
  if (query.includes.list.length > 0) {
    throw refuse('with children.', 'Leave include out, and split the query of the children for itself.')
  }
  if (query.index !== undefined || query.forced !== undefined) {
    throw refuse(
      query.index === undefined ? 'with a strategy.' : 'with an index.',
      'Leave useIndex and strategy out: query partitions are read from the table.',
    )
  }
  if (query.isPartial) {
    throw refuse(
      'with shards missing.',
      "Leave onShardError('partial') out: a query partition that fails can be read again by itself.",
    )
  }
}

/** Options of reading a query partition that override those of its query. */
export type QueryPartitionOptions = Omit<ReadQueryPartitionOptions, 'dataBoost'>

/** @throws {IsothermError} `INVALID_QUERY_PARTITION` at once, for a query partition that this database object cannot read. */
export function readQueryPartition(
  { driver, telemetry, cursorSecrets }: FanOutServices,
  table: CompiledTable,
  partition: QueryPartition,
  options: QueryPartitionOptions,
): RowIterator<PlainRow> {
  const part = openQueryPartition(partition, cursorSecrets)
  checkTable(part, table)
  const { dataBoost, priority, tag, directedReads, source, token } = part
  const call: ReadQueryPartitionOptions = {
    ...(dataBoost && { dataBoost }),
    ...(priority !== undefined && { priority }),
    ...(tag !== undefined && { tag }),
    ...(directedReads && { directedReads }),
    ...options,
    // Many parts may listen to one signal: no leak, whatever Node would say of more than ten.
    ...(options.signal && { signal: AbortSignal.any([options.signal]) }),
  }
  const request = queryPartitionRequest(part, table)
  const filter = 'filter' in source ? source.filter : undefined
  const matches = filter && predicateOf(conditionFrom(table.layout, filter), table.dialect)
  const partitioned = partitionsOf(driver)
  const read = (left: ReadQueryPartitionOptions) => partitioned.readQueryPartition(request, token, left)
  return new RowIterator(
    batchesOf(table, { telemetry, system: driver.system }, read, matches, call),
    call.signal,
  )
}

/** @throws {IsothermError} `INVALID_QUERY_PARTITION` for a value that is not a query partition. */
export async function closeQueryPartitions(
  { driver, cursorSecrets }: FanOutServices,
  partition: QueryPartition,
  options: CallOptions,
): Promise<void> {
  await partitionsOf(driver).closeQueryPartitions(openQueryPartition(partition, cursorSecrets).token, options)
}

async function* batchesOf(
  { codec, layout }: CompiledTable,
  target: Omit<SpanTarget, 'table'>,
  read: (options: ReadQueryPartitionOptions) => AsyncIterable<readonly Cells[]>,
  matches: Predicate | undefined,
  options: ReadQueryPartitionOptions,
): AsyncGenerator<PlainRow[], void, undefined> {
  const { name } = layout.table
  const { signal, timeoutMs } = options
  const limits = new Limits(options)
  const span = new OperationSpan({ ...target, table: name }, { operation: 'read_part' })
  let taken = 0
  let returned = 0
  // Until a row has been returned, the read can begin again.
  const begin = async (attempt: number) => {
    if (attempt > 0) span.retry(attempt)
    const batches = read(limits.options)[Symbol.asyncIterator]()
    return { batches, first: await batches.next() }
  }
  const explained = (error: unknown): unknown => {
    if (signal?.aborted) return cancelled(name, signal)
    if (timeoutMs === undefined || !limits.isOver) return brokenOff(name, taken, error)
    return new IsothermError(
      'TIMEOUT',
      `The query partition of ${name} was not read within ${timeoutMs} ms.`,
      {
        fix: 'Give it a longer timeoutMs, or none: a query partition may take as long as its rows do.',
        table: name,
        cause: error,
      },
    )
  }
  let batches: AsyncIterator<readonly Cells[]> | undefined
  let failure: unknown
  try {
    const begun = await withRetries((attempt) => span.within(() => begin(attempt)), limits)
    batches = begun.batches
    const next = () => span.within(() => begun.batches.next())
    for (let batch = begun.first; batch.done !== true; batch = await next()) {
      if (signal?.aborted) throw cancelled(name, signal)
      const decoded = batch.value.map((cells) => codec.decode(cells))
      const rows = matches ? decoded.filter((row) => matches(row) === true) : decoded
      taken += decoded.length
      returned += rows.length
      yield rows
    }
    // Rows that the reader had not taken yet are gone.
    if (signal?.aborted) throw cancelled(name, signal)
  } catch (error) {
    failure = explained(error)
    throw failure
  } finally {
    if (failure !== undefined) span.fail(failure)
    span.end({ 'isotherm.rows_read': taken, 'isotherm.rows_returned': returned })
    await batches?.return?.()
  }
}

function cancelled(name: string, signal: AbortSignal): IsothermError {
  return new IsothermError('CANCELLED', `Reading a query partition of ${name} was cancelled by its signal.`, {
    table: name,
    cause: signal.reason,
  })
}

/** The database resumes the reads that it can. Any other read would begin at the first row, and rows would come twice. */
function brokenOff(name: string, taken: number, error: unknown): unknown {
  if (taken === 0 || !(error instanceof IsothermError) || !error.retryable) return error
  return new IsothermError(
    error.code,
    `The query partition of ${name} broke off after ${taken} rows, and cannot be resumed: ${error.message}`,
    {
      fix: 'Undo the effects of these rows, and read the query partition again from its beginning: it returns the same rows.',
      table: name,
      retryable: true,
      cause: error,
    },
  )
}
