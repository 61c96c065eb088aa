import { asynchronous, asynchronousBatch, batch, inTransaction, native } from '@isotherm/core/sequences'
import { beforeAll, describe, expect, it } from 'vitest'
import { dialects, testDatabase, type TestDatabase } from '../support/spanner.js'
import { rested, standsAt } from '@isotherm/testing/data/used-sequences'
import { Used, used, usedNumbers } from './support/used.js'

// An engine that runs one transaction at a time: a call that would wait for its own transaction is rejected, and nothing hangs.

const WAIT = { code: 'SEQUENCE_WOULD_WAIT' }

describe.each(dialects)('sequences in concurrent transactions in $name', (dialect) => {
  let test: TestDatabase
  beforeAll(async () => {
    test = await testDatabase(used, dialect)
    for (const name of ['one', 'two', 'three']) await inTransaction(name).create(test.db)
  })

  const refused = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error)

  it('next() throws SEQUENCE_WOULD_WAIT in a transaction when the number needs another transaction', async () => {
    const { db } = test
    const generators = [
      asynchronous(db, 'three'),
      batch(db, 'three'),
      asynchronousBatch(db, 'three'),
      native(db, 'ids'),
    ]
    const seen = await db.transaction(async (tx) => {
      await inTransaction('one').next(tx)
      return [
        ...(await Promise.all(generators.map((each) => refused(each.next())))),
        await refused(inTransaction('two').create(db)),
      ]
    })
    expect(seen).toMatchObject([WAIT, WAIT, WAIT, WAIT, WAIT])
    for (const each of generators) {
      expect(await each.next()).toBeGreaterThan(0n)
      await each.close()
    }
  })

  it('next() returns a reserved number in a transaction, and reserves the next range after the transaction', async () => {
    const { db } = test
    const orders = asynchronousBatch(db, 'three', { ranges: { size: 10, lowWater: 8 } })
    const first = await orders.next()
    await db.transaction(async (tx) => {
      const number = await orders.next()
      expect(number).toBe(first + 1n)
      await inTransaction('one').next(tx)
      await tx.insert(Used, [{ sequence: 'three', number: await orders.next() }])
    })
    const more = await orders.take(20)
    expect(new Set(more).size).toBe(20)
    await orders.close()
    expect(await usedNumbers(db, 'three')).toEqual([first + 2n])
  })

  it('transactions that take two sequences in opposite orders all commit', async () => {
    const { db } = test
    const [one, two] = [inTransaction('one'), inTransaction('two')]
    const before = [await standsAt(db, 'one'), await standsAt(db, 'two')]
    await Promise.all(
      Array.from({ length: 8 }, (_, turn) =>
        db.transaction(async (tx) => {
          const [first, second] = turn % 2 === 0 ? [one, two] : [two, one]
          await first.next(tx)
          await rested(5)
          await second.next(tx)
        }),
      ),
    )
    expect([await standsAt(db, 'one'), await standsAt(db, 'two')]).toEqual(
      before.map((number) => number! + 8n),
    )
  })

  it('transactions that read before they take a number all commit', async () => {
    const { db } = test
    const one = inTransaction('one')
    const before = await standsAt(db, 'one')
    await Promise.all(
      Array.from({ length: 4 }, (_, turn) =>
        db.transaction(async (tx) => {
          if (turn % 2 === 0) await tx.get(Used, { id: '00000000-0000-4000-8000-000000000000' })
          await Promise.all([one.next(tx), inTransaction('two').next(tx)])
        }),
      ),
    )
    expect(await standsAt(db, 'one')).toBe(before! + 4n)
  })
})
