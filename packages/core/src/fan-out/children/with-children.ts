import type { PlainRow } from '../../database/codec.js'
import { addChildren } from './children.js'
import { bucketSource, type Bucket } from '../planning/buckets.js'
import { partitionFields } from '../planning/key-ranges.js'
import { bucketText } from '../planning/lanes.js'
import { EVERYWHERE, placeKey, type Place, type PlaceKey } from '../reading/place.js'
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
  const lost = new Set<PlaceKey>()
  let left = limit
  for await (const batch of batches) {
    let rows = batch
    if (losesRows(reading)) rows = (await addByShard(reading, batch, lost)).slice(0, left)
    // Rows that only tell that there are more are seen by nobody.
    else await add(reading, batch.slice(0, Math.max(0, left - lookAhead)), EVERYWHERE)
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
  lost: Set<PlaceKey>,
): Promise<PlainRow[]> {
  const placeOf = placesOf(reading)
  const places = rows.map(placeOf)
  const keys = places.map(placeKey)
  const byPlace = new Map<PlaceKey, { readonly place: Place; readonly own: PlainRow[] }>()
  for (const [at, key] of keys.entries()) {
    if (lost.has(key)) continue
    const known = byPlace.get(key)
    if (known) known.own.push(rows[at]!)
    else byPlace.set(key, { place: places[at]!, own: [rows[at]!] })
  }
  await Promise.all(
    [...byPlace].map(async ([key, { place, own }]) => {
      try {
        await add(reading, own, place)
      } catch (error) {
        reading.lose(place, error)
        lost.add(key)
      }
    }),
  )
  return rows.filter((_, at) => !lost.has(keys[at]))
}

/** Where a row lies. */
function placesOf({ table: { layout } }: Reading): (row: PlainRow) => Place {
  const { property } = layout.shard!.column
  const bucket = partitionFields(layout).find(bucketSource)?.column.property
  return (row) => ({
    shard: Number(row[property]),
    ...(bucket !== undefined && { bucket: bucketText(row[bucket] as Bucket) }),
  })
}

async function add(reading: Reading, rows: readonly PlainRow[], place: Place): Promise<void> {
  const { table, request, plan, report } = reading
  const added = await addChildren(reading, table, rows, request.includes, plan.includes!, place)
  // They are handed on with their rows.
  report.hold(-added)
}
