import { keyWires, type PlainRow } from '../../database/codec.js'
import { EVERYWHERE } from './place.js'
import type { Reading } from './reading.js'

/** Batches of index entries as rows: looked up by their keys, as of the same moment. */
export async function* backJoined(
  entries: AsyncIterable<PlainRow[]>,
  reading: Reading,
): AsyncGenerator<PlainRow[], void, undefined> {
  const { table, matches, report, request } = reading
  const { layout, codec } = table
  let left = request.limit ?? Infinity
  for await (const batch of entries) {
    const keys = batch.map((entry) => keyWires(layout, entry))
    const cells = await reading.calling(EVERYWHERE, (reader, options) =>
      reader.read({ layout, columns: codec.columns, keys }, options),
    )
    reading.count(EVERYWHERE, cells.length)
    // They come in the order of the table's key.
    const byKey = new Map<string, PlainRow>()
    for (const each of cells) {
      const row = codec.decode(each)
      byKey.set(JSON.stringify(keyWires(layout, row)), row)
    }
    const rows = keys
      .map((key) => byKey.get(JSON.stringify(key))!)
      .filter((row) => !matches || matches(row) === true)
      .slice(0, left)
    report.hold(rows.length - batch.length - cells.length)
    left -= rows.length
    if (rows.length > 0) yield rows
    if (left <= 0) return
  }
}
