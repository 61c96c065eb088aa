import type { MissingShard } from '@isotherm/core'
import type { ReadRequest } from '@isotherm/core/engine'
import type { PlainRow } from '@isotherm/core/tools'
import * as fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { dialects } from '../../support/layout.js'
import { failingLog, inNoTime, lasting, logRows, passing, shardOf, SHARDS } from '../support/failing.js'

// A call that fails is repeated up to a limit, and the read continues behind the last row.

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const byKey = fc.constantFrom('merge-shards' as const, 'probe-window' as const, 'read-ranges' as const)
const strategies = fc.oneof({ weight: 3, arbitrary: byKey }, fc.constant('back-join' as const))
const limits = fc.option(fc.integer({ min: 1, max: 40 }), { nil: undefined })
const nameOf = ({ ranges, keys, limit }: ReadRequest): string => JSON.stringify([ranges, keys, limit])

/** Fails each call as often as the next number says, and then lets it through. */
function failing(times: readonly number[]) {
  const left = new Map<string, number>()
  return (request: ReadRequest): Error | undefined => {
    const name = nameOf(request)
    const more = left.get(name) ?? times[left.size % times.length]!
    left.set(name, more - 1)
    return more > 0 ? passing() : undefined
  }
}

describe.each(dialects)('reads that fail temporarily in $name', (dialect) => {
  // One attempt less than the maximum.
  const scripts = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 20 })

  it('a repeated read continues behind the last row, and all rows come once and in order', async () => {
    const used = new Set<string>()
    await fc.assert(
      fc.asyncProperty(logRows, strategies, limits, scripts, async (rows, strategy, limit, times) => {
        const { answered, joined, ...direct } = failingLog(dialect, rows, failing(times))
        const { query, expected } = strategy === 'back-join' ? joined : direct
        const fanOut = limit === undefined ? query.strategy(strategy) : query.strategy(strategy).limit(limit)
        used.add(fanOut.explain().strategy)
        expect(await inNoTime(fanOut.all())).toStrictEqual(expected.slice(0, limit))
        expect(new Set(answered.map(nameOf)).size).toBe(answered.length)
        expect(vi.getTimerCount()).toBe(0)
      }),
      { numRuns: 200 },
    )
    expect([...used].toSorted()).toStrictEqual(['back-join', 'merge-shards', 'probe-window', 'read-ranges'])
  })

  it('temporary failures cause no calls besides the repeated calls', async () => {
    await fc.assert(
      fc.asyncProperty(logRows, limits, scripts, async (rows, limit, times) => {
        const calls = []
        for (const script of [failing(times), () => undefined]) {
          const { query, answered } = failingLog(dialect, rows, script)
          const fanOut = query.strategy('merge-shards')
          await inNoTime((limit === undefined ? fanOut : fanOut.limit(limit)).all())
          calls.push(answered.map(nameOf).toSorted())
        }
        expect(calls[0]).toStrictEqual(calls[1])
      }),
      { numRuns: 100 },
    )
  })

  it('a stream that fails with UNAVAILABLE has returned its first rows in order and once', async () => {
    await fc.assert(
      fc.asyncProperty(logRows, byKey, fc.nat({ max: 12 }), async (rows, strategy, good) => {
        let calls = 0
        const { query, expected } = failingLog(dialect, rows, () => (++calls > good ? passing() : undefined))
        const streamed: PlainRow[] = []
        const reading = async (): Promise<void> => {
          for await (const row of query.strategy(strategy).limit(30)) streamed.push(row as PlainRow)
        }
        const outcome = await inNoTime(
          reading().then(
            () => 'complete',
            ({ code }: { code: string }) => code,
          ),
        )
        expect(streamed).toStrictEqual(expected.slice(0, outcome === 'complete' ? 30 : streamed.length))
        expect(['complete', 'UNAVAILABLE']).toContain(outcome)
        expect(vi.getTimerCount()).toBe(0)
      }),
      { numRuns: 200 },
    )
  })

  it('a read is attempted five times when it fails with UNAVAILABLE, and once when it fails with DATABASE', async () => {
    for (const [error, times] of [
      [passing(), 5],
      [lasting(), 1],
    ] as const) {
      const { query, requests } = failingLog(dialect, [], () => error)
      const reading = query.where({ shard: 2n }).all()
      await expect(inNoTime(reading)).rejects.toBe(error)
      expect(requests).toHaveLength(times)
    }
  })

  it('a signal that aborts during a pause rejects at once with CANCELLED, without another attempt', async () => {
    const { query, requests } = failingLog(dialect, [], passing)
    const controller = new AbortController()
    const reading = query.options({ signal: controller.signal }).all()
    const outcome = reading.catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(0)
    const before = requests.length
    expect(vi.getTimerCount()).toBeGreaterThan(0)
    controller.abort()
    expect(await outcome).toMatchObject({
      code: 'CANCELLED',
      message: expect.stringContaining('Log'),
    })
    expect(vi.getTimerCount()).toBe(0)
    expect(requests).toHaveLength(before)
  })

  it.each([10, 50, 150])(
    'attempts and pauses end with TIMEOUT within the timeout of the query (%s ms)',
    async (timeoutMs) => {
      const { query } = failingLog(dialect, [], passing)
      const begun = performance.now()
      const reading = query.options({ timeoutMs }).all()
      const outcome = reading.catch((error: unknown) => error)
      await inNoTime(outcome)
      expect(await outcome).toMatchObject({
        code: 'TIMEOUT',
        message: expect.stringContaining(`Reading Log did not end within ${timeoutMs} ms`),
        cause: { code: 'UNAVAILABLE' },
      })
      expect(performance.now() - begun).toBeLessThanOrEqual(timeoutMs + 1)
      expect(vi.getTimerCount()).toBe(0)
    },
  )
})

