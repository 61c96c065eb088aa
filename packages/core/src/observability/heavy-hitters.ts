import type { Evidence } from './evidence.js'

const COUNTERS = 64

interface Candidate extends Evidence {
  /** The shard that the key is in, where it is known. */
  readonly shard: number | undefined
}

/**
 * The most frequent of many keys in little memory (Misra and Gries, 1982): a count is never too high, and too low by a part of
 * all that is one more than the number of counters.
 */
export class HeavyHitters implements Iterable<[key: string, seen: Readonly<Candidate>]> {
  readonly #candidates = new Map<string, Candidate>()

  /** A call in which the key was seen so often. */
  add(key: string, weight: number, shard?: number): void {
    const candidates = this.#candidates
    const known = candidates.get(key)
    if (known) {
      known.count += weight
      known.squares += weight * weight
      return
    }
    let count = weight
    if (candidates.size >= COUNTERS) {
      // A new key and all the others pay with the same number.
      let least = weight
      for (const other of candidates.values()) least = Math.min(least, other.count)
      for (const [name, other] of candidates) {
        other.count -= least
        if (other.count === 0) candidates.delete(name)
      }
      count -= least
    }
    if (count > 0) candidates.set(key, { count, squares: weight * weight, shard })
  }

  [Symbol.iterator](): Iterator<[string, Readonly<Candidate>]> {
    return this.#candidates.entries()
  }
}
