import { defineSchema, defineTable } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { dialects, testDatabase } from '../support/spanner.js'
import { strategies } from './support.js'

// GoogleSQL reads an unqualified name as the table, as a whole row, when a column of the table has the same name.

const Device = defineTable('Device', (t) => ({
  shard: t.shardKey({ shards: 2, of: ['device'] }),
  device: t.string({ length: 20 }).key(),
  number: t.int64({ nullable: true }),
}))
const Value = defineTable(
  'Value',
  (t) => ({ id: t.uuidV4(), value: t.int64({ nullable: true }), other: t.int64({ nullable: true }) }),
  { indexes: [{ on: ['value'], name: 'ByValue' }] },
)
const Ticket = defineTable('Ticket', (t) => ({
  ticket: t.bitReversedId(),
  title: t.string({ nullable: true }),
}))

describe.each(dialects)('a column with the name of its table in $name', async (dialect) => {
  const { db } = await testDatabase(defineSchema([Device, Value, Ticket]), dialect)
  const devices = ['a', 'b', 'c'].map((device) => ({ device, number: 1n }))

  it('identifies rows as a key part in writes outside and inside transactions', async () => {
    await db.insert(Device, devices)
    await db.update(Device, { device: 'a', number: 2n })
    await db.transaction(async (tx) => {
      await tx.insert(Device, [{ device: 'd' }])
      await tx.update(Device, { device: 'd', number: 4n })
      await tx.upsert(Device, [{ device: 'd', number: 5n }])
      expect(await tx.get(Device, { device: 'd' })).toMatchObject({ number: 5n })
      await tx.delete(Device, { device: 'd' })
    })
    expect(await db.get(Device, { device: 'a' })).toMatchObject({ device: 'a', number: 2n })
  })

  it.each(strategies)(
    'can be filtered, sorted, counted and grouped as a key part, by the strategy %s',
    async (strategy) => {
      await db.upsert(Device, devices)
      const query = db.fanOut(Device).strategy(strategy)
      expect((await query.orderBy('device', 'desc').all()).map(({ device }) => device)).toEqual([
        'c',
        'b',
        'a',
      ])
      expect((await query.where({ device: { gt: 'a' } }).all()).map(({ device }) => device)).toEqual([
        'b',
        'c',
      ])
      expect(await query.where({ device: { in: ['a', 'c'] } }).count()).toBe(2)
      expect(await query.groupBy('device').count()).toHaveLength(3)
    },
  )

  it('is returned by insert() and upsert() as a key part that the database generates', async () => {
    const [one, two] = await db.insert(Ticket, [{ title: 'one' }, { title: 'two' }])
    expect(await db.get(Ticket, { ticket: one!.ticket })).toEqual(one)
    const [three] = await db.transaction((tx) => tx.upsert(Ticket, [{ title: 'three' }]))
    expect(await db.get(Ticket, { ticket: three!.ticket! })).toEqual(three)
    expect(
      await db
        .fanOut(Ticket)
        .where({ ticket: { in: [two!.ticket] } })
        .all(),
    ).toEqual([two])
  })

  it('can be updated, filtered, sorted and indexed outside the key', async () => {
    const [one, two] = await db.insert(Value, [{ value: 1n }, { value: 2n }])
    await db.transaction((tx) => tx.update(Value, { id: one!.id, value: 3n }))
    const wanted = [two, { ...one!, value: 3n }]
    for (const strategy of strategies) {
      expect(await db.fanOut(Value).strategy(strategy).orderBy('value').all()).toEqual(wanted)
      expect(
        await db
          .fanOut(Value)
          .strategy(strategy)
          .where({ value: { gte: 2n } })
          .orderBy('value')
          .all(),
      ).toEqual(wanted)
    }
    expect(await db.fanOut(Value).useIndex('ByValue').orderBy('value').all()).toEqual(wanted)
    expect(await db.fanOut(Value).groupBy('value').count()).toHaveLength(2)
  })
})
