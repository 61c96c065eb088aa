import { defineSchema } from '@isotherm/core'
import { bitReverse } from '@isotherm/core/keys'
import {
  asynchronous,
  asynchronousBatch,
  batch,
  inTransaction,
  sequenceTable,
  type TableSequence,
} from '@isotherm/core/sequences'
import { beforeAll, expect, it } from 'vitest'
import { ascending, counted, standsAt } from '../data/used-sequences.js'
import { type OwnConnection, type TestDatabase, part } from '../part.js'

// Counters over a row: by transactions where the engine has them, else by conditional writes.

const CALLERS = 50

export const sequences = part(['sequences'], ({ traits, database }) => {
  let test: TestDatabase
  beforeAll(async () => {
    test = await database(counted)
  })

  const refused = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error)

  /** Numbers of which none is fetched ahead: of transactions, where there are any. */
  function oneByOne(name: string, options: { table?: string; maximum?: bigint } = {}): () => Promise<bigint> {
    const { db } = test
    const own = inTransaction(name, options)
    if (traits.transactions) return () => db.transaction((tx) => own.next(tx))
    const ordered = asynchronous(db, name, options)
    return () => ordered.next()
  }

  it.each<[string, (on: Pick<OwnConnection, 'db'>) => TableSequence]>([
    ['asynchronous', ({ db }) => asynchronous(db, 'asynchronous')],
    ['batch', ({ db }) => batch(db, 'batch', { size: 70 })],
    ['asynchronousBatch', ({ db }) => asynchronousBatch(db, 'adaptive')],
    [
      'asynchronousBatch with a fixed range size',
      ({ db }) => asynchronousBatch(db, 'fixed', { ranges: { size: 200, lowWater: 50 } }),
    ],
    ['a bit-reversed batch', ({ db }) => batch(db, 'reversed', { bitReversed: true })],
  ])('%s hands out unique numbers to 50 callers on two connections', async (_, made) => {
    const other = await test.another()
    const own = made(test)
    const others = made(other)
    expect(await own.create()).toBe(true)
    const generators = Array.from({ length: CALLERS }, (_, caller) => (caller % 2 === 0 ? own : others))
    const numbers = (
      await Promise.all(
        generators.map(async (each) => [await each.next(), ...(await each.take(3)), await each.next()]),
      )
    ).flat()
    expect(new Set(numbers).size).toBe(CALLERS * 5)
    const inTurn = own.bitReversed ? numbers.map((number) => bitReverse(number)) : numbers
    expect(inTurn.every((number) => number > 0n)).toBe(true)
    expect(ascending(inTurn)[0]).toBe(1n)
    expect(own.statistics.taken + others.statistics.taken).toBe(CALLERS * 5)
    // Nothing of theirs is under way then: a client that is closed looks for it.
    await Promise.all([own.close(), others.close()])
    await other.close()
  })

  it('asynchronous() returns increasing numbers, and waiting callers share one write', async () => {
    const employees = asynchronous(test.db, 'employee')
    await employees.create()
    let last = 0n
    for (let turn = 0; turn < 5; turn++) {
      const numbers = await Promise.all(Array.from({ length: 5 }, () => employees.next()))
      expect(numbers).toEqual(ascending(numbers))
      expect(numbers[0]! > last).toBe(true)
      last = numbers.at(-1)!
    }
    expect(last).toBe(25n)
    // Callers that wait at the same time share one write.
    expect(employees.statistics.fetches).toBe(10)
  })

  it('sequences reserve whole ranges, count in steps of the increment and throw SEQUENCE_EXHAUSTED at the maximum', async () => {
    const { db } = test
    const [orders, ids] = [
      batch(db, 'order', { size: 20 }),
      asynchronousBatch(db, 'id', { bitReversed: true }),
    ]
    await Promise.all([orders.create(), ids.create()])
    expect(await orders.take(5)).toEqual([1n, 2n, 3n, 4n, 5n])
    expect(await standsAt(db, 'order')).toBe(21n)
    expect(await ids.take(3)).toEqual([1n, 2n, 3n].map((number) => bitReverse(number)))
    await Promise.all([orders.close(), ids.close()])

    const tens = asynchronous(db, 'tens', { start: 100n, increment: 10n, maximum: 130n })
    expect([await tens.create(), await tens.create()]).toEqual([true, false])
    expect(await tens.take(3)).toEqual([100n, 110n, 120n])
    expect(await standsAt(db, 'tens')).toBe(130n)
    expect(await tens.next()).toBe(130n)
    expect(await refused(tens.next())).toMatchObject({ code: 'SEQUENCE_EXHAUSTED' })
  })

  it('a sequence that is missing, exhausted or moved back throws its error code and hands out no number', async () => {
    const { db } = test
    for (const failing of [
      refused(oneByOne('nowhere')()),
      refused(asynchronous(db, 'nowhere').next()),
      refused(batch(db, 'nowhere').take(2)),
      refused(asynchronousBatch(db, 'nowhere').next()),
    ]) {
      expect(await failing).toMatchObject({ code: 'SEQUENCE_MISSING', table: 'sequences' })
    }
    const table = 'elsewhere'
    for (const failing of [
      refused(oneByOne('x', { table })()),
      refused(batch(db, 'x', { table }).next()),
      refused(batch(db, 'x', { table }).create()),
    ]) {
      const message = expect.stringContaining('no table of sequences elsewhere') as string
      expect(await failing).toMatchObject({ code: 'SEQUENCE_MISSING', table, message })
    }

    const short = batch(db, 'short', { start: 8n, maximum: 10n, size: 2 })
    await short.create()
    const outcomes = await Promise.all([
      refused(short.take(2)),
      refused(short.take(2)),
      refused(short.next()),
    ])
    expect(outcomes).toMatchObject([[8n, 9n], { code: 'SEQUENCE_EXHAUSTED' }, 10n])
    const last = oneByOne('short', { maximum: 10n })
    expect(await refused(last())).toMatchObject({ code: 'SEQUENCE_EXHAUSTED' })

    await db.update('sequences', { name: 'short', nextValue: 2n ** 63n - 2n })
    const far = oneByOne('short')
    expect(await far()).toBe(2n ** 63n - 2n)
    expect(await refused(far())).toMatchObject({ code: 'SEQUENCE_EXHAUSTED' })
    expect(await standsAt(db, 'short')).toBe(2n ** 63n - 1n)
    await db.update('sequences', { name: 'short', nextValue: 5n })
    expect(await refused(far())).toMatchObject({ code: 'SEQUENCE_MOVED_BACK', table: 'sequences' })
    expect(await refused(asynchronous(db, 'short').next())).toMatchObject({ code: 'SEQUENCE_MOVED_BACK' })
    expect(await standsAt(db, 'short')).toBe(5n)
  })

  it('batch() counts in a sequence table with another name', async () => {
    const own = await database(defineSchema([sequenceTable('counters')]))
    const orders = batch(own.db, 'order', { table: 'counters', start: 0n, increment: 5n, size: 3 })
    expect(await orders.create()).toBe(true)
    expect(await orders.take(4)).toEqual([0n, 5n, 10n, 15n])
    expect(await own.db.get('counters', { name: 'order' })).toEqual({ name: 'order', nextValue: 20n })
  })
})
