import { transact } from '@isotherm/core/adapter'
import { IsothermError } from '@isotherm/core'
import { asynchronous, asynchronousBatch, batch, type TableSequence } from '@isotherm/core/sequences'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { fixedPrefetch } from '../../src/sequences/prefetch-policy.js'
import { RangePool } from '../../src/sequences/range-pool.js'
import { sequenceRow } from '../../src/sequences/sequence-row.js'
import { rejection, refusal } from '../support/refusal.js'
import { slowSource } from './support/load.js'
import { MemoryDatabase, type CommitFate, type Fate } from './support/memory-database.js'
import { inTime, pass, settled, stopTime } from './support/virtual-time.js'

// Numbers at hand, and those who wait for more.

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

const upTo = (last: number): bigint[] => Array.from({ length: last }, (_, place) => BigInt(place + 1))

it('serves all who ask at the same time by one transaction, in the order in which they came', async () => {
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

it('fetches a range for those who wait, and no range where some are left', async () => {
  const { driver, counts } = started()
  const generator = batch(driver, 'n', { size: 5 })
  expect(await inTime(times(5, generator))).toEqual(upTo(5))
  await pass(1_000)
  expect(counts.reads).toBe(1)
  expect(await inTime(generator.take(12))).toHaveLength(12)
  expect(counts.reads).toBe(2)
  expect(await generator.take(0)).toEqual([])
})

it('fetches the next range in the background, once', async () => {
  const { driver, counts } = started()
  const generator = asynchronousBatch(driver, 'n', { ranges: { size: 10, lowWater: 4 } })
  await inTime(times(5, generator))
  expect(counts.reads).toBe(1)
  await times(5, generator)
  await settled()
  // One is under way, however many have asked since the mark was reached.
  expect(counts.reads).toBe(1)
  await pass(50)
  expect(counts.reads).toBe(2)
  expect(await times(6, generator)).toEqual([11n, 12n, 13n, 14n, 15n, 16n])
  expect(generator.statistics).toMatchObject({ waits: 5, left: 4, lowWater: 4 })
})

describe('a fetch that fails', () => {
  const failing = (count: number): Fate[] => Array.from({ length: count }, () => 'unavailable')

  it('in the background surfaces only when no number is left, and is tried again with pauses', async () => {
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

  it('is made good in the background', async () => {
    const { driver } = started({ calls: ['well', ...failing(7)] })
    const generator = asynchronousBatch(driver, 'n', { ranges: { size: 10, lowWater: 4 } })
    await inTime(times(6, generator))
    await pass(20_000)
    expect(await times(4, generator)).toEqual([7n, 8n, 9n, 10n])
    expect(await generator.next()).toBe(11n)
    expect(generator.statistics.waits).toBe(6)
  })

  it('for good leaves the database in peace while numbers are left', async () => {
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

  it('is one for all who wait, and for none who comes later', async () => {
    const { driver } = started({ calls: failing(5) })
    const generator = batch(driver, 'n', { size: 5 })
    const waiting = Promise.allSettled([generator.next(), generator.take(3)])
    expect(await inTime(waiting)).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }])
    expect(await inTime(generator.next())).toBe(1n)
  })

  it.each<[CommitFate, bigint]>([
    ['lost', 1n],
    ['lost-and-written', 6n],
  ])('after its commit (%s) may cost its range, and gives no number twice', async (fate, first) => {
    const { driver } = started({ commits: [fate] })
    const generator = batch(driver, 'n', { size: 5 })
    expect(await inTime(times(2, generator))).toEqual([first, first + 1n])
  })

  it('says how to fix it once, though it is told as one that may pass', async () => {
    const error = new IsothermError('OUTCOME_UNKNOWN', 'Lost.', { fix: 'Look.' })
    const { driver } = started()
    const run = () => Promise.reject(error)
    const losing = { ...driver, client: {}, atomic: { kind: 'transactions', run } as const }
    const told = await rejection(inTime(batch(losing, 'n').next()))
    expect(told).toMatchObject({
      code: 'OUTCOME_UNKNOWN',
      message: 'Lost. Look.',
      retryable: true,
      cause: error,
    })
  })
})

describe('at its end, a sequence', () => {
  it('gives what is left to those for whom it is enough', async () => {
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

  it('of 64 bits stops before it would count too far', async () => {
    const { driver, database } = started({ next: 2n ** 63n - 4n })
    const generator = asynchronousBatch(driver, 'n')
    expect(await inTime(times(3, generator))).toEqual([2n ** 63n - 4n, 2n ** 63n - 3n, 2n ** 63n - 2n])
    expect(await rejection(inTime(generator.next()))).toMatchObject({ code: 'SEQUENCE_EXHAUSTED' })
    expect(database.at('n')).toBe(2n ** 63n - 1n)
  })
})

it('refuses a row that is missing, or that somebody moved back', async () => {
  const { driver, database } = started()
  const generator = batch(driver, 'n', { size: 5 })
  expect(await rejection(inTime(batch(driver, 'other').next()))).toMatchObject({ code: 'SEQUENCE_MISSING' })
  await inTime(generator.next())
  database.set('n', 3n)
  expect(await inTime(generator.take(4))).toEqual([2n, 3n, 4n, 5n])
  expect(await rejection(inTime(generator.next()))).toMatchObject({ code: 'SEQUENCE_MOVED_BACK' })
  expect(database.at('n')).toBe(3n)
})

it('makes a row once, and leaves one that is there as it is', async () => {
  const { driver, database } = started()
  const made = batch(driver, 'made', { start: 100n })
  expect(await inTime(Promise.all([made.create(), made.create()]))).toEqual([true, false])
  expect(database.at('made')).toBe(100n)
  expect(await inTime(made.next())).toBe(100n)
})

it('gives no number twice where generators of one row count differently', async () => {
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
  it('refuses who waits and who comes later, and leaves nothing behind', async () => {
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
    // Whatever the fetch came to, its numbers are given up.
    expect(generator.statistics.left).toBe(0)
    expect(await rejection(generator.next())).toMatchObject({ code: 'SEQUENCE_CLOSED' })
    expect(vi.getTimerCount()).toBe(0)
    await generator.close()
    const next = batch(driver, 'n')
    expect((await inTime(next.next())) < database.at('n')!).toBe(true)
  })

  it('gives up what a commit under way brings, once that has come to its end', async () => {
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

  it('takes the timer of a fetch away that is to be tried again', async () => {
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

  it('does not wait for a turn that has not come: not even in the transaction that has it', async () => {
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

  it('is what the end of a scope does', async () => {
    const { driver } = started()
    let generator: TableSequence
    {
      await using own = batch(driver, 'n')
      generator = own
    }
    expect(await rejection(generator.next())).toMatchObject({ code: 'SEQUENCE_CLOSED' })
  })
})

it('is made before its database: that is asked for with the first number, and told of where there is none', async () => {
  const { driver } = started()
  let asked = 0
  const generator = batch(() => {
    if (asked++ === 0) throw new RangeError('not open')
    return driver
  }, 'n')
  await expect(inTime(generator.next())).rejects.toThrow('not open')
  expect(await inTime(generator.next())).toBe(1n)
})

it('refuses what is not a size, or no number of numbers, by name', async () => {
  const { driver } = started()
  expect(refusal(() => batch(driver, 'n', { size: 0 }))).toMatchObject({ code: 'INVALID_VALUE' })
  expect(await rejection(batch(driver, 'n').take(1.5))).toMatchObject({ code: 'INVALID_VALUE' })
})

it('serves nobody before those who have waited longer', async () => {
  const pool = new RangePool(
    slowSource(() => 10),
    fixedPrefetch(3),
  )
  const order: number[] = []
  const asked = [2, 3, 1].map((count) => pool.take(count).then(() => void order.push(count)))
  expect(pool.nextAtHand()).toBeUndefined()
  await inTime(Promise.all(asked))
  expect(order).toEqual([2, 3, 1])
  // One is at hand, and belongs to those who wait already.
  const [first, second] = [pool.take(2), pool.take(3)].map((call) => call.then(() => order.push(0)))
  await inTime(first!)
  const last = pool.take(1).then(() => order.push(1))
  await inTime(Promise.all([second, last]))
  expect(order.slice(3)).toEqual([0, 0, 1])
})
