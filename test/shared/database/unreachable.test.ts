import { defineSchema, defineTable } from '@isotherm/core'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { sampledFragileEngines } from '../../support/fragile-engines.js'

const Thing = defineTable('Thing', (t) => ({ id: t.uuidV4(), name: t.string() }))

// No test waits as long as this: a call that ends has not ended by its timeout. How often the database is called until then, and
// with which pauses, is tested with a fake clock: packages/*/test/driver/{reachability,reconnect}.test.ts.
const timeoutMs = 3_600_000

describe.each(sampledFragileEngines)(
  'an unreachable database in $name',
  async ({ traits, reconnects, fragile }) => {
    const { db, proxy, close } = await fragile(defineSchema([Thing]))
    const [row] = await db.insert(Thing, [{ name: 'one' }])
    const query = db.fanOut(Thing).where({ id: row!.id }).options({ timeoutMs })
    afterEach(() => {
      proxy.heal()
    })
    afterAll(close)

    const isRead = () =>
      expect
        .poll(() => db.get(Thing, row!).catch(() => undefined), { timeout: 120_000, interval: 20 })
        .toEqual(row)

    it('makes reads, writes and counts throw UNAVAILABLE before their timeout', async () => {
      proxy.refuse()
      proxy.cut()
      // Until then the client may use the broken connection, and send a write whose outcome is unknown.
      await expect(db.get(Thing, row!, { timeoutMs })).rejects.toMatchObject({ code: 'UNAVAILABLE' })
      const outcomes = await Promise.allSettled([
        db.get(Thing, row!, { timeoutMs }),
        db.insert(Thing, [{ name: 'another' }], { timeoutMs }),
        db.update(Thing, [{ id: row!.id, name: 'another' }], { timeoutMs }),
        query.count(),
        ...traits.readStrategies.map((strategy) => query.strategy(strategy).all()),
      ])
      const reason = expect.objectContaining({ code: 'UNAVAILABLE', retryable: true })
      expect(outcomes).toEqual(outcomes.map(() => ({ status: 'rejected', reason })))
    })

    it('is read again after the database is reachable again, and after its connections broke', async () => {
      proxy.refuse()
      proxy.cut()
      await expect(db.get(Thing, row!, { timeoutMs })).rejects.toMatchObject({ code: 'UNAVAILABLE' })
      proxy.heal()
      await isRead()
      proxy.cut()
      await isRead()
    })

    it.each(reconnects ? ['a connection broke'] : [])('is read without an error after %s', async () => {
      await isRead()
      proxy.cut()
      expect(await db.get(Thing, row!)).toEqual(row)
    })
  },
)
