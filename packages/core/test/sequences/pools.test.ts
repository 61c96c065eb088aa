import { transact } from '@isotherm/core/adapter'
import { IsothermError } from '@isotherm/core'
import { asynchronous, asynchronousBatch, batch, type TableSequence } from '@isotherm/core/sequences'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { fixedPrefetch } from '../../src/sequences/prefetch-policy.js'
import { ReservedNumbers } from '../../src/sequences/reserved-numbers.js'
import { sequenceRow } from '../../src/sequences/sequence-row.js'
import { rejection, refusal } from '../support/refusal.js'
import { slowSource } from './support/load.js'
import { MemoryDatabase, type CommitFate, type Fate } from './support/memory-database.js'
import { inTime, pass, settled, stopTime } from './support/virtual-time.js'

// Reserved numbers, and callers that wait for more.

beforeEach(stopTime)
afterEach(() => void vi.useRealTimers())

function started({ calls = [] as Fate[], commits = [] as CommitFate[], isSingle = false, next = 1n } = {}) {
  const counts = { reads: 0 }
  const weather = {
    latency: () => 2,
    call: () => {
      counts.reads++
      return calls.shift() ?? 'well'
    },
    commit: () => commits.shift() ?? 'well',
  } as const
  const database = new MemoryDatabase({ weather, isSingle })
  database.set('n', next)
  return { database, counts, driver: database.process().driver }
}

const times = (count: number, generator: TableSequence): Promise<bigint[]> =>
  Promise.all(Array.from({ length: count }, () => generator.next()))

const upTo = (last: number): bigint[] => Array.from({ length: last }, (_, position) => BigInt(position + 1))

it('callers that wait at the same time get numbers of one transaction, in the order of their calls', async () => {
  const { driver, counts, database } = started()
  const generator = asynchronous(driver, 'n')
  const first = generator.next()
  await settled()
  const others = Promise.all([times(3, generator), generator.take(2), generator.next()])
  expect(await inTime(Promise.all([first, others]))).toEqual([1n, [[2n, 3n, 4n], [5n, 6n], 7n]])
  expect(counts.reads).toBe(2)
  expect(database.at('n')).toBe(8n)
  expect(generator.statistics).toMatchObject({ taken: 7, waits: 6, fetches: 2, left: 0 })
})

it('batch() fetches a range only when callers need more numbers than are left', async () => {
  const { driver, counts } = started()
  const generator = batch(driver, 'n', { size: 5 })
  expect(await inTime(times(5, generator))).toEqual(upTo(5))
  await pass(1_000)
  expect(counts.reads).toBe(1)
  expect(await inTime(generator.take(12))).toHaveLength(12)
  expect(counts.reads).toBe(2)
  expect(await generator.take(0)).toEqual([])
})

it('asynchronousBatch() fetches the next range once in the background at the low-water mark', async () => {
  const { driver, counts } = started()
  const generator = asynchronousBatch(driver, 'n', { ranges: { size: 10, lowWater: 4 } })
  await inTime(times(5, generator))
  expect(counts.reads).toBe(1)
  await times(5, generator)
  await settled()
  // One fetch is under way, however many calls came since the low-water mark was reached.
  expect(counts.reads).toBe(1)
  await pass(50)
  expect(counts.reads).toBe(2)
  expect(await times(6, generator)).toEqual([11n, 12n, 13n, 14n, 15n, 16n])
  expect(generator.statistics).toMatchObject({ waits: 5, left: 4, lowWater: 4 })
})

