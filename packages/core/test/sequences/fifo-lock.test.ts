import type { TransactionContext } from '@isotherm/core/engine'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { currentTransaction, outsideTransactions, TransactionLife } from '../../src/transaction/scope.js'
import { FifoLock } from '../../src/sequences/fifo-lock.js'
import { MemoryDatabase } from './support/memory-database.js'
import { settled, stopTime } from './support/virtual-time.js'

// Which transaction may lock a row, and when.

beforeEach(stopTime)
afterEach(() => void vi.useRealTimers())

const { driver } = new MemoryDatabase().process()
const nothing = { read: () => Promise.resolve([]) } as unknown as TransactionContext

function life(): TransactionLife {
  const made = new TransactionLife(driver)
  made.begin(nothing)
  return made
}

/** Whether the transaction has the lock. */
async function isIn(entering: Promise<void>): Promise<boolean> {
  let has = false
  void entering.then(() => (has = true))
  await settled()
  return has
}

it('FifoLock lets transactions in one after another, in the order of their calls', async () => {
  const lock = new FifoLock()
  const [first, second, third] = [life(), life(), life()]
  const entering = [first, second, third].map((each) => lock.enter(each))
  const seen: string[] = []
  const working = lock.run(async () => void seen.push('work'))
  expect(await Promise.all(entering.map(isIn))).toEqual([true, false, false])
  expect(lock.holder).toBe(first)
  second.end(true)
  first.end(false)
  // The second transaction has ended while it waited, and keeps no other out.
  expect(await Promise.all(entering.map(isIn))).toEqual([true, true, true])
  expect(lock.holder).toBe(third)
  expect(seen).toEqual([])
  third.end(true)
  await working
  expect(seen).toEqual(['work'])
  expect(lock.holder).toBeUndefined()
  expect(vi.getTimerCount()).toBe(0)
})

it('FifoLock is released after work that rejects or throws', async () => {
  const lock = new FifoLock()
  await expect(lock.run(() => Promise.reject(new RangeError('1')))).rejects.toThrow('1')
  const throwing = (): Promise<never> => {
    throw new RangeError('2')
  }
  await expect(lock.run(throwing)).rejects.toThrow('2')
  await expect(lock.run(() => Promise.resolve(3))).resolves.toBe(3)
})

it('FifoLock rejects work that waits for its turn when the signal aborts', async () => {
  const lock = new FifoLock()
  const holder = life()
  await lock.enter(holder)
  const ending = new AbortController()
  let runs = 0
  const working = lock.run(async () => runs++, ending.signal)
  ending.abort(new Error('enough'))
  await expect(working).rejects.toThrow('enough')
  await expect(lock.run(async () => runs++, ending.signal)).rejects.toThrow('enough')
  holder.end(true)
  await lock.run(async () => {})
  expect(runs).toBe(0)
})

it('FifoLock lets a transaction in once, however often the transaction calls enter()', async () => {
  const lock = new FifoLock()
  const [first, second] = [life(), life()]
  const entering = [lock.enter(first), lock.enter(first), lock.enter(second), lock.enter(second)]
  expect(await Promise.all(entering.map(isIn))).toEqual([true, true, false, false])
  expect(await isIn(lock.enter(first))).toBe(true)
  first.end(true)
  expect(await Promise.all(entering.map(isIn))).toEqual([true, true, true, true])
  second.end(true)
  await settled()
  expect(lock.holder).toBeUndefined()
})

it('FifoLock lets a transaction in at once when waiting would be a deadlock', async () => {
  const [one, two, three] = [new FifoLock(), new FifoLock(), new FifoLock()]
  const [a, b, c] = [life(), life(), life()]
  await Promise.all([one.enter(a), two.enter(b), three.enter(c)])
  const waits = [two.enter(a), three.enter(b)]
  expect(await Promise.all(waits.map(isIn))).toEqual([false, false])
  // The transaction that closes the cycle goes in at once; the database resolves the rest.
  expect(one.waitsFor(c)).toBe(true)
  expect(await isIn(one.enter(c))).toBe(true)
  expect(one.holder).toBe(a)
  for (const each of [c, b, a]) each.end(true)
  expect(await Promise.all(waits.map(isIn))).toEqual([true, true])
})

it('FifoLock lets a transaction in beside the holder when it has waited long and has read rows', async () => {
  const lock = new FifoLock()
  const [holder, fresh, begun] = [life(), new TransactionLife(driver), new TransactionLife(driver)]
  fresh.begin(nothing)
  const scope = begun.begin(nothing)
  await lock.enter(holder)
  const entering = [lock.enter(fresh), lock.enter(begun)]
  vi.advanceTimersByTime(1_000)
  expect(await Promise.all(entering.map(isIn))).toEqual([false, false])
  // It begins while it waits.
  await scope.context.read({ layout: {} as never, columns: [], keys: [] })
  vi.advanceTimersByTime(1_000)
  expect(await Promise.all(entering.map(isIn))).toEqual([false, true])
  // The second transaction is in already, and its turn in the queue is skipped.
  holder.end(true)
  expect(await Promise.all(entering.map(isIn))).toEqual([true, true])
  fresh.end(true)
  await settled()
  expect(lock.holder).toBeUndefined()
  expect(vi.getTimerCount()).toBe(0)
})

it('FifoLock.waitsFor() follows waiting transactions and nested transactions', async () => {
  const [one, two] = [new FifoLock(), new FifoLock()]
  const outer = life()
  const inner = await outer.run(async () => life())
  expect(inner.outer).toBe(outer)
  expect([inner.isWithin(outer), outer.isWithin(inner), inner.isWithin(inner)]).toEqual([true, false, true])
  await one.enter(outer)
  expect([one.waitsFor(inner), one.waitsFor(outer), two.waitsFor(inner)]).toEqual([true, true, false])
  const other = life()
  await two.enter(other)
  void one.enter(other)
  expect(one.isEntering(other)).toBe(true)
  expect(two.waitsFor(inner)).toBe(true)
})

it('currentTransaction() returns undefined after its transaction has ended', async () => {
  const [outer, other] = [life(), life()]
  await outer.run(async () => {
    expect(currentTransaction()).toBe(outer)
    expect(outsideTransactions(currentTransaction)).toBeUndefined()
    await other.run(async () => {
      expect(currentTransaction()).toBe(other)
      other.end(true)
      expect(currentTransaction()).toBeUndefined()
    })
    outer.end(true)
    expect(currentTransaction()).toBeUndefined()
  })
})
