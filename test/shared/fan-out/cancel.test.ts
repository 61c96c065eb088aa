import { setTimeout as delay } from 'node:timers/promises'
import { defineSchema, defineTable } from '@isotherm/core'
import { afterAll, describe, expect, it } from 'vitest'
import { fragileEngines } from '../../support/fragile-engines.js'

// Who has enough of a fan-out, after its first row or in the middle, leaves nothing behind: no session that is lent, and
// no call that the database works for.

const SHARDS = 64
const ROWS = 3000

const Entry = defineTable('Entry', (t) => ({
  shard: t.shardKey({ shards: SHARDS, of: ['id'] }),
  at: t.timestamp().key(),
  id: t.int64().key(),
  body: t.string(),
}))
const schema = defineSchema([Entry])
const rows = Array.from({ length: ROWS }, (_, n) => ({
  at: new Date(n * 1000),
  id: BigInt(n),
  body: `${n}:`.repeat(100),
}))

describe.each(fragileEngines)('in $name, of a fan-out over 64 shards', async ({ traits, fragile }) => {
  const { db, proxy, open, settled, close } = await fragile(schema)
  await db.insert(Entry, rows, { ...traits.unchecked, returning: false })
  afterAll(() => close())

  const nothingIsLeft = async (): Promise<void> => {
    expect(await settled()).toBe(0)
  }
  // Chunks that are smaller than a shard's rows, so that there is always more to read.
  const query = db.fanOut(Entry).via('merge-shards')
  const { strategies } = traits

  it.each(strategies)('nothing is left when its reader has enough after the first row (%s)', async (via) => {
    for (let round = 0; round < 3; round++) {
      for await (const { id } of db.fanOut(Entry).via(via).limit(2000)) {
        expect(id).toBe(0n)
        break
      }
      await nothingIsLeft()
    }
  })

  it('nothing is left when its reader leaves while more is being read ahead', async () => {
    let taken = 0
    for await (const { id } of query) {
      expect(id).toBe(BigInt(taken))
      // The second half of a shard's first chunk has the next one fetched: from then on the answers do not come.
      if (++taken === ROWS - 200) proxy.stall()
      if (taken === ROWS - 10) break
    }
    await nothingIsLeft()
    proxy.heal()
  })

  it.each([1, 700, 2990])('nothing is left when its signal ends it after %s rows', async (many) => {
    const controller = new AbortController()
    let taken = 0
    const reading = (async () => {
      for await (const { id } of query.options({ signal: controller.signal })) {
        expect(id).toBe(BigInt(taken++))
        if (taken === many) {
          controller.abort(new Error('enough'))
          // Even though the reader is busy with what it has.
          await nothingIsLeft()
        }
      }
    })()
    await expect(reading).rejects.toMatchObject({ code: 'CANCELLED', cause: { message: 'enough' } })
    await nothingIsLeft()
  })

  it.each([...strategies, 'count'] as const)(
    'nothing is left when its signal ends it before the database has answered (%s)',
    async (via) => {
      const controller = new AbortController()
      proxy.stall()
      const asked = db.fanOut(Entry).options({ signal: controller.signal })
      const reading = via === 'count' ? asked.count() : asked.via(via).limit(2000).all()
      const outcome = reading.catch((error: unknown) => error)
      for (let waited = 0; open() === 0 && waited < 1000; waited += 5) await delay(5)
      expect(open()).toBeGreaterThan(0)
      controller.abort()
      expect(await outcome).toMatchObject({ code: 'CANCELLED' })
      await nothingIsLeft()
      proxy.heal()
    },
  )

  it('nothing is left when all its shards are being read and none has answered', async () => {
    const controller = new AbortController()
    const reading = query.options({ signal: controller.signal }).all()
    const outcome = reading.catch((error: unknown) => error)
    // The answers of the shards take longer than all of them need to be asked.
    proxy.after(1, () => proxy.slow(2_000))
    await expect.poll(open, { timeout: 10_000, interval: 5 }).toBeGreaterThanOrEqual(SHARDS)
    controller.abort()
    expect(await outcome).toMatchObject({ code: 'CANCELLED' })
    await nothingIsLeft()
    proxy.heal()
  })

  it('nothing is left when its deadline passes', async () => {
    proxy.slow(50)
    const late = query.options({ deadline: 80 }).all()
    await expect(late).rejects.toMatchObject({
      code: 'DEADLINE',
      message: expect.stringContaining('The reading of Entry did not end within 80 ms'),
    })
    await nothingIsLeft()
    proxy.heal()
  })
})
