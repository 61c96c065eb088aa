import { itemAt } from '../known.js'
import { IsothermError } from '../errors.js'
import { withRetries } from '../engine/retries.js'
import { outsideTransactions } from '../transaction/scope.js'
import { closed } from './refusals.js'
import type { PrefetchPolicy } from './prefetch-policy.js'
import type { Counter } from '../model/bindings.js'
import { refuseOtherCount } from './numbering.js'

/** Numbers that are this process's own. */
export interface Range {
  readonly size: number
  numberAt(position: number): bigint
}

export interface RangeSource {
  readonly name: string
  /**
   * Takes numbers from the database: as many as `wanted`, or fewer where no more are left.
   *
   * @param signal aborted when the numbers are no longer wanted; when the promise settles, no request is under way any more
   * @throws {IsothermError} `SEQUENCE_EXHAUSTED` if there are no numbers left.
   */
  fetch(wanted: number, signal: AbortSignal): Promise<Range>
  /** @throws {IsothermError} `SEQUENCE_WOULD_WAIT` where the caller cannot wait for a fetch. */
  refuseWaiting(): void
  /** The error for callers for whom not enough numbers are left. */
  exhausted(): IsothermError
}

/** Statistics of a generator, since it was made. */
export interface SequenceStatistics {
  /** Numbers that were handed out. */
  readonly taken: number
  /** Calls that had to wait for the database. */
  readonly waits: number
  readonly fetches: number
  /** The available numbers. */
  readonly left: number
  readonly lowWater: number
}

interface Waiter {
  readonly count: number
  resolve(numbers: bigint[]): void
  reject(error: unknown): void
}

/**
 * Milliseconds before a failed fetch is repeated when no caller waits for it; doubled each time, up to the second figure.
 */
const FIRST_PAUSE = 100
const LONGEST_PAUSE = 10_000

/** Numbers that are reserved in memory, and the callers that wait for more. At most one fetch is under way. */
export class ReservedNumbers {
  readonly #source: RangeSource
  readonly #prefetch: PrefetchPolicy
  readonly #ranges: Range[] = []
  /** Within the first range. */
  #position = 0
  #left = 0
  #waiters: Waiter[] = []
  #fetching: Promise<void> | undefined
  readonly #ended = new AbortController()
  #again: NodeJS.Timeout | undefined
  #failures = 0
  /** In the clock of `performance.now()`: after a failure, when the database is asked again although no caller waits. */
  #restsUntil = 0
  #taken = 0
  #waits = 0
  #fetches = 0
  #takenBefore = 0
  #begunBefore = performance.now()

  constructor(source: RangeSource, prefetch: PrefetchPolicy) {
    this.#source = source
    this.#prefetch = prefetch
  }

  get statistics(): SequenceStatistics {
    return {
      taken: this.#taken,
      waits: this.#waits,
      fetches: this.#fetches,
      left: this.#left,
      lowWater: this.#prefetch.lowWater,
    }
  }

