/** How many rows of one call are looked at. */
const SAMPLE = 64

/**
 * Some of the rows, one by chance from each stretch of them. Every hundredth row would be of the same shard where a writer
 * takes its shards in turn.
 */
export function sampleOf<Row>(rows: readonly Row[]): readonly Row[] {
  const { length } = rows
  if (length <= SAMPLE) return rows
  return Array.from({ length: SAMPLE }, (_, at) => {
    const from = Math.floor((at * length) / SAMPLE)
    const to = Math.floor(((at + 1) * length) / SAMPLE)
    return rows[from + Math.floor(Math.random() * (to - from))]!
  })
}