describe('a failed fetch', () => {
  const failing = (count: number): Fate[] => Array.from({ length: count }, () => 'unavailable')

  it('is repeated with pauses in the background, and is reported only when no number is left', async () => {
    const { driver, counts } = started({ calls: ['well', ...failing(1_000)] })
    const generator = asynchronousBatch(driver, 'n', { ranges: { size: 300, lowWater: 200 } })
    await inTime(times(100, generator))
    const before = counts.reads
    // A call every 50 ms, for 10 s: the database is not asked each time, nor all the time.
    for (let turn = 0; turn < 200; turn++) {
      await generator.next()
      await pass(50)
    }
    expect(counts.reads - before).toBeLessThan(50)
    expect(await rejection(inTime(generator.next()))).toMatchObject({ code: 'UNAVAILABLE' })
    await generator.close()
    await pass(100)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('a background fetch succeeds after seven failures, and callers get its numbers without waiting', async () => {
    const { driver } = started({ calls: ['well', ...failing(7)] })
    const generator = asynchronousBatch(driver, 'n', { ranges: { size: 10, lowWater: 4 } })
    await inTime(times(6, generator))
    await pass(20_000)
    expect(await times(4, generator)).toEqual([7n, 8n, 9n, 10n])
    expect(await generator.next()).toBe(11n)
    expect(generator.statistics.waits).toBe(6)
  })

  it('an exhausted sequence makes few background fetches while numbers are left', async () => {
    const { driver, counts } = started()
    const generator = asynchronousBatch(driver, 'n', { maximum: 100n, ranges: { size: 100, lowWater: 90 } })
    await inTime(times(10, generator))
    for (let turn = 0; turn < 90; turn++) {
      await generator.next()
      await settled()
    }
    await pass(10)
    expect(counts.reads).toBeLessThan(6)
    expect(await rejection(inTime(generator.next()))).toMatchObject({ code: 'SEQUENCE_EXHAUSTED' })
  })

  it('rejects all waiting callers, and the next call starts a new fetch', async () => {
    const { driver } = started({ calls: failing(5) })
    const generator = batch(driver, 'n', { size: 5 })
    const waiting = Promise.allSettled([generator.next(), generator.take(3)])
    expect(await inTime(waiting)).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }])
    expect(await inTime(generator.next())).toBe(1n)
  })

  it.each<[CommitFate, bigint]>([
    ['lost', 1n],
    ['lost-and-written', 6n],
  ])(
    'a commit without an answer (%s) may lose its range, but returns no number twice',
    async (fate, first) => {
      const { driver } = started({ commits: [fate] })
      const generator = batch(driver, 'n', { size: 5 })
      expect(await inTime(times(2, generator))).toEqual([first, first + 1n])
    },
  )

  it('a fetch with OUTCOME_UNKNOWN rejects with a retryable error whose message has the fix once', async () => {
    const error = new IsothermError('OUTCOME_UNKNOWN', 'Lost.', { fix: 'Look.' })
    const { driver } = started()
    const run = () => Promise.reject(error)
    const losing = { ...driver, client: {}, atomic: { kind: 'transactions', run } as const }
    const failure = await rejection(inTime(batch(losing, 'n').next()))
    expect(failure).toMatchObject({
      code: 'OUTCOME_UNKNOWN',
      message: 'Lost. Look.',
      retryable: true,
      cause: error,
    })
  })
})

describe('an exhausted sequence', () => {
  it('serves counts that still fit, and rejects larger counts with SEQUENCE_EXHAUSTED', async () => {
    const { driver, database } = started({ next: 8n })
    const generator = batch(driver, 'n', { maximum: 10n, size: 5 })
    const outcomes = Promise.allSettled([
      generator.take(4),
      generator.take(2),
      generator.next(),
      generator.next(),
    ])
    expect(await inTime(outcomes)).toMatchObject([
      { reason: { code: 'SEQUENCE_EXHAUSTED' } },
      { value: [8n, 9n] },
      { value: 10n },
      { reason: { code: 'SEQUENCE_EXHAUSTED' } },
    ])
    expect(database.at('n')).toBe(11n)
  })

  it('rejects with SEQUENCE_EXHAUSTED before the stored number exceeds 64 bits', async () => {
    const { driver, database } = started({ next: 2n ** 63n - 4n })
    const generator = asynchronousBatch(driver, 'n')
    expect(await inTime(times(3, generator))).toEqual([2n ** 63n - 4n, 2n ** 63n - 3n, 2n ** 63n - 2n])
    expect(await rejection(inTime(generator.next()))).toMatchObject({ code: 'SEQUENCE_EXHAUSTED' })
    expect(database.at('n')).toBe(2n ** 63n - 1n)
  })
})

it('an allocator rejects a missing row, and a row that was moved back, with a code for each', async () => {
  const { driver, database } = started()
  const generator = batch(driver, 'n', { size: 5 })
  expect(await rejection(inTime(batch(driver, 'other').next()))).toMatchObject({ code: 'SEQUENCE_MISSING' })
  await inTime(generator.next())
  database.set('n', 3n)
  expect(await inTime(generator.take(4))).toEqual([2n, 3n, 4n, 5n])
  expect(await rejection(inTime(generator.next()))).toMatchObject({ code: 'SEQUENCE_MOVED_BACK' })
  expect(database.at('n')).toBe(3n)
})

it('create() inserts the row of a sequence once, and does not change an existing row', async () => {
  const { driver, database } = started()
  const made = batch(driver, 'made', { start: 100n })
  expect(await inTime(Promise.all([made.create(), made.create()]))).toEqual([true, false])
  expect(database.at('made')).toBe(100n)
  expect(await inTime(made.next())).toBe(100n)
})

it('allocators of one row with different increments return no number twice', async () => {
  const { database } = started()
  const processes = [database.process(), database.process()]
  const generators = processes.flatMap(({ driver }) => [
    asynchronous(driver, 'n'),
    batch(driver, 'n', { size: 3, increment: 10n }),
    asynchronousBatch(driver, 'n', { increment: 7n, ranges: { size: 4 } }),
  ])
  const numbers = (await inTime(Promise.all(generators.map((each) => times(50, each))))).flat()
  expect(new Set(numbers).size).toBe(300)
})

