import { known } from '@isotherm/core/engine'
// Months, days and nanoseconds: three counts that no rule makes into each other.
//
// Source: https://cassandra.apache.org/doc/5.0/cassandra/developing/cql/types.html#durations

type Count = 'months' | 'days' | 'nanoseconds'

const UNITS: ReadonlyMap<string, readonly [Count, bigint]> = new Map([
  ['y', ['months', 12n]],
  ['mo', ['months', 1n]],
  ['w', ['days', 7n]],
  ['d', ['days', 1n]],
  ['h', ['nanoseconds', 3_600_000_000_000n]],
  ['m', ['nanoseconds', 60_000_000_000n]],
  ['s', ['nanoseconds', 1_000_000_000n]],
  ['ms', ['nanoseconds', 1_000_000n]],
  ['us', ['nanoseconds', 1000n]],
  ['ns', ['nanoseconds', 1n]],
])

/** The units in which a duration is written, the largest first. */
const WRITTEN = ['y', 'mo', 'd', 'h', 'm', 's', 'ms', 'us', 'ns'] as const

const LIMITS = { months: 2n ** 31n, days: 2n ** 31n, nanoseconds: 2n ** 63n } as const

const TEXT = /^-?(?:\d+(?:y|mo|w|d|h|ms|us|µs|ns|m|s))+$/
const PART = /(\d+)(y|mo|w|d|h|ms|us|µs|ns|m|s)/g
const LONGEST = 200

interface Duration {
  readonly months: bigint
  readonly days: bigint
  readonly nanoseconds: bigint
}

/** The counts of a duration, all of one sign; undefined for an invalid text. */
export function parseDuration(text: string): Duration | undefined {
  if (text.length > LONGEST || !TEXT.test(text)) return undefined
  const counts = { months: 0n, days: 0n, nanoseconds: 0n }
  for (const [, digits = '', unit = ''] of text.matchAll(PART)) {
    const [count, size] = known(UNITS, unit === 'µs' ? 'us' : unit)
    counts[count] += BigInt(digits) * size
  }
  const sign = text.startsWith('-') ? -1n : 1n
  for (const [count, limit] of Object.entries(LIMITS) as [Count, bigint][]) {
    if (counts[count] >= limit) return undefined
    counts[count] *= sign
  }
  return counts
}

/** A duration as Cassandra prints it, `1y2mo3d4h5m6s7ms8us9ns`; undefined for an invalid text. */
export function durationText(text: string): string | undefined {
  const duration = parseDuration(text)
  if (!duration) return undefined
  const negative = [duration.months, duration.days, duration.nanoseconds].some((count) => count < 0n)
  const left = {
    months: magnitude(duration.months),
    days: magnitude(duration.days),
    nanoseconds: magnitude(duration.nanoseconds),
  }
  let written = ''
  for (const unit of WRITTEN) {
    const [count, size] = known(UNITS, unit)
    const units = left[count] / size
    left[count] %= size
    if (units > 0n) written += `${units}${unit}`
  }
  if (written === '') return '0ns'
  return negative ? `-${written}` : written
}

function magnitude(count: bigint): bigint {
  return count < 0n ? -count : count
}
