import { bucketOf } from '@isotherm/core/keys'
import { IsothermError } from '@isotherm/core'
import type { ReadRequest } from '@isotherm/core/engine'
import type { PlainRow } from '@isotherm/core/tools'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { inNoTime, lasting, passing } from '../support/failing.js'
import { compiledByPartition, byPartition, NOW } from '../support/by-partition.js'
import type { Script } from '../support/partitioned.js'

const SHARDS = 3

/** A table of its own for each test, so that no partition is known to have failed. */
function visits() {
  return compiledByPartition([
    (t) => ({
      day: t.timeBucket({ by: 'day', of: 'at', since: '2026-03-08' }),
      shard: t.shardKey({ shards: SHARDS, strategy: 'random' }),
      at: t.descTimestamp(),
      id: t.uuidV4(),
    }),
  ])
}

/** One each hour from the 8th of March on, in turn over the shards. */
const hours = Array.from({ length: 60 }, (_, n) => n)

function over(script: Script) {
  const table = visits()
  const { accept } = table.layout.byProperty.get('at')!
  const rows = hours.map((n): PlainRow => {
    const at = accept(new Date(Date.parse('2026-03-08') + n * 3_600_000)) as Date
    const id = `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`
    return { day: bucketOf(at, 'day'), shard: BigInt(n % SHARDS), at, id }
  })
  const own = byPartition(table, rows, script)
  return { ...own, newest: own.query.orderBy('at', 'desc') }
}

const positionOf = ({ ranges }: ReadRequest): string => ranges![0]!.start.slice(0, 2).join('/')
const numbers = (rows: readonly PlainRow[]): number[] =>
  rows.map(({ id }) => Number.parseInt(String(id).slice(-12), 16))
const downFrom = (first: number): number[] => hours.toReversed().filter((n) => n <= first)

beforeEach(() => {
  vi.useFakeTimers({ now: NOW })
})

afterEach(() => {
  vi.useRealTimers()
})

