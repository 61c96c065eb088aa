import { Instance } from '@google-cloud/spanner'
import { defineSchema, openDatabase } from '@isotherm/core'
import { bitReverse } from '@isotherm/core/keys'
import {
  asynchronous,
  asynchronousBatch,
  batch,
  inTransaction,
  native,
  sequenceTable,
  type TableSequence,
} from '@isotherm/core/sequences'
import { spanner } from '@isotherm/core/spanner'
import { beforeAll, describe, expect, it } from 'vitest'
import { dialects, sharedEmulator, testDatabase, type TestDatabase } from '../support/spanner.js'
import { ascending, standsAt, upTo, Used, used, usedNumbers } from './support/used.js'

// The five ways to count, on an engine.

const CALLERS = 50

describe.each(dialects)('in %s', (dialect) => {
  let test: TestDatabase
  beforeAll(async () => {
    test = await testDatabase(used, dialect)
  })

  const refused = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error)

  it('numbers of transactions come in the order of commits and without gaps, and those rolled back are none', async () => {
    const { db } = test
    const invoices = inTransaction('invoice')
    expect(await invoices.create(db)).toBe(true)
    expect(await invoices.create(db)).toBe(false)
    const outcomes = await Promise.allSettled(
      Array.from({ length: CALLERS }, (_, caller) =>
        db.transaction(async (tx) => {
          const numbers = caller % 2 === 0 ? [await invoices.next(tx)] : await invoices.take(tx, 2)
          if (caller % 10 === 0) numbers.push(await invoices.next(tx), ...(await invoices.take(tx, 2)))
          await tx.insert(
            Used,
            numbers.map((number) => ({ sequence: 'invoice', number })),
          )
          if (caller % 5 === 3) throw new RangeError('rolled back')
        }),
      ),
    )
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(CALLERS / 5)
    const numbers = await usedNumbers(db, 'invoice')
    expect(numbers).toEqual(upTo(numbers.length))
    expect(numbers).toHaveLength(75)
    expect(await standsAt(db, 'invoice')).toBe(76n)
  })

  it.each<[string, (test: TestDatabase) => TableSequence]>([
    ['asynchronous', ({ db }) => asynchronous(db, 'asynchronous')],
    ['batch', ({ db }) => batch(db, 'batch', { size: 70 })],
    ['asynchronousBatch', ({ db }) => asynchronousBatch(db, 'adaptive')],
    [
      'asynchronousBatch of one size',
      ({ db }) => asynchronousBatch(db, 'fixed', { ranges: { size: 200, lowWater: 50 } }),
    ],
    ['bit-reversed', ({ db }) => batch(db, 'reversed', { bitReversed: true })],
  ])('%s: numbers are unique among many callers, in two processes', async (_, made) => {
    // Another client is another process, for all that the generators know of each other.
    const { client, projectId, instanceId } = await sharedEmulator()
    const instance = new Instance(client, `projects/${projectId}/instances/${instanceId}`)
    const other = instance.database(test.client.formattedName_.split('/').at(-1)!)
    const db = openDatabase({ driver: spanner(other, { dialect }), schema: used })
    const own = made(test)
    const others = made({ ...test, db })
    expect(await own.create()).toBe(true)
    const generators = Array.from({ length: CALLERS }, (_, caller) => (caller % 2 === 0 ? own : others))
    const numbers = (
      await Promise.all(
        generators.map(async (each) => [await each.next(), ...(await each.take(3)), await each.next()]),
      )
    ).flat()
    expect(new Set(numbers).size).toBe(CALLERS * 5)
    const counted = own.bitReversed ? numbers.map((number) => bitReverse(number)) : numbers
    expect(counted.every((number) => number > 0n)).toBe(true)
    expect(ascending(counted)[0]).toBe(1n)
    expect(own.statistics.taken + others.statistics.taken).toBe(CALLERS * 5)
    // Nothing of theirs is under way then: a client that is closed looks for it.
    await Promise.all([own.close(), others.close()])
    await other.close()
  })

  it('an asynchronous number is higher than all that were handed out before it was asked for', async () => {
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
    // Those who ask together get theirs by one transaction.
    expect(employees.statistics.fetches).toBe(10)
  })

  it('a sequence that is missing, at its end or moved back is refused by name, and gives no number', async () => {
    const { db } = test
    const next = (from: ReturnType<typeof inTransaction>): Promise<unknown> =>
      refused(db.transaction((tx) => from.next(tx)))
    for (const failing of [
      next(inTransaction('nowhere')),
      refused(asynchronous(db, 'nowhere').next()),
      refused(batch(db, 'nowhere').take(2)),
      refused(asynchronousBatch(db, 'nowhere').next()),
    ]) {
      expect(await failing).toMatchObject({ code: 'SEQUENCE_MISSING', table: 'sequences' })
    }
    const table = 'elsewhere'
    for (const failing of [
      next(inTransaction('x', { table })),
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
    const last = inTransaction('short', { maximum: 10n })
    expect(await next(last)).toMatchObject({ code: 'SEQUENCE_EXHAUSTED' })

    await db.update('sequences', { name: 'short', nextValue: 2n ** 63n - 2n })
    const far = inTransaction('short')
    expect(await next(far)).toBe(2n ** 63n - 2n)
    expect(await next(far)).toMatchObject({ code: 'SEQUENCE_EXHAUSTED' })
    expect(await standsAt(db, 'short')).toBe(2n ** 63n - 1n)
    await db.update('sequences', { name: 'short', nextValue: 5n })
    expect(await next(far)).toMatchObject({ code: 'SEQUENCE_MOVED_BACK', table: 'sequences' })
    expect(await refused(asynchronous(db, 'short').next())).toMatchObject({ code: 'SEQUENCE_MOVED_BACK' })
    expect(await standsAt(db, 'short')).toBe(5n)
  })

  it.each(['ids', 'MixedIds'])(
    'numbers of the database’s own sequence %s are unique, and lie far apart',
    async (name) => {
      await using ids = native(test.db, name, { ranges: { size: 30, lowWater: 5 } })
      const numbers = (await Promise.all(Array.from({ length: CALLERS }, () => ids.take(4)))).flat()
      expect(new Set(numbers).size).toBe(CALLERS * 4)
      expect(numbers.every((number) => number > 0n)).toBe(true)
      expect(ascending(numbers).at(-1)! - ascending(numbers)[0]! > 2n ** 60n).toBe(true)
      // One number of many does not wait.
      const { waits } = ids.statistics
      expect(new Set([...numbers, await ids.next()]).size).toBe(CALLERS * 4 + 1)
      expect(ids.statistics.waits - waits).toBeLessThan(2)
    },
  )

  it('a sequence of the database’s own that has come to its end is refused by name', async () => {
    const tiny = defineSchema([], { sequences: [{ name: 'tiny', startCounter: 2n ** 63n - 3n }] })
    const own = await testDatabase(tiny, dialect)
    await using ids = native(own.db, 'tiny', { ranges: { size: 1 } })
    expect(new Set([await ids.next(), await ids.next()]).size).toBe(2)
    expect(await refused(ids.next())).toMatchObject({ code: 'SEQUENCE_EXHAUSTED' })
  })

  it('a sequence that the database does not have is refused by name', async () => {
    const error = await refused(native(test.db, 'nowhere').next())
    expect(error).toMatchObject({ code: 'SEQUENCE_MISSING' })
    expect(error).toHaveProperty('message', expect.stringContaining('no sequence nowhere'))
  })

  it('sequences can be counted in a table of another name', async () => {
    const own = await testDatabase(defineSchema([sequenceTable('counters')]), dialect)
    const orders = batch(own.db, 'order', { table: 'counters', start: 0n, increment: 5n, size: 3 })
    expect(await orders.create()).toBe(true)
    expect(await orders.take(4)).toEqual([0n, 5n, 10n, 15n])
    expect(await own.db.get('counters', { name: 'order' })).toEqual({ name: 'order', nextValue: 20n })
  })
})
