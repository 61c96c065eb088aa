import { defineSchema, defineTable } from '@isotherm/core'
import { afterAll, describe, expect, it } from 'vitest'
import { fragileEngines } from '../../support/fragile-engines.js'

const Thing = defineTable('Thing', (t) => ({ id: t.uuidV4(), name: t.string() }))

/** Milliseconds: five seconds, and as much again on a machine that is busy with other tests. */
const TOLD_WITHIN = 10_000

describe.each(fragileEngines)(
  'in $name, a database that cannot be reached',
  async ({ traits, reconnects, fragile }) => {
    const { db, proxy, close } = await fragile(defineSchema([Thing]))
    const [row] = await db.insert(Thing, [{ name: 'one' }])
    const query = db.fanOut(Thing).where({ id: row!.id })
    afterAll(close)

    it('is said to be so long before the deadline, and is not asked again and again without a pause', async () => {
      proxy.refuse()
      proxy.cut()
      const begun = performance.now()
      const before = process.cpuUsage()
      for (const call of [
        () => db.get(Thing, row!),
        () => db.insert(Thing, [{ name: 'another' }]),
        () => db.update(Thing, [{ id: row!.id, name: 'another' }]),
        () => query.count(),
        ...traits.readStrategies.map((strategy) => () => query.via(strategy).all()),
      ]) {
        const asked = performance.now()
        await expect(call()).rejects.toMatchObject({
          code: 'UNAVAILABLE',
          transient: true,
        })
        expect(performance.now() - asked).toBeLessThan(TOLD_WITHIN)
      }
      const milliseconds = performance.now() - begun
      const { user, system } = process.cpuUsage(before)
      // The client by itself takes a whole processor.
      expect((user + system) / 1000).toBeLessThan(milliseconds / 2)
      proxy.heal()
    })

    const get = () => db.get(Thing, row!).catch(() => undefined)

    it('is read again when it is back, and when its connections are', async () => {
      await expect.poll(get, { timeout: 15_000 }).toEqual(row)
      proxy.cut()
      await expect.poll(get, { timeout: 15_000 }).toEqual(row)
    })

    it.each(reconnects ? ['a connection that breaks'] : [])('%s is not even noticed', async () => {
      proxy.cut()
      expect(await db.get(Thing, row!)).toEqual(row)
    })
  },
)