describe('a fan-out whose partition fails', () => {
  it('repeats a read that fails temporarily, and returns no row twice', async () => {
    let calls = 0
    const { newest } = over(() => (calls++ % 3 === 1 ? passing() : undefined))
    expect(numbers(await inNoTime(newest.all()))).toEqual(downFrom(59))
    expect(numbers((await inNoTime(newest.limit(30).page())).rows)).toEqual(downFrom(59).slice(0, 30))
    expect(await inNoTime(newest.count())).toBe(60)
  })

  it('the query rejects with DATABASE when a partition that it reads fails permanently', async () => {
    const { newest } = over((request) => (positionOf(request) === '2026-03-09/1' ? lasting() : undefined))
    await expect(inNoTime(newest.all())).rejects.toMatchObject({ code: 'DATABASE' })
    await expect(inNoTime(newest.count())).rejects.toMatchObject({ code: 'DATABASE' })
    await expect(inNoTime(newest.orderBy('id').all())).rejects.toMatchObject({ code: 'DATABASE' })
    // A partition that is not read does not fail.
    expect(numbers((await newest.limit(5).page()).rows)).toEqual(downFrom(59).slice(0, 5))
  })

  it.each([undefined, 'merge-shards', 'client-sort'] as const)(
    'a partial result leaves out the failed partition and names its bucket, with the strategy %s',
    async (strategy) => {
      const { newest } = over((request) => (positionOf(request) === '2026-03-09/1' ? passing() : undefined))
      const lost = vi.fn<(missing: { shard: number; bucket?: string }) => void>()
      const partial = newest.limit(60).onShardError('partial', lost)
      const { rows, missing } = await inNoTime((strategy ? partial.strategy(strategy) : partial).page())
      expect(numbers(rows)).toEqual(downFrom(59).filter((n) => n < 24 || n > 47 || n % SHARDS !== 1))
      expect(missing).toMatchObject([{ shard: 1, bucket: '2026-03-09', error: { code: 'UNAVAILABLE' } }])
      expect(lost).toHaveBeenCalledOnce()
    },
  )

  it.each([
    ['2026-03-10', undefined],
    ['2026-03-10', 'client-sort'],
    ['2026-03-09', undefined],
    ['2026-03-08', undefined],
  ] as const)(
    'a partial result over one shard holds the rows of all buckets except the failed bucket %s, with the strategy %s',
    async (bucket, strategy) => {
      const { newest } = over((request) => (positionOf(request) === `${bucket}/1` ? passing() : undefined))
      const lost = vi.fn<(missing: { shard: number; bucket?: string }) => void>()
      // One partition each day, and none is read together with the first one.
      const ofOneShard = newest.where({ shard: 1n, at: { lt: new Date('2026-03-11') } }).limit(60)
      const partial = ofOneShard.onShardError('partial', lost)
      const { rows, missing } = await inNoTime((strategy ? partial.strategy(strategy) : partial).page())
      const dayOf = (n: number): string => `2026-03-${String(8 + Math.floor(n / 24)).padStart(2, '0')}`
      expect(numbers(rows)).toEqual(downFrom(59).filter((n) => n % SHARDS === 1 && dayOf(n) !== bucket))
      expect(missing).toMatchObject([{ shard: 1, bucket, error: { code: 'UNAVAILABLE' } }])
      expect(lost).toHaveBeenCalledOnce()
    },
  )

  it('a partial query over one partition per day rejects with UNAVAILABLE when every day fails', async () => {
    const { newest, driver } = over(() => passing())
    const lost = vi.fn<() => void>()
    const ofOneShard = newest.where({ shard: 1n, at: { lt: new Date('2026-03-11') } }).limit(60)
    await expect(inNoTime(ofOneShard.onShardError('partial', lost).page())).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    })
    expect(new Set(driver.reads.map(positionOf)).size).toBe(3)
    expect(lost).toHaveBeenCalledTimes(2)
  })

  it('a partial query over all partitions rejects with UNAVAILABLE when every partition fails', async () => {
    const { newest } = over(() => passing())
    await expect(inNoTime(newest.onShardError('partial').page())).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    })
  })

  it('a partition is not read any more after repeated failures, and the error names its bucket', async () => {
    let calls = 0
    const { newest } = over((request) => {
      if (positionOf(request) !== '2026-03-09/1') return undefined
      calls++
      return passing()
    })
    const errors: unknown[] = []
    for (let turn = 0; turn < 4; turn++)
      errors.push(await inNoTime(newest.all().catch((error: unknown) => error)))
    const before = calls
    const last = await inNoTime(newest.all().catch((error: unknown) => error))
    expect(calls).toBe(before)
    expect((last as IsothermError).message).toMatch(
      /^Shard 1 of Log, in the bucket 2026-03-09, has been failing since/,
    )
    expect(errors).toHaveLength(4)
  })

  it('an aborted signal ends all calls of the query, which rejects with CANCELLED', async () => {
    const controller = new AbortController()
    const signals: AbortSignal[] = []
    const { newest, driver } = over((_, { signal }) => {
      signals.push(signal!)
      return new Promise((resolve) => signal!.addEventListener('abort', resolve))
    })
    const ended = inNoTime(newest.options({ signal: controller.signal }).limit(5).page())
    setTimeout(() => controller.abort(), 10)
    await expect(ended).rejects.toMatchObject({ code: 'CANCELLED' })
    expect(driver.reads.length).toBe(2 * SHARDS)
    expect(signals.every(({ aborted }) => aborted)).toBe(true)
  })

  it('a stream that is left early makes no further calls', async () => {
    const { newest, driver } = over(() => undefined)
    for await (const row of newest) if (numbers([row])[0] === 50) break
    expect(driver.reads.map(positionOf)).not.toContain('2026-03-09/0')
  })
})
