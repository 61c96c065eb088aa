import { defineSchema, defineTable, sql, type TableBuilder } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { dialects, testDatabase } from '../support/spanner.js'

// An upsert changes nothing that it leaves out of a row that exists. The emulator would set columns with defaults by mutation,
// where the database makes a part of the key.

describe.each(dialects)('an upsert with omitted columns in $name', async (dialect) => {
  const quoted = (name: string): string => (dialect.name === 'googlesql' ? `\`${name}\`` : `"${name}"`)
  const columns = (t: TableBuilder) => ({
    text: t.string({ nullable: true }),
    note: t.string({ nullable: true }),
    count: t.int64({ default: 1n }),
    number: t.bitReversedId({ key: false }),
    rate: t.float64({ nullable: true, default: 0.5 }),
    since: t.timestamp({ default: sql`CURRENT_TIMESTAMP` }),
    double: t.int64({ nullable: true, generated: `${quoted('count')} * 2` }),
  })
  const computed = defineTable('Computed', (t) => ({
    twice: t.int64({ generated: `${quoted('id')} * 2` }).key(),
    id: t.int64().key(),
    ...columns(t),
  }))
  const tables = [
    defineTable('Given', (t) => ({ id: t.int64().key(), ...columns(t) })),
    defineTable('Default', (t) => ({ id: t.int64({ default: 5n }).key(), ...columns(t) })),
    defineTable('Identity', (t) => ({ id: t.bitReversedId(), ...columns(t) })),
    defineTable('Sequence', (t) => ({ id: t.bitReversedId({ from: 'sequence' }), ...columns(t) })),
    defineTable('Sharded', (t) => ({
      shard: t.shardKey({ shards: 4, of: ['id'] }),
      id: t.int64().key(),
      ...columns(t),
    })),
    defineTable('Stamped', (t) => ({
      id: t.int64({ default: 5n }).key(),
      changed: t.timestamp({ default: 'commit' }),
      text: t.string({ nullable: true }),
      count: t.int64({ default: 1n }),
    })),
  ]
  const { db } = await testDatabase(defineSchema([...tables, computed]), dialect)
  const rowsOf = (table: string) => db.fanOut(table).orderBy('id').all()

  it.each(tables.slice(0, 5))(
    'keeps the stored values of the omitted columns in the table $name',
    async ({ name }) => {
      const [kept] = await db.insert(name, [{ id: 40n, note: 'kept', count: 7n, number: 4n, rate: null }])
      await db.upsert(name, [
        { id: 40n, text: 'changed' },
        { id: 41n, text: 'new' },
      ])
      const [changed, made] = await rowsOf(name)
      expect(changed).toEqual({ ...kept, text: 'changed' })
      expect(made).toMatchObject({ id: 41n, text: 'new', note: null, count: 1n, double: 2n })
      await db.transaction((tx) => tx.upsert(name, [{ id: 40n, text: 'in a transaction' }]))
      await db.upsert(name, [{ id: 41n, count: 9n }])
      await db.update(name, { id: 41n, note: 'updated' })
      expect(await rowsOf(name)).toEqual([
        { ...kept, text: 'in a transaction' },
        { ...made, note: 'updated', count: 9n, double: 18n },
      ])
      // Nothing but the key: the row is there, or it is made.
      await db.upsert(name, [{ id: 40n }, { id: 42n }])
      expect(await rowsOf(name)).toMatchObject([
        { text: 'in a transaction', count: 7n, number: 4n },
        { count: 9n },
        { id: 42n, count: 1n },
      ])
    },
  )

  it('returns the commit timestamp of a row whose omitted defaults keep their values', async () => {
    await db.insert('Stamped', [{ id: 40n, count: 7n }], { returning: false })
    const [upserted] = await db.upsert('Stamped', [{ id: 40n, text: 'changed' }])
    expect(await rowsOf('Stamped')).toEqual([{ ...upserted, text: 'changed', count: 7n }])
    expect(upserted!['changed']).toBeInstanceOf(Date)
  })

  it('throws UNSUPPORTED_WRITE when a key column that only the database computes is omitted', async () => {
    const row = { id: 40n, note: 'kept', count: 7n, number: 4n }
    await db.insert(computed, [row], { returning: false })
    await expect(db.upsert(computed, [{ id: 40n, text: 'changed' }])).rejects.toMatchObject({
      code: 'UNSUPPORTED_WRITE',
      message:
        'Rows of Computed cannot be found without twice: only the database computes it. ' +
        'Give twice as well, or insert and update the rows.',
    })
    await db.upsert(computed, [{ twice: 80n, id: 40n, text: 'changed' }])
    expect(await rowsOf('Computed')).toMatchObject([{ ...row, twice: 80n, text: 'changed' }])
    // A row that leaves out no default is a mutation, which needs no key to look for.
    const made = { count: 8n, number: 5n, rate: 0.25, since: new Date(0) }
    await db.upsert(computed, [{ id: 40n, ...made }])
    expect(await rowsOf('Computed')).toMatchObject([
      { ...row, ...made, text: 'changed', since: expect.any(Date) },
    ])
  })
})
