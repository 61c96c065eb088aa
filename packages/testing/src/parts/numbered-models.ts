import {
  BitReversedId,
  Column,
  defineSchema,
  Sequential,
  Table,
  type AnyCounter,
  type Generated,
} from '@isotherm/core'
import { bitReverse } from '@isotherm/core/keys'
import {
  asynchronous,
  asynchronousBatch,
  batch,
  inTransaction,
  native,
  sequenceTable,
} from '@isotherm/core/sequences'
import { beforeAll, expect, it } from 'vitest'
import { standsAt, upTo } from '../data/used-sequences.js'
import { byStatement, split } from '../data/by-statement.js'
import { type TestDatabase, part } from '../part.js'

// Models whose numbers come from generators.

export const numberedModels = part(['sequences'], ({ traits, database, when }) => {
  let test: TestDatabase
  const target = () => test.db
  const invoices = traits.transactions ? inTransaction('invoice') : asynchronous(target, 'invoice')

  const counters: Record<string, AnyCounter> = {
    ...(traits.transactions && { InTransaction: inTransaction('InTransaction') }),
    Asynchronous: asynchronous(target, 'Asynchronous'),
    Batch: batch(target, 'Batch'),
    AsynchronousBatch: asynchronousBatch(target, 'AsynchronousBatch'),
    Reversed: asynchronousBatch(target, 'Reversed', { bitReversed: true }),
    ...(traits.ownSequences && { Native: native(target, 'ids') }),
  }
  const models = Object.entries(counters).map(([name, from]) => {
    @Table(name)
    class Order {
      @BitReversedId({ from }) id!: Generated<bigint>
      @Column.string({ nullable: true }) note!: string | null
    }
    return [name, Order] as const
  })

  @Table('Invoice')
  class Invoice {
    @BitReversedId({ from: batch(target, 'invoice ids') }) id!: Generated<bigint>
    @Sequential({ from: invoices }) number!: Generated<bigint>
    @Column.string({ nullable: true }) note!: string | null
  }

  beforeAll(async () => {
    const schema = defineSchema([...models.map(([, model]) => model), Invoice, sequenceTable()], {
      sequences: traits.ownSequences ? [{ name: 'ids' }] : [],
    })
    test = await database(schema)
    await test.db.insert(
      'sequences',
      [...Object.keys(counters), 'invoice', 'invoice ids'].map((name) => ({ name, nextValue: 1n })),
      split,
    )
  })

  it.each(models)('inserted rows get bit-reversed ids 1 to 3 from the generator %s', async (name, model) => {
    const { db } = test
    const rows =
      name === 'InTransaction'
        ? await db.transaction((tx) => tx.insert(model, [{}, { note: 'b' }, {}]))
        : await db.insert(model, [{}, { note: 'b' }, {}], split)
    const ids = rows.map(({ id }) => id)
    expect(new Set(ids).size).toBe(3)
    // The database counts in steps of its own.
    const counted = name === 'Native' ? upTo(3) : ids.map((id) => bitReverse(id))
    expect(counted).toEqual(upTo(3))
    expect(await db.get(model, { id: ids[1]! })).toEqual({ id: ids[1], note: 'b' })
  })

  const ofTransactions = models.filter(([name]) => name === 'InTransaction')

  it.each(ofTransactions)(
    'insert() and upsert() outside a transaction throw UNSUPPORTED_WRITE for ids from the generator %s',
    async (name, model) => {
      const before = await standsAt(test.db, name)
      for (const work of [test.db.insert(model, [{}]), test.db.upsert(model, [{}])]) {
        await expect(work).rejects.toMatchObject({ code: 'UNSUPPORTED_WRITE', column: 'id' })
      }
      expect(await standsAt(test.db, name)).toBe(before)
    },
  )

  when('transactions', 'sequential numbers from inTransaction()', () => {
    it('have no gaps after a rollback, with direct and with buffered inserts', async () => {
      const { db } = test
      await expect(db.insert(Invoice, [{}])).rejects.toMatchObject({
        code: 'UNSUPPORTED_WRITE',
        column: 'number',
      })
      const first = await db.transaction((tx) => tx.insert(Invoice, [{}, {}]))
      const rolledBack = db.transaction(async (tx) => {
        await tx.insert(Invoice, [{}, {}, {}])
        throw new RangeError('rolled back')
      })
      await expect(rolledBack).rejects.toThrow('rolled back')
      const second = await db.transaction(async (tx) => {
        const [one] = await tx.insert(Invoice, [{}], { buffered: true, returning: false })
        return [
          one!,
          ...(await tx.insert(Invoice, [{ number: 100n }, {}], { buffered: true, returning: false })),
        ]
      })
      expect([...first, ...second].map(({ number }) => number)).toEqual([1n, 2n, 3n, 100n, 4n])
      // A row that has its number needs no transaction.
      await db.insert(Invoice, [{ number: 101n }])
      expect(await standsAt(db, 'invoice')).toBe(5n)
    })
  })

  it.each(traits.transactions ? [] : ['people'])(
    'sequential numbers for %s follow the order of the rows when no insert fails',
    async () => {
      const { db } = test
      const first = await db.insert(Invoice, [{}, {}], split)
      const second = await db.insert(Invoice, [{ number: 100n }, {}], split)
      expect([...first, ...second].map(({ number }) => number)).toEqual([1n, 2n, 100n, 3n])
      expect(await db.get(Invoice, { id: second[1]!.id })).toEqual(second[1])
      expect(await standsAt(db, 'invoice')).toBe(4n)
    },
  )

  it('update() and upsert() keep the sequential number of a row and do not advance the sequence', async () => {
    const { db } = test
    const [row] = await byStatement(db, traits)((on) => on.insert(Invoice, [{}]))
    const before = await standsAt(db, 'invoice')
    await db.update(Invoice, { id: row!.id, note: 'updated' })
    expect(await db.get(Invoice, { id: row!.id })).toEqual({ ...row, note: 'updated' })
    await db.upsert(Invoice, [{ id: row!.id, number: row!.number, note: 'upserted' }])
    expect(await db.get(Invoice, { id: row!.id })).toEqual({ ...row, note: 'upserted' })
    expect(await standsAt(db, 'invoice')).toBe(before)
  })
})
