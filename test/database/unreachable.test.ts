import { defineSchema, defineTable } from '@isotherm/core'
import { afterAll, describe, expect, it } from 'vitest'
import { fragileDatabase } from '../support/fragile.js'
import { dialects, sharedEmulator } from '../support/spanner.js'

const Thing = defineTable('Thing', (t) => ({ id: t.uuidV4(), name: t.string() }))

describe.each(dialects)('in %s, a database that cannot be reached', async (dialect) => {
  const { host } = await sharedEmulator()
  const fragile = await fragileDatabase(host, defineSchema([Thing]), dialect)
  const { db, proxy } = fragile
  const [row] = await db.insert(Thing, [{ name: 'one' }])
  afterAll(() => fragile.close())

  it('is said to be so long before the deadline, and is not asked again and again without a pause', async () => {
    proxy.refuse()
    proxy.cut()
    const begun = performance.now()
    const before = process.cpuUsage()
    for (const reading of [
      () => db.get(Thing, row!),
      () => db.fanOut(Thing).all(),
      () => db.fanOut(Thing).via('push-down').all(),
      () => db.fanOut(Thing).count(),
    ])
      await expect(reading()).rejects.toMatchObject({ code: 'UNAVAILABLE', transient: true })
    const milliseconds = performance.now() - begun
    const { user, system } = process.cpuUsage(before)
    expect(milliseconds).toBeLessThan(15_000)
    // The client by itself takes a whole processor.
    expect((user + system) / 1000).toBeLessThan(milliseconds / 2)
    proxy.heal()
  })

  it('is read again when it is back, and a connection that breaks is not even noticed', async () => {
    const get = () => db.get(Thing, row!).catch(() => undefined)
    await expect.poll(get, { timeout: 15_000 }).toEqual(row)
    proxy.cut()
    expect(await db.get(Thing, row!)).toEqual(row)
  })
})