  /** The next number in memory; undefined where the caller has to wait. */
  nextAtHand(): bigint | undefined {
    if (this.#left === 0 || this.#waiters.length > 0) return undefined
    const number = this.#shift()
    if (this.#left <= this.#prefetch.lowWater) this.#fetchAhead()
    return number
  }

  async take(count: number): Promise<bigint[]> {
    if (this.#ended.signal.aborted) throw closed(this.#source.name)
    if (count === 0) return []
    if (this.#waiters.length === 0 && this.#left >= count) {
      const numbers = this.#shiftMany(count)
      if (this.#left <= this.#prefetch.lowWater) this.#fetchAhead()
      return numbers
    }
    try {
      this.#source.refuseWaiting()
    } catch (error) {
      // For calls that come once that transaction is over.
      if (this.#prefetch.lowWater >= 0) this.#fetchAhead()
      throw error
    }
    this.#waits++
    return new Promise((resolve, reject) => {
      this.#waiters.push({ count, resolve, reject })
      this.#fetchMore()
    })
  }

  /** Drops the available numbers, and refuses waiting callers. */
  async close(): Promise<void> {
    this.#ended.abort()
    clearTimeout(this.#again)
    this.#ranges.length = 0
    this.#left = 0
    this.#rejectAll(closed(this.#source.name))
    await this.#fetching
  }

  #shift(): bigint {
    const range = this.#ranges[0]!
    const number = range.numberAt(this.#position++)
    this.#left--
    this.#taken++
    if (this.#position === range.size) {
      this.#ranges.shift()
      this.#position = 0
    }
    return number
  }

  #shiftMany(count: number): bigint[] {
    const numbers = new Array<bigint>(count)
    for (let at = 0; at < count; at++) numbers[at] = this.#shift()
    return numbers
  }

  /** Fetches before a caller has to wait. A database that has just failed is not asked again at once. */
  #fetchAhead(): void {
    if (this.#failures === 0 || performance.now() >= this.#restsUntil) this.#fetchMore()
  }

  #fetchMore(): void {
    if (this.#fetching || this.#ended.signal.aborted) return
    clearTimeout(this.#again)
    this.#again = undefined
    this.#fetching = outsideTransactions(() => this.#fetch()).finally(() => {
      this.#fetching = undefined
      if (this.#isWanted()) this.#fetchMore()
    })
  }

  /** Whether more is wanted at once. After a failure for which no caller waited, there is a pause. */
  #isWanted(): boolean {
    if (this.#waiters.length > 0) return true
    return this.#failures === 0 && this.#left <= this.#prefetch.lowWater
  }

  async #fetch(): Promise<void> {
    const begun = performance.now()
    const taken = this.#taken - this.#takenBefore
    const since = begun - this.#begunBefore
    this.#takenBefore = this.#taken
    this.#begunBefore = begun
    const { signal } = this.#ended
    try {
      const range = await withRetries(() => this.#source.fetch(this.#wanted(), signal), { signal })
      if (signal.aborted) return
      this.#failures = 0
      this.#fetches++
      const waitingCount = this.#waitingCount()
      this.#ranges.push(range)
      this.#left += range.size
      this.#prefetch.fetched({
        latency: performance.now() - begun,
        size: range.size,
        taken,
        since,
        meanwhile: this.#taken - this.#takenBefore + waitingCount,
        waited: waitingCount > 0,
      })
      this.#serve()
    } catch (error) {
      this.#failed(error)
    }
  }

  #wanted(): number {
    return this.#prefetch.size(Math.max(1, this.#waitingCount() - this.#left), this.#left)
  }

  /** For how many numbers callers wait. */
  #waitingCount(): number {
    return this.#waiters.reduce((sum, { count }) => sum + count, 0)
  }

  /** In the order in which they came. */
  #serve(): void {
    let at = 0
    for (const { count, resolve } of this.#waiters) {
      if (count > this.#left) break
      resolve(this.#shiftMany(count))
      at++
    }
    this.#waiters = this.#waiters.slice(at)
  }

  #failed(error: unknown): void {
    if (this.#ended.signal.aborted) return
    const pause = Math.min(FIRST_PAUSE * 2 ** this.#failures++, LONGEST_PAUSE)
    this.#restsUntil = performance.now() + pause
    if (this.#waiters.length > 0) {
      // The numbers that are left may still be enough for some callers.
      if (error instanceof IsothermError && error.code === 'SEQUENCE_EXHAUSTED') this.#serveWhatIsLeft()
      this.#rejectAll(error)
      return
    }
    // The failure is permanent until it is fixed: a caller gets the error when no numbers are left.
    if (!(error instanceof IsothermError) || !error.retryable) return
    this.#again = setTimeout(() => this.#fetchMore(), pause).unref()
  }

  #serveWhatIsLeft(): void {
    this.#waiters = this.#waiters.filter(({ count, resolve }) => {
      if (count > this.#left) return true
      resolve(this.#shiftMany(count))
      return false
    })
  }

  #rejectAll(error: unknown): void {
    const waiters = this.#waiters
    this.#waiters = []
    for (const { reject } of waiters) reject(error)
  }
}

/** Numbers that are taken outside of the transactions that use them. */
export class RangeSequence implements Counter {
  readonly name: string
  readonly bitReversed: boolean
  readonly #numbers: ReservedNumbers

  /** @internal */
  constructor(source: RangeSource, prefetch: PrefetchPolicy, bitReversed: boolean) {
    this.name = source.name
    this.bitReversed = bitReversed
    this.#numbers = new ReservedNumbers(source, prefetch)
  }

  /** How many numbers were handed out and fetched, and how many calls waited. */
  get statistics(): SequenceStatistics {
    return this.#numbers.statistics
  }

  /**
   * The next number.
   *
   * @throws {IsothermError} `SEQUENCE_MISSING`, `SEQUENCE_EXHAUSTED`, `SEQUENCE_MOVED_BACK`, `SEQUENCE_CLOSED`;
   * `SEQUENCE_WOULD_WAIT` in a transaction that the transaction which has to fetch numbers would wait for.
   */
  async next(): Promise<bigint> {
    const atHand = this.#numbers.nextAtHand()
    if (atHand !== undefined) return atHand
    return itemAt(await this.#numbers.take(1), 0)
  }

  /** Takes several numbers at once. */
  async take(count: number): Promise<bigint[]> {
    refuseOtherCount(this.name, count)
    return this.#numbers.take(count)
  }

  /**
   * Closes the generator: numbers in memory are lost, requests that are under way are awaited, and waiting and later calls
   * are rejected.
   */
  close(): Promise<void> {
    return this.#numbers.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}
