import { defineSchema, defineTable, openDatabase } from '@isotherm/core'
import {
  asynchronous,
  asynchronousBatch,
  batch,
  inTransaction,
  native,
  sequenceTable,
} from '@isotherm/core/sequences'
import * as fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { refusal, rejection } from '../support/refusal.js'
import { ConditionalDatabase, type WriteFate } from './support/memory-conditional.js'
import { inTime, pass, settled, stopTime } from './support/virtual-time.js'

// Sequences where the engine has conditional writes, and no transactions.

beforeEach(stopTime)
afterEach(() => void vi.useRealTimers())

function started(fates: readonly WriteFate[] = [], next: bigint | null = 1n) {
  const database = new ConditionalDatabase(fates)
  if (next !== null) database.rows.set('n', next)
  return { database, driver: database.driver() }
}

const upTo = (last: number): bigint[] => Array.from({ length: last }, (_, position) => BigInt(position + 1))

describe('reserving a range by conditional writes', () => {
  it('the allocator reads the row once, and reserves later ranges without reads', async () => {
    const { database, driver } = started()
    const generator = asynchronous(driver, 'n')
    expect(await inTime(generator.take(3))).toEqual(upTo(3))
    expect(await inTime(generator.next())).toBe(4n)
    expect(database.calls).toEqual(['read', 'write', 'write'])
    expect(database.rows.get('n')).toBe(5n)
  })

  it('the allocator repeats a write from the number that another writer has stored, without a read', async () => {
    const { database, driver } = started()
    const generator = asynchronous(driver, 'n')
    await inTime(generator.next())
    database.rows.set('n', 100n)
    database.calls.length = 0
    expect(await inTime(generator.next())).toBe(100n)
    expect(database.calls).toEqual(['write', 'write'])
  })

  it('the allocator reserves a range after three conflicts with other writers', async () => {
    const random = vi.spyOn(Math, 'random').mockReturnValue(0.5)
    const { database, driver } = started()
    const generator = asynchronous(driver, 'n')
    await inTime(generator.next())
    database.calls.length = 0
    // Another writer changes the row before each of the next three attempts.
    const { set } = database.rows
    let crosses = 3
    const crossing = vi.spyOn(database.rows, 'get').mockImplementation((name) => {
      const found = Map.prototype.get.call(database.rows, name) as bigint
      if (crosses-- > 0) set.call(database.rows, name, found + 10n)
      return Map.prototype.get.call(database.rows, name) as bigint
    })
    expect(await inTime(generator.next())).toBe(32n)
    expect(database.calls).toHaveLength(4)
    crossing.mockRestore()
    random.mockRestore()
  })

  it('the allocator gives up a range whose write has no answer, and reads the row again', async () => {
    for (const fate of ['lost', 'lost-and-written'] as const) {
      const { database, driver } = started(['well', fate])
      const generator = batch(driver, 'n', { size: 5 })
      const first = await inTime(generator.take(5))
      database.calls.length = 0
      const second = await inTime(generator.take(5))
      expect(database.calls).toEqual(['write', 'read', 'write'])
      expect([first[0], second[0]]).toEqual([1n, fate === 'lost' ? 6n : 11n])
    }
  })

  it('the allocator fetches a range again after UNAVAILABLE', async () => {
    const { driver } = started(['unavailable', 'unavailable'])
    expect(await inTime(asynchronous(driver, 'n').next())).toBe(1n)
  })

  it('the allocator writes no range after close() has rejected its only caller', async () => {
    const { driver, database } = started()
    const generator = asynchronous(driver, 'n')
    const waiting = rejection(generator.next())
    await settled()
    await inTime(generator.close())
    expect(await waiting).toMatchObject({ code: 'SEQUENCE_CLOSED' })
    await pass(100)
    expect(database.calls).toEqual(['read'])
  })
})

