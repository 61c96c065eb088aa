import { IsothermError } from '../errors.js'

/** How many numbers are fetched, and when. */
export interface PrefetchPolicy {
  /**
   * How many numbers the next fetch asks for.
   *
   * @param needed at least these, which callers wait for
   * @param left the numbers in memory
   */
  size(needed: number, left: number): number
  /**
   * Once no more than this many numbers are left, more are fetched in the background; negative: only once a caller waits.
   */
  readonly lowWater: number
  /** Called after each fetch. */
  fetched(fetch: Fetch): void
}

interface Fetch {
  /** Milliseconds that it took. */
  readonly latency: number
  readonly size: number
  /** How many numbers were handed out since the fetch before began, and in how many milliseconds. */
  readonly taken: number
  readonly since: number
  /** How many were handed out or requested while it was under way. */
  readonly meanwhile: number
  /** Whether callers had to wait for it. */
  readonly waited: boolean
}

/** Fetches only as many numbers as callers wait for. */
export const onDemandPrefetch: PrefetchPolicy = { size: (needed) => needed, lowWater: -1, fetched() {} }

/** Ranges of one size. */
export function fixedPrefetch(size: number, lowWater = -1): PrefetchPolicy {
  return { size: (needed) => Math.max(size, needed), lowWater, fetched() {} }
}

export interface AdaptiveBounds {
  /** The smallest range: how many numbers are available after a fetch. Default: 20. */
  readonly min?: number
  /** The largest range: how many numbers a killed process loses at most. Default: 100,000. */
  readonly max?: number
}

/** Milliseconds for which a range should last: fetches are few then, and a process that is killed costs little. */
const LASTS = 1_000
/** A fetch begins when this many times the numbers that are used during a fetch are left. */
const RESERVE = 3
/** How much of a new observation goes into an average. */
const WEIGHT = 0.25
/** The shortest time over which a rate is measured, in milliseconds: a few calls at once are not a high rate. */
const SHORTEST = 100

/**
 * Ranges that last a second at the rate of late, filled up when three times as many numbers are left as go while a fetch takes.
 * Where callers had to wait, the next range is twice as large, whatever the averages say.
 */
export class AdaptivePrefetch implements PrefetchPolicy {
  readonly #min: number
  readonly #max: number
  /** Numbers in a millisecond. */
  #rate = 0
  #latency = 0
  #deviation = 0
  /** Numbers that are asked for during a fetch: more than the rate says, where callers come together. */
  #meanwhile = 0
  #range: number

  /** @throws {IsothermError} `INVALID_VALUE` for invalid bounds. */
  constructor(name: string, { min = 20, max = 100_000 }: AdaptiveBounds) {
    if (!Number.isSafeInteger(min) || !Number.isSafeInteger(max) || min < 1 || max < min) {
      throw new IsothermError(
        'INVALID_VALUE',
        `The ranges of ${JSON.stringify(name)} have the bounds ${String(min)} and ${String(max)}, which are invalid.`,
        { fix: 'Give whole numbers: min is 1 or more, max is min or more.' },
      )
    }
    this.#min = min
    this.#max = max
    this.#range = min
  }

  get lowWater(): number {
    return Math.min(Math.max(this.#reserve(), Math.ceil(this.#range / 4)), Math.floor(this.#range / 2))
  }

  size(needed: number, left: number): number {
    return Math.max(needed, Math.min(Math.max(this.#range - left, 2 * needed), this.#max - left))
  }

  fetched({ latency, taken, since, meanwhile, waited }: Fetch): void {
    if (this.#latency === 0) this.#latency = latency
    this.#deviation += WEIGHT * (Math.abs(latency - this.#latency) - this.#deviation)
    this.#latency += WEIGHT * (latency - this.#latency)
    this.#rate = atOnceOrByAndBy(this.#rate, taken / Math.max(since, SHORTEST))
    this.#meanwhile = atOnceOrByAndBy(this.#meanwhile, meanwhile)
    const wanted = Math.max(Math.ceil(this.#rate * LASTS), 2 * this.#reserve())
    this.#range = this.#within(waited ? Math.max(wanted, 2 * this.#range) : wanted)
  }

  #reserve(): number {
    // As for the time-outs of TCP: the average and four times its deviation.
    const byRate = this.#rate * (this.#latency + 4 * this.#deviation)
    return Math.ceil(Math.max(byRate, this.#meanwhile) * RESERVE)
  }

  #within(size: number): number {
    return Math.min(Math.max(size, this.#min), this.#max)
  }
}

/** Grows at once, and shrinks gradually: a range that is too large costs less than a wait. */
function atOnceOrByAndBy(before: number, now: number): number {
  return now > before ? now : before + WEIGHT * (now - before)
}
