import type { Counter } from '../model/bindings.js'
import { refuseOtherCount } from './numbering.js'
import type { Pace } from './pace.js'
import { RangePool, type PoolStatistics, type RangeSource } from './range-pool.js'

/** Numbers that are taken outside of the transactions that use them. */
export class PooledSequence implements Counter {
  readonly name: string
  readonly bitReversed: boolean
  readonly #pool: RangePool

  /** @internal */
  constructor(source: RangeSource, pace: Pace, bitReversed: boolean) {
    this.name = source.name
    this.bitReversed = bitReversed
    this.#pool = new RangePool(source, pace)
  }

  /** What has been handed out, fetched and waited for. */
  get statistics(): PoolStatistics {
    return this.#pool.statistics
  }

  /**
   * The next number.
   *
   * @throws {IsothermError} `SEQUENCE_MISSING`, `SEQUENCE_EXHAUSTED`, `SEQUENCE_MOVED_BACK`, `SEQUENCE_CLOSED`;
   * `SEQUENCE_WOULD_WAIT` in a transaction that stands in the way of the one that has to fetch numbers.
   */
  async next(): Promise<bigint> {
    const atHand = this.#pool.nextAtHand()
    if (atHand !== undefined) return atHand
    const [number] = await this.#pool.take(1)
    return number!
  }

  /** So many numbers in one go. */
  async take(count: number): Promise<bigint[]> {
    refuseOtherCount(this.name, count)
    return this.#pool.take(count)
  }

  /** Ends it: numbers at hand are lost, what is under way is waited for, and whoever waits, or asks later, is refused. */
  close(): Promise<void> {
    return this.#pool.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}