describe.each(dialects)('partial results in $name', (dialect) => {
  const brokenShards = fc.subarray([0, 1, 2, 3, 4], { minLength: 1, maxLength: SHARDS - 1 })

  it('hold all rows of the other shards in order, and name the failed shards', async () => {
    await fc.assert(
      fc.asyncProperty(
        logRows,
        brokenShards,
        fc.nat({ max: 2 }),
        byKey,
        async (rows, broken, good, strategy) => {
          const calls = new Map<number, number>()
          const { query, expected } = failingLog(dialect, rows, (request) => {
            const shard = shardOf(request)!
            if (!broken.includes(shard)) return undefined
            calls.set(shard, (calls.get(shard) ?? 0) + 1)
            return calls.get(shard)! > good ? passing() : undefined
          })
          const reported: MissingShard[] = []
          const fanOut = query
            .strategy(strategy)
            .limit(1000)
            .onShardError('partial', (missing) => reported.push(missing))
          const { rows: found, missing } = await inNoTime(fanOut.page())
          const isBroken = ({ shard }: PlainRow): boolean => broken.includes(Number(shard))
          const whole = (each: PlainRow): boolean => !isBroken(each)
          expect(found.filter(whole)).toStrictEqual(expected.filter(whole))
          // A shard that fails later on has returned its first rows.
          expect(found).toStrictEqual(expected.filter((each) => found.some(({ id }) => id === each['id'])))
          expect(reported).toStrictEqual(missing)
          const named = missing.map(({ shard }) => shard)
          expect(new Set(named).size).toBe(named.length)
          for (const { shard, since, error } of missing) {
            expect(broken).toContain(shard)
            expect(since).toBeInstanceOf(Date)
            expect(error.code).toBe('UNAVAILABLE')
          }
          const lost = expected.filter((each) => !found.some(({ id }) => id === each['id']))
          expect(lost.every(({ shard }) => named.includes(Number(shard)))).toBe(true)
        },
      ),
      { numRuns: 200 },
    )
  })

  it('a partial query rejects with UNAVAILABLE when all shards fail', async () => {
    const { query } = failingLog(dialect, [], passing)
    const reported: MissingShard[] = []
    const fanOut = query.onShardError('partial', (missing) => reported.push(missing))
    await expect(inNoTime(fanOut.page())).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    expect(reported.length).toBeLessThan(SHARDS)
  })

  it('a partial query rejects with DATABASE, which is not a failure of the shard', async () => {
    const { query } = failingLog(dialect, [], (request) => (shardOf(request) === 1 ? lasting() : undefined))
    await expect(inNoTime(query.onShardError('partial').page())).rejects.toMatchObject({ code: 'DATABASE' })
  })
})
