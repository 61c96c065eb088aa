import { defineSchema, defineTable, openDatabase } from '@isotherm/core'
import { googlesql } from '@isotherm/spanner'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { IsothermError } from '../../../src/errors.js'
import { dialects } from '../../support/layout.js'
import { statementDriver } from '../support/statements.js'
import { failingLog, inNoTime, lasting, passing, shardOf, SHARDS, type Script } from '../support/failing.js'

// A shard that keeps failing is left alone for a while.

beforeEach(() => void vi.useFakeTimers({ now: Date.parse('2026-11-21T12:00:00Z') }))
afterEach(() => void vi.useRealTimers())

const REST = 5_000
const late = (): IsothermError => new IsothermError('TIMEOUT', 'The database did not answer.')

const [dialect] = dialects

/** A table whose shard 3 follows a script, and a query of that shard alone. */
function failingShard(first: () => ReturnType<Script>) {
  let script = first
  const rows = [0, 1, 2, 3, 4].map((shard) => ({
    shard: BigInt(shard),
    at: new Date(shard * 1000),
    id: `00000000-0000-4000-8000-00000000000${shard}`,
    page: '/',
    size: 1n,
  }))
  const { query, requests } = failingLog(dialect!, rows, (request) =>
    shardOf(request) === 3 ? script() : undefined,
  )
  return {
    query,
    shard: query.where({ shard: 3n }),
    /** How often the shard has been asked. */
    requestCount: () => requests.filter((request) => shardOf(request) === 3).length,
    /** From now on. */
    does: (next: () => ReturnType<Script>) => (script = next),
  }
}

async function failThrice({ shard }: ReturnType<typeof failingShard>): Promise<void> {
  for (let round = 0; round < 3; round++)
    await expect(inNoTime(shard.all())).rejects.toMatchObject({ message: 'The connection was lost.' })
}

