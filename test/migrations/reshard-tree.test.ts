import { defineSchema, defineTable, openDatabase, type Schema } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { dialects } from '../support/spanner.js'
import { trialOf } from './reshard-support.js'

/** Customers, their orders and the lines of orders, with keys that begin with the customer or with a shard. */
function shop(shards: number | undefined): Schema {
  const customer = defineTable('Customer', (t) => ({
    ...(shards !== undefined && { shard: t.shardKey({ shards, of: ['id'] }) }),
    id: t.int64().key(),
    name: t.string(),
  }))
  const order = defineTable(
    'Order',
    (t) => ({
      ...(shards !== undefined && { shard: t.parentKey<bigint>() }),
      id: t.parentKey<bigint>(),
      orderId: t.bitReversedId({ from: 'sequence' }),
      note: t.string({ nullable: true }),
      placed: t.timestamp({ default: 'commit' }),
    }),
    { interleaveIn: () => customer, onDelete: 'cascade', indexes: [{ on: ['note'] }] },
  )
  const line = defineTable(
    'Line',
    (t) => ({
      ...(shards !== undefined && { shard: t.parentKey<bigint>() }),
      id: t.parentKey<bigint>(),
      orderId: t.parentKey<bigint>(),
      line: t.int64().key(),
      article: t.string(),
    }),
    { interleaveIn: () => order, onDelete: 'no action' },
  )
  return defineSchema([customer, order, line])
}

for (const dialect of dialects) {
  describe(`a reshard of a row tree in ${dialect.name}`, () => {
    it('moves the root table and all interleaved tables, with writes in every phase', async () => {
      const trial = await trialOf(dialect, shop(undefined), shop(4), 'Customer')
      expect(trial.plan.tables).toEqual([
        { from: 'Customer', to: 'Customer_r4' },
        { from: 'Order', to: 'Order_r4' },
        { from: 'Line', to: 'Line_r4' },
      ])
      const plain = openDatabase({ driver: trial.driver, schema: trial.plan.schema })
      const counts = async (suffix = '') =>
        Promise.all(['Customer', 'Order', 'Line'].map((table) => plain.fanOut(table + suffix).count()))

      await trial.run(['create'])
      const db = await trial.application()
      const customers = Array.from({ length: 12 }, (_, id) => ({ id: BigInt(id), name: `Customer ${id}` }))
      await db.insert('Customer', customers)
      const orders = await db.insert(
        'Order',
        customers.flatMap(({ id }) => [
          { id, note: 'first' },
          { id, note: 'second' },
        ]),
      )
      const lineOf = ({ id, orderId }: Record<string, unknown>) => ({ id, orderId, line: 1n, article: 'tea' })
      await db.insert('Line', orders.slice(0, 12).map(lineOf))

      await trial.run(['begin'])
      // A write to a row whose parents were not copied yet copies the parents too.
      await db.insert('Line', [lineOf(orders[20]!)])
      expect(await counts('_r4')).toEqual([1, 1, 1])
      const [own] = await db.insert('Order', [{ id: 3n, note: 'while writing' }])
      await db.transaction(async (tx) => {
        await tx.insert('Customer', [{ id: 100n, name: 'new' }])
        const [order] = await tx.insert('Order', [{ id: 100n }])
        await tx.insert('Line', [lineOf(order!)])
        // The commit timestamp of the older order cannot be read while another commit timestamp is pending.
        await tx.update('Order', { ...keyOf(own!), note: 'changed' })
        await tx.update('Order', { ...keyOf(orders[1]!), note: 'not copied yet' })
        await tx.update('Order', { ...keyOf(order!), note: 'new' })
      })
      expect(await counts('_r4')).toEqual([3, 3, 2])
      await db.delete('Line', lineOf(orders[2]!))
      await db.delete('Customer', { id: 7n })

      await trial.run(['copy', 'verify'])
      expect(await counts('_r4')).toEqual(await counts())
      expect(await plain.fanOut('Order_r4').where({ note: 'not copied yet' }).count()).toBe(1)

      await trial.run(['switch'])
      const [after] = await db.insert('Order', [{ id: 5n, note: 'while reading' }])
      await db.delete('Customer', { id: 8n })
      const found = await db.fanOut('Customer').include('orders', 'Order').where({ id: 5n }).all()
      expect(found).toMatchObject([{ orders: expect.arrayContaining([after]) }])
      await trial.run(['verify'])
      expect(await counts()).toEqual(await counts('_r4'))
      await trial.back('switch')
      expect(await db.get('Order', keyOf(after!))).toMatchObject({
        note: 'while reading',
        placed: after!['placed'],
      })

      await trial.run(['verify', 'switch', 'finish', 'drop'])
      const [last] = await db.insert('Order', [{ id: 5n }])
      expect(await db.get('Order', last!)).toEqual(last)
      const ids = (await db.fanOut('Order').all()).map(({ orderId }) => orderId)
      expect(new Set(ids).size).toBe(ids.length)
    })
  })
}

function keyOf({ id, orderId }: Record<string, unknown>) {
  return { id, orderId }
}
