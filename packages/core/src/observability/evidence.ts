/** How often a key was seen, and the sum of the squares of how often in each call. */
export interface Evidence {
  count: number
  squares: number
}

/**
 * Whether there is more than expected of something, and many calls agree on it. Rows of one call are no independent witnesses:
 * they are of one customer, or in an order in which the rows of a shard follow each other. So a call that has many of them
 * raises the bar by as many.
 *
 * @param squares how far each call was from what was expected of it: the sum of the squares
 */
export function isEvident(excess: number, squares: number): boolean {
  // So many deviations, since there is a verdict on thousands of shards again and again.
  return excess > 6 * Math.sqrt(squares)
}

/** How often a shard was seen, call by call. */
interface ShardEvidence extends Evidence {
  /** The sum of how often in each call, times the rows of the call. */
  products: number
}

/** The shards that the rows of many calls were in. */
export class ShardCounts {
  rows = 0
  /** The sum of the squares of the rows of each call. */
  #squares = 0
  readonly #byShard = new Map<number, ShardEvidence>()

  /** What one call has brought. */
  add(shards: ReadonlyMap<number, number>, rows: number): void {
    this.rows += rows
    this.#squares += rows * rows
    for (const [shard, count] of shards) {
      let seen = this.#byShard.get(shard)
      if (!seen) this.#byShard.set(shard, (seen = { count: 0, squares: 0, products: 0 }))
      seen.count += count
      seen.squares += count * count
      seen.products += count * rows
    }
  }

  /** The shards that have this part of the rows, where another was expected, beyond what chance makes. */
  *above(share: number, expected: number): Generator<{ readonly shard: number; readonly share: number }> {
    const { rows } = this
    for (const [shard, { count, squares, products }] of this.#byShard) {
      if (count < share * rows) continue
      const deviations = squares - expected * (2 * products - expected * this.#squares)
      if (isEvident(count - expected * rows, deviations)) yield { shard, share: count / rows }
    }
  }
}