describe('a sequence on conditional writes', () => {
  it('create() inserts the row of a sequence only once', async () => {
    const { driver, database } = started([], null)
    const generator = batch(driver, 'n', { start: 7n, size: 2 })
    expect(await inTime(generator.create())).toBe(true)
    expect(await inTime(generator.create())).toBe(false)
    expect(await inTime(generator.take(3))).toEqual([7n, 8n, 9n])
    expect(database.rows.get('n')).toBe(10n)
  })

  it('next() rejects a row that is missing, moved back or exhausted, with a code for each', async () => {
    const { driver, database } = started([], null)
    const generator = asynchronous(driver, 'n', { maximum: 3n })
    expect(await inTime(rejection(generator.next()))).toMatchObject({ code: 'SEQUENCE_MISSING' })
    database.rows.set('n', 1n)
    await inTime(generator.take(2))
    database.rows.set('n', 1n)
    expect(await inTime(rejection(generator.next()))).toMatchObject({
      code: 'SEQUENCE_MOVED_BACK',
      message: expect.stringContaining(
        'was set back to 1 by another client, but numbers below 3 may have been handed out',
      ),
    })
    database.rows.delete('n')
    expect(await inTime(rejection(generator.next()))).toMatchObject({ code: 'SEQUENCE_MISSING' })
    database.rows.set('n', 3n)
    expect(await inTime(generator.next())).toBe(3n)
    expect(await inTime(rejection(generator.next()))).toMatchObject({ code: 'SEQUENCE_EXHAUSTED' })
    // The row is read again, and its end is not remembered.
    database.rows.set('n', 1n)
    expect(await inTime(rejection(generator.next()))).toMatchObject({ code: 'SEQUENCE_MOVED_BACK' })
  })

  it('next() and create() reject with SEQUENCE_MISSING when the table of sequences does not exist', async () => {
    const { driver, database } = started()
    database.hasTable = false
    const generator = asynchronous(driver, 'n')
    const missing = { code: 'SEQUENCE_MISSING', message: expect.stringContaining('no table of sequences') }
    expect(await inTime(rejection(generator.next()))).toMatchObject(missing)
    expect(await inTime(rejection(generator.create()))).toMatchObject(missing)
  })
})

it('allocators in four processes return no number twice, whatever conditional writes fail', async () => {
  const calls = fc.array(
    fc.record({
      process: fc.integer({ min: 0, max: 3 }),
      kind: fc.constantFrom('s3', 's4', 's5'),
      count: fc.integer({ min: 1, max: 12 }),
    }),
    { minLength: 1, maxLength: 40 },
  )
  const fates = fc.array(
    fc.oneof(
      { weight: 6, arbitrary: fc.constant<WriteFate>('well') },
      fc.constantFrom<WriteFate>('lost', 'lost-and-written', 'unavailable'),
    ),
    { maxLength: 60 },
  )
  const latencies = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 10 })
  await fc.assert(
    fc.asyncProperty(calls, fates, latencies, async (taken, weather, times) => {
      let turn = 0
      const database = new ConditionalDatabase(weather, () => times[turn++ % times.length]!)
      for (const name of ['s3', 's4', 's5']) database.rows.set(name, 1n)
      const processes = Array.from({ length: 4 }, () => {
        const driver = database.driver()
        return {
          s3: asynchronous(driver, 's3'),
          s4: batch(driver, 's4', { size: 7 }),
          s5: asynchronousBatch(driver, 's5', { ranges: { min: 3, max: 20 } }),
        }
      })
      const got = await inTime(
        Promise.all(
          taken.map(async ({ process, kind, count }) => ({
            kind,
            process,
            // Many lost answers in a row reject the call.
            numbers: await processes[process]![kind].take(count).catch(() => []),
          })),
        ),
      )
      for (const kind of ['s3', 's4', 's5'] as const) {
        const numbers = got.filter((each) => each.kind === kind).flatMap((each) => each.numbers)
        expect(new Set(numbers).size).toBe(numbers.length)
        for (const number of numbers) expect(number < database.rows.get(kind)!).toBe(true)
      }
      for (const process of processes.keys()) {
        const own = got.filter((each) => each.kind === 's3' && each.process === process)
        const numbers = own.flatMap((each) => each.numbers)
        expect(numbers).toEqual(numbers.toSorted((a, b) => (a < b ? -1 : 1)))
      }
      await inTime(Promise.all(processes.flatMap(({ s3, s4, s5 }) => [s3.close(), s4.close(), s5.close()])))
    }),
    { numRuns: 60 },
  )
})

describe('sequences that need transactions, on a driver without transactions', () => {
  const refused = { code: 'UNSUPPORTED_FEATURE', message: expect.stringContaining('memory') }

  it('create() of inTransaction() rejects with UNSUPPORTED_FEATURE on a driver without transactions', async () => {
    const { driver, database } = started()
    expect(await rejection(inTransaction('n').create(driver))).toMatchObject({
      ...refused,
      message: expect.stringContaining(
        'counted in the transactions that use it, and memory has no transactions',
      ),
    })
    expect(database.calls).toEqual([])
  })

  it('next() of native() rejects with UNSUPPORTED_FEATURE on a driver without transactions', async () => {
    const { driver } = started()
    expect(await inTime(rejection(native(driver, 'ids').next()))).toMatchObject(refused)
  })

  it('openDatabase() rejects a model with a counter of inTransaction() with UNSUPPORTED_MODEL', () => {
    const { driver } = started()
    const Invoice = defineTable('Invoice', (t) => ({
      id: t.bitReversedId({ from: inTransaction('invoice') }),
      total: t.int64(),
    }))
    const schema = defineSchema([Invoice, sequenceTable()])
    expect(refusal(() => openDatabase({ driver, schema }))).toMatchObject({
      code: 'UNSUPPORTED_MODEL',
      table: 'Invoice',
      column: 'id',
    })
  })
})
