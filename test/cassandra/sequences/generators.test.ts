import { bitReverse } from '@isotherm/core/keys'
import { compileDdl, defineSchema, defineTable, openDatabase } from '@isotherm/core'
import {
  asynchronous,
  asynchronousBatch,
  batch,
  inTransaction,
  native,
  sequenceTable,
} from '@isotherm/core/sequences'
import { describe, expect, it } from 'vitest'
import { standsAt } from '../../sequences/support/used.js'
import { emptyKeyspace } from '../migrations/support/keyspace.js'
import { counted, countedDdl } from './support/counted.js'

const targets = ['cassandra', 'keyspaces'] as const

describe.each(targets)('on %s', (target) => {
  it('sequences are made, counted, and told of where they cannot be', async () => {
    const { driver, client } = await emptyKeyspace({ target, ddl: countedDdl })
    const db = openDatabase({ driver, schema: counted })
    const numbers = asynchronous(db, 'employee', { start: 100n, increment: 10n, maximum: 130n })
    await expect(numbers.next()).rejects.toMatchObject({ code: 'SEQUENCE_MISSING', table: 'sequences' })
    expect([await numbers.create(), await numbers.create()]).toEqual([true, false])
    expect(await numbers.take(3)).toEqual([100n, 110n, 120n])
    expect(await standsAt(db, 'employee')).toBe(130n)
    // By somebody else, and forward.
    await client.execute(`UPDATE sequences SET next_value = 130 WHERE name = 'employee'`)
    expect(await numbers.next()).toBe(130n)
    await expect(numbers.next()).rejects.toMatchObject({ code: 'SEQUENCE_EXHAUSTED' })
    await client.execute(`UPDATE sequences SET next_value = 5 WHERE name = 'employee' IF next_value = 140`)
    await expect(numbers.next()).rejects.toMatchObject({ code: 'SEQUENCE_MOVED_BACK' })
    await numbers.close()
    await expect(asynchronous(db, 'x', { table: 'nobody' }).create()).rejects.toMatchObject({
      code: 'SEQUENCE_MISSING',
      table: 'nobody',
    })
  })

  it('ranges are reserved, and fetched ahead', async () => {
    const { driver } = await emptyKeyspace({ target, ddl: countedDdl })
    const db = openDatabase({ driver, schema: counted })
    const [orders, ids] = [
      batch(db, 'order', { size: 20 }),
      asynchronousBatch(db, 'id', { bitReversed: true }),
    ]
    await Promise.all([orders.create(), ids.create()])
    await orders.take(5)
    expect(await standsAt(db, 'order')).toBe(21n)
    expect(await ids.take(3)).toEqual([1n, 2n, 3n].map((n) => bitReverse(n)))
    await Promise.all([orders.close(), ids.close()])
  })

  it('models number their rows with them', async () => {
    const Account = defineTable('account', (t) => ({
      id: t.bitReversedId({ from: asynchronousBatch(() => db, 'account') }),
      name: t.string({ nullable: true }),
    }))
    const schema = defineSchema([Account, sequenceTable()])
    const { driver } = await emptyKeyspace({
      target,
      ddl: compileDdl(schema, { dialect: 'cql', severity: { 'useless-bit-reversal': 'off' } }),
    })
    const db = openDatabase({ driver, schema, severity: { 'useless-bit-reversal': 'off' } })
    await asynchronousBatch(db, 'account').create()
    const rows = await db.insert(Account, [{ name: 'a' }, { name: 'b' }], { split: true })
    expect(rows.map(({ id }) => id)).toEqual([1n, 2n].map((n) => bitReverse(n)))
  })

  it('what wants a transaction is refused by name', async () => {
    const { driver } = await emptyKeyspace({ target, ddl: countedDdl })
    const refused = { code: 'UNSUPPORTED', message: expect.stringContaining(driver.name) }
    await expect(inTransaction('invoice').create(driver)).rejects.toMatchObject(refused)
    await expect(native(driver, 'ids').next()).rejects.toMatchObject(refused)
    const Invoice = defineTable('invoice', (t) => ({
      id: t.bitReversedId({ from: inTransaction('invoice') }),
    }))
    const schema = defineSchema([Invoice, sequenceTable()])
    expect(() => openDatabase({ driver, schema, severity: { 'useless-bit-reversal': 'off' } })).toThrow(
      /invoice\.id is numbered in the transaction of its insert/,
    )
  })
})
