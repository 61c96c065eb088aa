import { describe, expect, it } from 'vitest'
import { Customer, eventOf, Order, shopOf } from '../support/shop.js'
import { dialects, testDatabase } from '../support/spanner.js'

// Each call writes all of its rows or none, and each row once.

for (const dialect of dialects) {
  const { db } = await testDatabase(shopOf(dialect), dialect)
  const Event = eventOf(dialect)
  const customer = (name: string) => ({ customerId: crypto.randomUUID(), name })

  const there = customer('there')
  await db.insert(Customer, [there])
  const order = (await db.insert(Order, [{ customerId: there.customerId }]))[0]!

  describe(`writes of several rows in ${dialect.name}`, () => {
    type Work = Parameters<typeof db.transaction>[0]

    it.each<[string, Work]>([
      ['an update', (tx) => tx.update(Customer, [{ ...there, name: 'half' }, customer('absent')])],
      // A row whose key is given is another statement.
      ['an insert', (tx) => tx.insert(Order, [{ customerId: there.customerId }, order])],
    ])(
      'a transaction commits nothing after %s that failed midway and whose error was caught',
      async (_, call) => {
        let caught: unknown
        const work = db.transaction(async (tx) => {
          await call(tx).catch((error: unknown) => (caught = error))
        })
        const refused: unknown = await work.catch((error: unknown) => error)
        expect(refused).toMatchObject({ code: 'CANCELLED', cause: caught })
        expect(String(refused)).toContain('a call had failed after a part of it was written')
        expect(await db.get(Customer, there)).toMatchObject(there)
        expect(await db.fanOut(Order).where({ customerId: there.customerId }).count()).toBe(1)
      },
    )

    it('a transaction commits its other writes after an update of a missing row whose error was caught', async () => {
      const [other, absent] = [customer('other'), customer('absent')]
      await db.transaction(async (tx) => {
        const [inserted, changed] = await Promise.allSettled([
          tx.insert(Customer, [other]),
          tx.update(Customer, absent),
        ])
        expect([inserted.status, changed.status]).toEqual(['fulfilled', 'rejected'])
      })
      expect(await db.get(Customer, other)).toMatchObject(other)
    })

    it('a transaction sends no statement after its rollback when other calls were still running', async () => {
      const others = Array.from({ length: 5 }, () => customer('other'))
      const work = db.transaction((tx) =>
        Promise.all([tx.insert(Customer, [there]), ...others.map((other) => tx.insert(Customer, [other]))]),
      )
      await expect(work).rejects.toMatchObject({ code: 'ALREADY_EXISTS' })
      // A statement after the rollback would have begun a transaction that keeps its locks.
      await db.insert(Customer, others, { timeoutMs: 5000 })
      expect(await db.get(Customer, others[4]!)).toMatchObject(others[4]!)
    })

    it('upsert() rejects two rows with the same key in one call', async () => {
      const [one, other] = [customer('one'), customer('other')]
      const rows = [one, other, { ...one, name: 'again', settings: {} }]
      const refused = {
        code: 'INVALID_VALUE',
        message: expect.stringContaining('Rows 0 and 2 of Customer have the same key.'),
      }
      await expect(db.upsert(Customer, rows)).rejects.toMatchObject(refused)
      await db.transaction(async (tx) => {
        await expect(tx.upsert(Customer, rows)).rejects.toMatchObject(refused)
        await expect(tx.upsert(Customer, rows, { buffered: true })).rejects.toMatchObject(refused)
      })
      expect(await db.get(Customer, other)).toBeUndefined()
      await db.upsert(Customer, rows.slice(1))
      expect(await db.get(Customer, one)).toMatchObject({ name: 'again' })
      // Generated keys differ from each other.
      expect(await db.upsert(Customer, [{ name: 'a' }, { name: 'b' }])).toHaveLength(2)
    })

    it('a transaction rejects calls on interleaved rows that buffered writes of the parent row affect', async () => {
      const parent = customer('parent')
      await db.insert(Customer, [parent])
      const [order] = await db.insert(Order, [{ customerId: parent.customerId }])
      const refused = {
        code: 'READ_OF_BUFFERED_TABLE',
        message: expect.stringMatching(/^Customer has buffered writes in this transaction/),
      }
      const rollback = new Error('on purpose')
      const work = db.transaction(async (tx) => {
        await tx.update(Customer, { ...parent, name: 'new' }, { buffered: true })
        // The order stays as it is.
        expect(await tx.get(Order, order!)).toBeDefined()
        await expect(tx.insert(Order, [{ customerId: parent.customerId }])).rejects.toMatchObject(refused)
        await tx.delete(Customer, parent, { buffered: true })
        await expect(tx.get(Order, order!)).rejects.toMatchObject(refused)
        await expect(tx.delete(Order, order!)).rejects.toMatchObject(refused)
        throw rollback
      })
      await expect(work).rejects.toBe(rollback)
    })

    it.each<[string, object]>([
      ['a Map', new Map([['name', 'x']])],
      ['a Date', new Date()],
      ['a promise', Promise.resolve({ name: 'x' })],
      ['an object with inherited properties', Object.create({ nmae: 'x' }) as object],
    ])('insert() rejects %s as a row, because the value has no property of the table', async (_, row) => {
      await expect(db.insert(Event, [row])).rejects.toMatchObject({
        code: 'INVALID_VALUE',
        message: expect.stringContaining('without a property of the table'),
      })
    })

    it('insert() rejects an unknown property of a row that inherits a known property', async () => {
      const misspelled = Object.assign(Object.create({ name: 'x' }) as object, {
        customerId: crypto.randomUUID(),
        nmae: 'typo',
      })
      await expect(db.insert(Customer, [misspelled as never])).rejects.toMatchObject({
        code: 'INVALID_VALUE',
        message: expect.stringContaining('has no property "nmae"'),
      })
      expect(await db.insert(Event, [{}])).toHaveLength(1)
    })
  })
}
