import { defineSchema, defineTable } from '@isotherm/core'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { fragileEngines } from '../../support/fragile-engines.js'

// A fan-out whose reader stops, or that is cancelled, leaves nothing behind: no borrowed session, no open call in the database, and
// no later call. The proxy holds back every answer from that moment, so that no call can end by itself.

const SHARDS = 64
const ROWS = 3000

const Entry = defineTable('Entry', (t) => ({
  shard: t.shardKey({ shards: SHARDS, of: ['source'] }),
  at: t.timestamp().key(),
  id: t.int64().key(),
  source: t.int64().key(),
  body: t.string(),
}))
const schema = defineSchema([Entry])
/** Half of the rows have one source, so that one shard is read in many chunks. */
const rows = Array.from({ length: ROWS }, (_, n) => ({
  at: new Date(n * 1000),
  id: BigInt(n),
  source: BigInt(n % 2 && n),
  body: `${n}:`.repeat(100),
}))

const WAIT = { timeout: 60_000, interval: 5 }

describe.each(fragileEngines)('a cancelled fan-out over 64 shards in $name', async ({ traits, fragile }) => {
  const { db, proxy, open, whenAsked, settled, close } = await fragile(schema)
  await db.insert(Entry, rows, { ...traits.unchecked, returning: false })
  afterEach(() => {
    proxy.heal()
  })
  afterAll(() => close())

  const nothingIsLeft = async (): Promise<void> => {
    let isAsked = false
    whenAsked('rows', () => (isAsked = true))
    expect(await settled()).toBe(0)
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
    expect(isAsked).toBe(false)
  }
  const query = db.fanOut(Entry).strategy('merge-shards')
  const { strategies } = traits

  it.each(strategies)(
    'leaves no open call and no session when its reader stops after the first row (%s)',
    async (strategy) => {
      for await (const { id } of db.fanOut(Entry).strategy(strategy).limit(2000)) {
        expect(id).toBe(0n)
        proxy.stall()
        break
      }
      await nothingIsLeft()
    },
  )

  it('leaves no open call and no session when its reader stops while rows are read ahead', async () => {
    let taken = 0
    let isReadingAhead = false
    for await (const { id } of query) {
      expect(id).toBe(BigInt(taken++))
      if (taken === 1)
        whenAsked('rows', () => {
          isReadingAhead = true
          proxy.stall()
        })
      // The second half of the first chunk of the long shard.
      if (taken < 1500) continue
      await expect.poll(() => isReadingAhead, WAIT).toBe(true)
      break
    }
    await nothingIsLeft()
  })

  it.each([1, 700, 2990])(
    'leaves no open call and no session when its signal is aborted after %s rows',
    async (many) => {
      const controller = new AbortController()
      let taken = 0
      const reading = (async () => {
        for await (const { id } of query.options({ signal: controller.signal })) {
          expect(id).toBe(BigInt(taken++))
          if (taken === many) {
            proxy.stall()
            controller.abort(new Error('enough'))
            // The reader is still busy with a row.
            await nothingIsLeft()
          }
        }
      })()
      await expect(reading).rejects.toMatchObject({ code: 'CANCELLED', cause: { message: 'enough' } })
      await nothingIsLeft()
    },
  )

  it.each([...strategies, 'count'] as const)(
    'leaves no open call and no session when its signal is aborted before the first answer (%s)',
    async (strategy) => {
      const controller = new AbortController()
      proxy.stall()
      const query = db.fanOut(Entry).options({ signal: controller.signal })
      const reading = strategy === 'count' ? query.count() : query.strategy(strategy).limit(2000).all()
      const outcome = reading.catch((error: unknown) => error)
      await expect.poll(open, WAIT).toBeGreaterThan(0)
      controller.abort()
      expect(await outcome).toMatchObject({ code: 'CANCELLED' })
      await nothingIsLeft()
    },
  )

  it('leaves no open call and no session when its signal is aborted while all 64 shards are read', async () => {
    // Cassandra prepares the statement here.
    for await (const { id } of query) if (id === 0n) break
    const controller = new AbortController()
    const reading = query.options({ signal: controller.signal }).all()
    const outcome = reading.catch((error: unknown) => error)
    whenAsked('rows', () => proxy.stall())
    await expect.poll(open, WAIT).toBeGreaterThanOrEqual(SHARDS)
    controller.abort()
    expect(await outcome).toMatchObject({ code: 'CANCELLED' })
    await nothingIsLeft()
  })

  it('leaves no open call and no session when its timeout passes', async () => {
    proxy.stall()
    const late = query.options({ timeoutMs: 80 }).all()
    await expect(late).rejects.toMatchObject({
      code: 'TIMEOUT',
      message: expect.stringContaining('Reading Entry did not end within 80 ms'),
    })
    await nothingIsLeft()
  })
})
