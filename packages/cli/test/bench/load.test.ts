import { afterEach, describe, expect, it, vi } from 'vitest'
import { loadResult, refuseTwice, runLoad, takeNumbers, type Taken } from '../../src/bench/load.js'
import type { SequenceWork } from '../../src/bench/sequence-work.js'

function countingWork(perCall = 1): SequenceWork {
  let last = 0n
  return {
    perCall,
    call: () => Promise.resolve(Array.from({ length: perCall }, () => ++last)),
    close: () => Promise.resolve(),
  }
}

const taken = (...numbers: readonly bigint[]): Taken => ({
  numbers: BigInt64Array.from(numbers),
  latencies: new Map([[2_000, numbers.length]]),
  milliseconds: 500,
})

afterEach(() => {
  vi.useRealTimers()
})

describe('the load of the sequence benchmark', () => {
  it('takeNumbers() ends after the requested number of values', async () => {
    const { numbers, latencies } = await takeNumbers(countingWork(4), { callers: 3, values: 40 })
    expect([...numbers]).toEqual(Array.from({ length: 40 }, (_, at) => BigInt(at + 1)))
    expect([...latencies.values()].reduce((sum, calls) => sum + calls, 0)).toBe(10)
  })

  it('takeNumbers() ends after the requested time', async () => {
    vi.useFakeTimers()
    const work = countingWork()
    const slow = {
      ...work,
      call: () => {
        vi.advanceTimersByTime(8)
        return work.call()
      },
    }
    const { numbers, milliseconds } = await takeNumbers(slow, { callers: 1, milliseconds: 20 })
    expect([...numbers]).toEqual([1n, 2n, 3n])
    expect(milliseconds).toBe(24)
  })

  it('loadResult() adds up the values of parallel threads', () => {
    expect(loadResult([taken(1n, 2n), taken(3n, 4n)], 400)).toEqual({
      rate: 8,
      p50: 2,
      p75: 2,
      p90: 2,
      p99: 2,
      cpu: 100,
    })
  })

  it('loadResult() reports latency percentiles over all calls', () => {
    const latencies = new Map([
      [9_000, 1],
      [1_000, 50],
      [3_000, 49],
    ])
    expect(loadResult([{ ...taken(1n), latencies }], 0)).toMatchObject({ p50: 1, p75: 3, p90: 3, p99: 3 })
    expect(loadResult([{ ...taken(), latencies: new Map() }], 0)).toMatchObject({ p50: 0, cpu: 0 })
  })

  it('refuseTwice() detects a duplicate among more values than a Set can hold', () => {
    const numbers = new BigInt64Array(2 ** 24 + 1)
    const halves = new Int32Array(numbers.buffer)
    for (let at = 0; at < numbers.length; at++) halves[2 * at] = at
    expect(() => refuseTwice([numbers, BigInt64Array.of(7n)])).toThrow('1 of 16777218 numbers')
  })

  it('refuseTwice() and runLoad() throw when a value was returned twice', async () => {
    expect(() => refuseTwice([BigInt64Array.of(1n, 2n), BigInt64Array.of(2n)])).toThrow(
      '1 of 3 numbers were returned twice.',
    )
    const work = { ...countingWork(), call: () => Promise.resolve([1n]) }
    await expect(runLoad(work, { callers: 1, values: 3 })).rejects.toThrow(
      '2 of 3 numbers were returned twice.',
    )
  })
})