describe('the circuit breaker of a shard', () => {
  it('opens after three failed queries, and names the shard and the first failure time', async () => {
    const own = failingShard(passing)
    const begun = new Date()
    await failThrice(own)
    const sent = own.requestCount()
    expect(sent).toBe(15)
    const refused = own.shard.all()
    await expect(refused).rejects.toMatchObject({ code: 'UNAVAILABLE', table: 'Log', retryable: true })
    const { message } = (await refused.catch((error: IsothermError) => error)) as IsothermError
    const [, since] = /^Shard 3 of Log has been failing since (\S+)\. /.exec(message)!
    expect(new Date(since!).getTime()).toBeGreaterThan(begun.getTime())
    expect(new Date(since!).getTime()).toBeLessThan(begun.getTime() + 1000)
    expect(own.requestCount()).toBe(sent)
    expect(vi.getTimerCount()).toBe(0)
    // The other shards are not affected.
    expect(await own.query.where({ shard: 2n }).all()).toHaveLength(1)
  })

  it('closes when the shard answers after a rest of 5 s, and opens again after three more failures', async () => {
    const own = failingShard(passing)
    await failThrice(own)
    vi.advanceTimersByTime(REST - 10)
    await expect(own.shard.all()).rejects.toMatchObject({ message: expect.stringContaining('failing since') })
    vi.advanceTimersByTime(10)
    own.does(() => undefined)
    expect(await own.shard.all()).toHaveLength(1)
    own.does(passing)
    // Three failures are needed again.
    await failThrice(own)
    await expect(own.shard.all()).rejects.toMatchObject({ message: expect.stringContaining('failing since') })
  })

  it('stays open when the trial after the rest fails, and still reports the first failure time', async () => {
    const own = failingShard(passing)
    await failThrice(own)
    const said = async (): Promise<string> =>
      own.shard.all().then(
        () => '',
        (error: IsothermError) => error.message,
      )
    const before = await said()
    vi.advanceTimersByTime(REST)
    await expect(inNoTime(own.shard.all())).rejects.toMatchObject({ message: 'The connection was lost.' })
    const sent = own.requestCount()
    expect(await said()).toBe(before)
    expect(own.requestCount()).toBe(sent)
  })

  it('rejects other queries during a trial, and stays open when the trial is cancelled', async () => {
    const own = failingShard(passing)
    await failThrice(own)
    vi.advanceTimersByTime(REST)
    const answers: ((error: Error) => void)[] = []
    own.does(() => new Promise((_, reject) => answers.push(reject)))
    const controller = new AbortController()
    const trying = own.shard.options({ signal: controller.signal }).all()
    const outcome = trying.catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(0)
    const sent = own.requestCount()
    await expect(own.shard.all()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    controller.abort()
    answers[0]!(new IsothermError('CANCELLED', 'The call was cancelled by its signal.'))
    expect(await outcome).toMatchObject({ code: 'CANCELLED' })
    await expect(own.shard.all()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    expect(own.requestCount()).toBe(sent)
  })

  it('stays closed after DATABASE, which is not a failure of the shard', async () => {
    const own = failingShard(lasting)
    for (let round = 0; round < 10; round++)
      await expect(inNoTime(own.shard.all())).rejects.toMatchObject({ code: 'DATABASE' })
    expect(own.requestCount()).toBe(10)
  })

  it.each([
    [5, 10],
    [1_500, 3],
  ])(
    'counts timeouts as failures only if they are not short (%s ms: %s calls of 10)',
    async (milliseconds, times) => {
      const own = failingShard(
        () => new Promise((_, reject) => setTimeout(() => reject(late()), milliseconds)),
      )
      for (let round = 0; round < 10; round++) await inNoTime(own.shard.all()).catch(() => {})
      expect(own.requestCount()).toBe(times)
    },
  )

  it('leaves the failing shard out of a partial result without another call', async () => {
    const own = failingShard(passing)
    await failThrice(own)
    const sent = own.requestCount()
    const { rows, missing } = await own.query.onShardError('partial').page()
    expect(rows.map(({ shard }) => shard)).toStrictEqual([4n, 2n, 1n, 0n])
    expect(rows).toHaveLength(SHARDS - 1)
    expect(missing).toMatchObject([{ shard: 3, since: expect.any(Date), error: { code: 'UNAVAILABLE' } }])
    expect(own.requestCount()).toBe(sent)
    expect(vi.getTimerCount()).toBe(0)
  })
})

const slow = (): Promise<unknown[][]> => new Promise((_, reject) => setTimeout(() => reject(late()), 1_100))

/** A table whose statements follow a script, each over all shards. */
function slowStatements() {
  const table = defineTable('Sale', (t) => ({ id: t.uuidV4(), price: t.int64() }))
  let script = slow
  const driver = statementDriver(googlesql, () => script())
  const query = openDatabase({ driver, schema: defineSchema([table]) }).fanOut(table)
  return {
    sum: () => query.options({ timeoutMs: 1_100 }).sum('price'),
    page: () => query.strategy('push-down').limit(2).page(),
    requests: driver.calls,
    /** From now on. */
    does: (next: typeof script) => (script = next),
  }
}

describe('the circuit breaker of a table', () => {
  it('stays closed when aggregates exceed their timeout', async () => {
    const { sum, page, does } = slowStatements()
    const outcomes = await inNoTime(Promise.allSettled([sum(), sum(), sum()]))
    const timedOut = { status: 'rejected', reason: { code: 'TIMEOUT' } }
    expect(outcomes).toMatchObject([timedOut, timedOut, timedOut])
    does(() => Promise.resolve([]))
    expect(await page()).toMatchObject({ rows: [] })
  })

  it('opens after three UNAVAILABLE errors, and stays open when a trial times out', async () => {
    const { sum, page, does, requests } = slowStatements()
    does(() => Promise.reject(passing()))
    for (let round = 0; round < 3; round++)
      await expect(inNoTime(page())).rejects.toMatchObject({ message: 'The connection was lost.' })
    const refused = { code: 'UNAVAILABLE', message: expect.stringContaining('Sale has been failing since') }
    await expect(page()).rejects.toMatchObject(refused)
    vi.advanceTimersByTime(REST)
    does(slow)
    await expect(inNoTime(sum())).rejects.toMatchObject({ code: 'TIMEOUT' })
    const before = requests.length
    await expect(page()).rejects.toMatchObject(refused)
    expect(requests).toHaveLength(before)
  })
})
