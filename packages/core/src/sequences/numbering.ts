import { IsothermError } from '../errors.js'
import { bitReverse } from '../keys/bit-reverse.js'

const HIGHEST_INT64 = 2n ** 63n - 1n

export interface NumberingOptions {
  /** The first number, for `create`. Default: 1. */
  readonly start?: bigint
  /** From one number to the next: 1 or more. Default: 1. */
  readonly increment?: bigint
  /**
   * The last number that may be handed out. Default: the highest that leaves room in a 64-bit integer for the number after it,
   * 2^63 - 1 - increment.
   */
  readonly maximum?: bigint
  /** Hand the numbers out with their bits reversed, for keys. Default: false. */
  readonly bitReversed?: boolean
}

/** How one sequence counts. */
export class Numbering {
  readonly start: bigint
  readonly increment: bigint
  readonly maximum: bigint
  readonly bitReversed: boolean

  /** @throws {IsothermError} `INVALID_VALUE` for what cannot be counted. */
  constructor(name: string, { start = 1n, increment = 1n, maximum, bitReversed = false }: NumberingOptions) {
    refuseOther(name, 'increment', increment, 1n, HIGHEST_INT64 - 1n)
    const highest = HIGHEST_INT64 - increment
    refuseOther(name, 'start', start, 0n, highest)
    if (maximum !== undefined) refuseOther(name, 'maximum', maximum, start, highest)
    this.start = start
    this.increment = increment
    this.maximum = maximum ?? highest
    this.bitReversed = bitReversed
  }

  /** How many of `wanted` numbers there are from this one on. */
  countFrom(next: bigint, wanted: number): number {
    if (next > this.maximum) return 0
    const left = (this.maximum - next) / this.increment + 1n
    return left < BigInt(wanted) ? Number(left) : wanted
  }

  after(first: bigint, count: number): bigint {
    return first + BigInt(count) * this.increment
  }

  /** The number `position` steps from `first`, as it is handed out. */
  numberAt(first: bigint, position: number): bigint {
    const number = this.after(first, position)
    return this.bitReversed ? bitReverse(number) : number
  }
}

function refuseOther(name: string, what: string, value: unknown, lowest: bigint, highest: bigint): void {
  if (typeof value === 'bigint' && value >= lowest && value <= highest) return
  throw new IsothermError(
    'INVALID_VALUE',
    `The ${what} of the sequence ${JSON.stringify(name)} is ${String(value)}.`,
    { fix: `It is a bigint from ${lowest} to ${highest}.` },
  )
}

/** The maximum of numbers for one call. */
export const MAX_AT_ONCE = 1_000_000

/** @throws {IsothermError} `INVALID_VALUE` for an invalid count. */
export function refuseOtherCount(name: string, count: unknown): asserts count is number {
  if (Number.isSafeInteger(count) && (count as number) >= 0 && (count as number) <= MAX_AT_ONCE) return
  throw new IsothermError(
    'INVALID_VALUE',
    `${String(count)} numbers of the sequence ${JSON.stringify(name)} were requested.`,
    { fix: `Request a whole number from 0 to ${MAX_AT_ONCE.toLocaleString('en')}.` },
  )
}