describe('close()', () => {
  it('rejects waiting and later callers with SEQUENCE_CLOSED, and leaves no timers', async () => {
    const { driver, database } = started()
    const generator = asynchronousBatch(driver, 'n', { ranges: { size: 10, lowWater: 4 } })
    const waiting = [rejection(generator.next()), rejection(generator.take(3))]
    await settled()
    await inTime(generator.close())
    expect(await Promise.all(waiting)).toMatchObject([
      { code: 'SEQUENCE_CLOSED' },
      { code: 'SEQUENCE_CLOSED' },
    ])
    await pass(100)
    // The numbers of the fetch are dropped, whatever its outcome was.
    expect(generator.statistics.left).toBe(0)
    expect(await rejection(generator.next())).toMatchObject({ code: 'SEQUENCE_CLOSED' })
    expect(vi.getTimerCount()).toBe(0)
    await generator.close()
    const next = batch(driver, 'n')
    expect((await inTime(next.next())) < database.at('n')!).toBe(true)
  })

  it('waits for a commit under way, and drops the numbers of its range', async () => {
    const { driver, database } = started()
    const generator = batch(driver, 'n', { size: 5 })
    const waiting = rejection(generator.next())
    while (![...database.open].some(({ isCommitting }) => isCommitting)) await pass(1)
    await inTime(generator.close())
    expect(database.open.size).toBe(0)
    expect(database.at('n')).toBe(6n)
    expect(await waiting).toMatchObject({ code: 'SEQUENCE_CLOSED' })
    expect(await rejection(generator.next())).toMatchObject({ code: 'SEQUENCE_CLOSED' })
    expect(generator.statistics.left).toBe(0)
  })

  it('clears the timer of a fetch that waits for its next attempt', async () => {
    const calls = Array.from({ length: 6 }, (_, at): Fate => (at === 0 ? 'well' : 'unavailable'))
    const { driver } = started({ calls })
    const generator = asynchronousBatch(driver, 'n', { ranges: { size: 10, lowWater: 9 } })
    await inTime(generator.next())
    while (calls.length > 0) await pass(1)
    await pass(10)
    expect(vi.getTimerCount()).toBe(1)
    await generator.close()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('does not wait for the lock of the sequence, even in the transaction that holds the lock', async () => {
    for (const isSingle of [true, false]) {
      const { driver } = started({ isSingle })
      const generator = asynchronousBatch(driver, 'n', { ranges: { size: 10, lowWater: 4 } })
      await inTime(generator.next())
      const closing = transact(driver, async ({ context, life }) => {
        const row = sequenceRow(driver, 'sequences', 'n')
        await row.lock.enter(life)
        await row.next(context, life)
        await generator.take(8)
        await new Promise((resolve) => setTimeout(resolve, 5))
        await generator.close()
      })
      await expect(inTime(closing, 10_000)).resolves.toBeDefined()
    }
  })

  it('is called when an allocator declared with await using leaves its scope', async () => {
    const { driver } = started()
    let generator: TableSequence
    {
      await using own = batch(driver, 'n')
      generator = own
    }
    expect(await rejection(generator.next())).toMatchObject({ code: 'SEQUENCE_CLOSED' })
  })
})

it('an allocator requests its driver with the first number, and again after the driver was not open', async () => {
  const { driver } = started()
  let calls = 0
  const generator = batch(() => {
    if (calls++ === 0) throw new RangeError('not open')
    return driver
  }, 'n')
  await expect(inTime(generator.next())).rejects.toThrow('not open')
  expect(await inTime(generator.next())).toBe(1n)
})

it('batch() rejects a size of zero, and take() rejects a count of 1.5, with INVALID_VALUE', async () => {
  const { driver } = started()
  expect(refusal(() => batch(driver, 'n', { size: 0 }))).toMatchObject({ code: 'INVALID_VALUE' })
  expect(await rejection(batch(driver, 'n').take(1.5))).toMatchObject({ code: 'INVALID_VALUE' })
})

it('ReservedNumbers serves callers in the order of their calls, whatever their counts are', async () => {
  const pool = new ReservedNumbers(
    slowSource(() => 10),
    fixedPrefetch(3),
  )
  const order: number[] = []
  const takes = [2, 3, 1].map((count) => pool.take(count).then(() => void order.push(count)))
  expect(pool.nextAtHand()).toBeUndefined()
  await inTime(Promise.all(takes))
  expect(order).toEqual([2, 3, 1])
  // One number is left, and belongs to the callers that wait already.
  const [first, second] = [pool.take(2), pool.take(3)].map((call) => call.then(() => order.push(0)))
  await inTime(first!)
  const last = pool.take(1).then(() => order.push(1))
  await inTime(Promise.all([second, last]))
  expect(order.slice(3)).toEqual([0, 0, 1])
})
