import { defineSchema, defineTable } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { Customer, eventOf, Line, Order, shopOf, Ticket } from '../support/shop.js'
import { dialects, testDatabase } from '../support/spanner.js'

for (const dialect of dialects) {
  const { db } = await testDatabase(shopOf(dialect), dialect)
  const Event = eventOf(dialect)

  describe(`writes in ${dialect.name}`, () => {
    describe('insert', () => {
      it('returns the ids that the database generates, in the order of the rows', async () => {
        const [customer] = await db.insert(Customer, [
          { name: 'Ada', settings: { theme: 'dark', tags: [1, null] } },
        ])
        const orders = await db.insert(Order, [
          { customerId: customer!.customerId, note: 'first' },
          { customerId: customer!.customerId, note: 'second' },
        ])
        expect(new Set(orders.map((order) => order.orderId)).size).toBe(2)
        for (const order of orders) {
          expect(order.orderId).toBeGreaterThan(0n)
          expect(await db.get(Order, order)).toEqual(order)
        }
        expect(orders.map((order) => order.note)).toEqual(['first', 'second'])
        expect(await db.get(Customer, customer!)).toEqual(customer)
      })

      it('generates ids of a sequence after its start value and its skipped range', async () => {
        const tickets = await db.insert(Ticket, [{}, { title: 'two' }, {}])
        expect(tickets.every(({ ticketId }) => ticketId > 100n)).toBe(true)
        expect(await db.get(Ticket, tickets[1]!)).toEqual(tickets[1])
      })

      it('returns the commit timestamp that is part of the key of a row', async () => {
        const [event] = await db.insert(Event, [{ body: Buffer.from([0, 255]) }])
        expect(event!.shard).toBeGreaterThanOrEqual(0n)
        expect(event!.shard).toBeLessThan(8n)
        expect(await db.get(Event, event!)).toEqual(event)
      })

      it('writes no row when one of the rows exists already', async () => {
        const [kept] = await db.insert(Customer, [{ name: 'kept' }])
        const fresh = { customerId: crypto.randomUUID(), name: 'fresh' }
        const error = await db.insert(Customer, [fresh, kept!]).catch((caught: unknown) => caught)
        expect(error).toMatchObject({ code: 'ALREADY_EXISTS' })
        expect(await db.get(Customer, fresh)).toBeUndefined()
      })
    })

    describe('values that the database generates', () => {
      const made = defineTable('Made', (t) => ({
        id: t.uuidV4(),
        text: t.string({ length: 20 }),
        count: t.int64({ default: 1n }),
        double: t.int64({
          nullable: true,
          generated: dialect.name === 'googlesql' ? '`count` * 2' : '"count" * 2',
        }),
        triple: t.int64({
          nullable: true,
          stored: false,
          generated: dialect.name === 'googlesql' ? '`count` * 3' : '"count" * 3',
        }),
      }))

      it('generated values are returned by insert(), except with returning: false', async () => {
        const own = await testDatabase(defineSchema([made]), dialect)
        const inserted = await own.db.insert(made, [{ text: 'a' }, { text: 'b', count: 5n }])
        expect(inserted).toMatchObject([
          { text: 'a', count: 1n, double: 2n, triple: 3n },
          { text: 'b', count: 5n, double: 10n, triple: 15n },
        ])
        const rows = await own.db.fanOut(made).orderBy('text').all()
        expect(rows).toEqual([...inserted])

        const [blind] = await own.db.insert(made, [{ text: 'c' }], { returning: false })
        expect(blind).toMatchObject({ text: 'c', count: undefined, double: undefined })
        expect(await own.db.get(made, { id: blind!.id! })).toMatchObject({ count: 1n, triple: 3n })

        const buffered = own.db.transaction((tx) => tx.insert(made, [{ text: 'd' }], { buffered: true }))
        await expect(buffered).rejects.toMatchObject({ code: 'UNSUPPORTED_WRITE', column: 'count' })
        await own.db.transaction((tx) =>
          tx.insert(made, [{ text: 'd' }], { buffered: true, returning: false }),
        )
        expect(await own.db.fanOut(made).where({ text: 'd' }).all()).toMatchObject([{ double: 2n }])
      })

      it('generated values stay unchanged when an update changes other columns, in and out of a transaction', async () => {
        const own = await testDatabase(defineSchema([made]), dialect)
        const [row] = await own.db.insert(made, [{ text: 'a', count: 7n }])
        const { commitTimestamp } = await own.db.update(made, { id: row!.id, text: 'b' })
        expect(commitTimestamp).toBeInstanceOf(Date)
        expect(await own.db.get(made, row!)).toEqual({ ...row, text: 'b' })
        await own.db.transaction((tx) => tx.update(made, { id: row!.id, text: 'c' }))
        expect(await own.db.get(made, row!)).toEqual({ ...row, text: 'c' })
        const nobody = { id: crypto.randomUUID(), text: 'd' }
        await expect(own.db.update(made, nobody)).rejects.toMatchObject({ code: 'NOT_FOUND' })
        await expect(own.db.update(made, { id: row!.id, double: 1n })).rejects.toMatchObject({
          code: 'INVALID_VALUE',
          column: 'double',
        })
        await expect(own.db.insert(made, [{ text: 'e', triple: 1n }])).rejects.toMatchObject({
          code: 'INVALID_VALUE',
          column: 'triple',
        })
      })
    })

    describe('update, upsert and delete', () => {
      it('an update of several rows throws NOT_FOUND and changes no row when one row is missing', async () => {
        const [customer] = await db.insert(Customer, [{ name: 'here' }])
        const changes = [
          { customerId: customer!.customerId, name: 'changed' },
          { customerId: crypto.randomUUID(), name: 'nobody' },
        ]
        await expect(db.update(Customer, changes)).rejects.toMatchObject({ code: 'NOT_FOUND' })
        expect(await db.get(Customer, customer!)).toEqual(customer)
      })

      it('a delete of a parent row deletes its interleaved rows', async () => {
        const [customer] = await db.insert(Customer, [{ name: 'parent' }])
        const [order] = await db.insert(Order, [{ customerId: customer!.customerId }])
        const { customerId, orderId } = order!
        const [line] = await db.insert(Line, [{ customerId, orderId, line: 1n, price: '12.50' }])
        expect(line!.price).toBe('12.5')
        expect(await db.get(Line, line!)).toEqual(line)
        await db.delete(Customer, customer!)
        expect(await db.get(Line, line!)).toBeUndefined()
      })
    })
  })
}
