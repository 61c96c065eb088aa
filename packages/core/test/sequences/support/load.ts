import type { SequenceStatistics } from '@isotherm/core/sequences'
import { ReservedNumbers, type RangeSource } from '../../../src/sequences/reserved-numbers.js'
import type { PrefetchPolicy } from '../../../src/sequences/prefetch-policy.js'
import { pass } from './virtual-time.js'

/** A source whose ranges take their time. */
export function slowSource(latency: () => number): RangeSource {
  let next = 1n
  return {
    name: 'load',
    fetch: (wanted) =>
      new Promise((resolve) => {
        setTimeout(() => {
          const first = next
          next += BigInt(wanted)
          resolve({ size: wanted, numberAt: (position) => first + BigInt(position) })
        }, latency())
      }),
    refuseWaiting: () => {},
    exhausted: () => new Error('There is always more.') as never,
  }
}

/** Calls of a pool that come whether those before are answered or not, in virtual time. */
export class Load {
  readonly pool: ReservedNumbers

  constructor(prefetch: PrefetchPolicy, latency: () => number) {
    this.pool = new ReservedNumbers(slowSource(latency), prefetch)
  }

  /**
   * So many calls a second for so many seconds, `atOnce` of them together.
   *
   * @returns what the pool has done in the meantime
   */
  async run(
    perSecond: number,
    seconds: number,
    atOnce = 1,
  ): Promise<Pick<SequenceStatistics, 'taken' | 'waits' | 'fetches'>> {
    const before = this.pool.statistics
    const calls = perSecond * seconds
    // Many calls a millisecond are made together, as timers do.
    const step = Math.max(1, (1000 * atOnce) / perSecond)
    let made = 0
    for (let time = step; made < calls; time += step) {
      const due = Math.min(calls, Math.max(made + atOnce, Math.round((perSecond * time) / 1000)))
      for (; made < due; made++) if (this.pool.nextAtHand() === undefined) void this.pool.take(1)
      await pass(step)
    }
    const after = this.pool.statistics
    return {
      taken: after.taken - before.taken,
      waits: after.waits - before.waits,
      fetches: after.fetches - before.fetches,
    }
  }
}
