import type { PlainRow } from '../../database/codec.js'
import { addChildren } from './children.js'
import type { Reading } from '../reading/reading.js'

/** Whether rows can get lost with their children: where a shard that fails does not end the query. */
export function losesRows({ request, table, index }: Reading): boolean {
  // The shards of an index are others than those that the children lie in.
  return request.includes.length > 0 && request.apart && !index && table.layout.shard !== undefined
}

/** Batches of rows with their children. Where rows get lost, those that follow take their places. */
export async function* withChildren(
  batches: AsyncIterable<PlainRow[]>,
  reading: Reading,
): AsyncGenerator<PlainRow[], void, undefined> {
  const { limit = Infinity, lookAhead } = reading.request
  const lost = new Set<number>()
  let left = limit
  for await (const batch of batches) {
    let rows = batch
    if (losesRows(reading)) rows = (await addByShard(reading, batch, lost)).slice(0, left)
    // Rows that only tell that there are more are seen by nobody.
    else await add(reading, batch.slice(0, Math.max(0, left - lookAhead)), undefined)
    reading.report.hold(rows.length - batch.length)
    left -= rows.length
    if (rows.length > 0) yield rows
    if (left <= 0) return
  }
}

/** The rows of shards that have not failed: each shard by itself, so that one takes no rows but its own with it. */
async function addByShard(
  reading: Reading,
  rows: readonly PlainRow[],
  lost: Set<number>,
): Promise<PlainRow[]> {
  const { property } = reading.table.layout.shard!.column
  const shardOf = (row: PlainRow): number => Number(row[property])
  const shards = new Set(rows.map(shardOf).filter((shard) => !lost.has(shard)))
  await Promise.all(
    [...shards].map(async (shard) => {
      const own = rows.filter((row) => shardOf(row) === shard)
      try {
        await add(reading, own, shard)
      } catch (error) {
        reading.lose(shard, error)
        lost.add(shard)
      }
    }),
  )
  return rows.filter((row) => !lost.has(shardOf(row)))
}

async function add(reading: Reading, rows: readonly PlainRow[], shard: number | undefined): Promise<void> {
  const { table, request, plan, report } = reading
  const added = await addChildren(reading, table, rows, request.includes, plan.includes!, shard)
  // They are handed on with their rows.
  report.hold(-added)
}
