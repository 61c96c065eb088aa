import type { ReadOptions } from '../../engine/driver.js'
import { Limits } from '../../engine/retries.js'
import type { TableLayout } from '../../layout/layout.js'
import { WHOLE_TABLE, healthOf } from '../run/shard-health.js'
import { type PlainRow, rowCodec } from '../../engine/codec.js'
import type { Aggregation } from '../../layout/statement.js'
import { spanned } from '../../observability/spans.js'
import {
  type AggregateQuery,
  type AggregateRequest,
  type Computation,
  chosen,
  fieldsOf,
  isFoundByClient,
  isUnordered,
  measureResult,
} from './measure.js'
import { clientAggregates } from './client-aggregates.js'
import { isImpossible, tableConstraints } from '../plan/constraints.js'
import { shardCount, shardsToRead } from '../plan/partitions.js'

/** A call over all shards of a table at once: repeated after a temporary failure, under one timeout and signal. */
async function callOverAll<T>(
  layout: TableLayout,
  options: ReadOptions,
  call: (options: ReadOptions, attempt: number) => Promise<T>,
): Promise<T> {
  const limits = new Limits(options)
  try {
    return await healthOf(layout).call(WHOLE_TABLE, (attempt) => call(limits.options, attempt), limits)
  } catch (error) {
    throw limits.said(error, layout.table.name)
  }
}

export type { AggregateRequest } from './measure.js'

/**
 * One statement over the shards that can match: the database computes, and returns a row for each group. An engine without
 * such statements returns the rows, and the client makes the groups.
 */
export async function aggregated(request: AggregateRequest, query: AggregateQuery): Promise<PlainRow[]> {
  const { driver, telemetry, table, condition, options } = request
  const { layout, dialect } = table
  if (!dialect.sql) return clientAggregates(request, query)
  const constraints = tableConstraints(layout, condition, dialect)
  const shards = shardsToRead(layout, layout, constraints)
  if (shards?.length === 0 || isImpossible(constraints)) return []
  const inDatabase = leavesToDatabase(request, query)
  const { groups, measures } = query
  const statement = dialect.sql.statements.aggregate({
    rows: {
      layout,
      order: [],
      ...(shards && shards.length !== shardCount(layout) && { shards }),
      ...(condition && { condition }),
    },
    groups: groups.flatMap(({ columns }) => columns),
    measures: measures.map(({ measure }) => measure),
    ...(inDatabase ? choiceOf(query) : { order: [] }),
  })
  const codec = rowCodec([...groups, ...measures].map(({ field }) => field))
  const target = { telemetry, system: driver.system, table: layout.table.name }
  const cells = await spanned(target, 'aggregate', (span) =>
    callOverAll(layout, options, (call, attempt) => {
      if (attempt > 0) span.retry(attempt)
      return driver.query(statement, codec.types, call)
    }),
  )
  const rows = cells.map(codec.decode)
  return inDatabase ? rows : chosen(rows, query, table)
}

function choiceOf({ having, order, limit }: AggregateQuery): Pick<Aggregation, 'having' | 'order' | 'limit'> {
  return { order, ...(having && { having }), ...(limit !== undefined && { limit }) }
}

/** Whether the engine can compare and order all that the groups are chosen by. */
function leavesToDatabase(
  { driver: { lacks } }: AggregateRequest,
  { having, order }: AggregateQuery,
): boolean {
  const ordered = order.map(({ field }) => field)
  return !(
    ordered.some((field) => isUnordered(field, lacks)) ||
    [...ordered, ...(having ? fieldsOf(having) : [])].some(isFoundByClient)
  )
}

/** The internal property of a total, which results do not show. */
const TOTAL = 'total'

async function total(
  request: AggregateRequest,
  compute: Computation,
  property: string | undefined,
): Promise<unknown> {
  const owner = { table: request.table, lacks: request.driver.lacks }
  const measure = measureResult(owner, compute, property, { property: TOTAL, column: 0 })
  const query = { groups: [], measures: [measure], having: undefined, order: [], limit: undefined }
  const [row] = await aggregated(request, query)
  return row?.[TOTAL] ?? null
}

/** One value over all rows; NULL if there are no rows. */
export function aggregateOf(
  request: AggregateRequest,
  compute: 'sum' | 'avg' | 'min' | 'max',
  property: string,
): Promise<unknown> {
  return total(request, compute, property)
}

/** How many rows. */
export async function countOf(request: AggregateRequest): Promise<number> {
  return ((await total(request, 'count', undefined)) ?? 0) as number
}

/** How many different values of a property. */
export async function distinctCountOf(request: AggregateRequest, property: string): Promise<number> {
  return ((await total(request, 'countDistinct', property)) ?? 0) as number
}
