import { compileDdl, defineSchema, defineTable, openDatabase } from '@isotherm/core'
import { startSpannerEmulator } from '@isotherm/spanner/local'
import { googlesql, spanner } from '@isotherm/spanner'
import { describe, expect, inject, it, onTestFinished, vi } from 'vitest'
import { watchCalls } from '../support/open-calls.js'
import { startProxy } from '../support/proxy.js'

const ROWS = 50
const MEGABYTE = 2 ** 20

/** Rows of almost a megabyte each, more than any buffer on the way holds. */
const Document = defineTable('Document', (t) => ({
  shard: t.shardKey({ shards: 7, of: ['id'] }),
  id: t.int64().key(),
  body: t.string(),
}))
const schema = defineSchema([Document])

const bodyOf = (id: bigint): string => `${id}:`.repeat(300_000)

async function documents() {
  const proxy = await startProxy(inject('spannerHost'))
  process.env['SPANNER_EMULATOR_HOST'] = proxy.host
  const engine = await startSpannerEmulator()
  const client = await engine.database({ ddl: compileDdl(schema, { dialect: googlesql }) })
  onTestFinished(async () => {
    // Behind a black hole, the client cannot close its sessions.
    if (!proxy.isLost) await engine.stop()
    await proxy.close()
  })
  const db = openDatabase({ driver: spanner(client), schema })
  const rows = Array.from({ length: ROWS }, (_, n) => ({ id: BigInt(n), body: bodyOf(BigInt(n)) }))
  await db.insert(Document, rows, { returning: false })
  const scan = await db.fanOut(Document).queryPartitions(2)
  // The emulator puts all rows into the last query partition.
  return { db, client, proxy, scan, part: scan.partitions.at(-1)! }
}

const calls = watchCalls()

/** A read that is not cancelled stays open forever: the engine waits until the client consumes the sent data. */
const WAIT = { timeout: 60_000, interval: 5 }
const nothingIsOpen = ({ host }: { readonly host: string }) =>
  expect.poll(() => calls.open(host), WAIT).toEqual([])

describe('the stream of a query partition', () => {
  it('is sent no faster than its rows are read, and does not block other calls', async () => {
    const { db, proxy, part, scan } = await documents()
    const before = proxy.received
    const rows = db.readQueryPartition(Document, part)
    const first = await rows.next()
    const ids = new Set([first.value!.id])
    // On the same connection, and often enough for the engine to send all rows if the client consumed them.
    const fresh = { id: 1000n, body: 'written meanwhile' }
    await db.insert(Document, [fresh], { returning: false })
    for (let times = 0; times < 50; times++) expect(await db.get(Document, fresh)).toMatchObject(fresh)
    expect(proxy.received - before).toBeLessThan((ROWS / 2) * MEGABYTE * 0.6)
    for await (const { id, body } of rows) {
      expect(body === bodyOf(id)).toBe(true)
      ids.add(id)
    }
    expect(ids.size).toBe(ROWS)
    await scan.close()
  })

  it('is cancelled when its reader stops early, and can be read again', async () => {
    const { db, client, proxy, part, scan } = await documents()
    const [sessions] = await client.getSessions()
    for await (const { id } of db.readQueryPartition(Document, part)) if (id !== undefined) break
    await nothingIsOpen(proxy)
    // The query partition can be read again.
    const ids = new Set<bigint>()
    for await (const { id } of db.readQueryPartition(Document, part)) ids.add(id)
    expect(ids.size).toBe(ROWS)
    await scan.close()
    const [left] = await client.getSessions()
    expect(left).toHaveLength(sessions.length - 1)
  })

  it('ends with CANCELLED and closes its call when its signal is aborted', async () => {
    const { db, client, proxy, part, scan } = await documents()
    const [sessions] = await client.getSessions()
    const controller = new AbortController()
    const rows = db.readQueryPartition(Document, part, { signal: controller.signal })
    await rows.next()
    controller.abort(new Error('enough'))
    await expect(rows.next()).rejects.toMatchObject({ code: 'CANCELLED', cause: { message: 'enough' } })
    await expect(rows.next()).resolves.toMatchObject({ done: true })
    await nothingIsOpen(proxy)
    expect(proxy.received).toBeLessThan(ROWS * MEGABYTE)
    await scan.close()
    const [left] = await client.getSessions()
    expect(left).toHaveLength(sessions.length - 1)
  })

  it('throws UNAVAILABLE when the connection breaks midway, and returns no row twice', async () => {
    const { db, proxy, part } = await documents()
    const ids: bigint[] = []
    const reading = (async () => {
      for await (const { id } of db.readQueryPartition(Document, part)) {
        ids.push(id)
        if (ids.length === 1) proxy.cut()
      }
    })()
    // The emulator sends no resume token.
    await expect(reading).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      retryable: true,
      message: expect.stringMatching(/^The query partition of Document broke off after \d+ rows/),
    })
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('starts again when the connection breaks before the first row', async () => {
    const { db, proxy, part } = await documents()
    const rows = db.readQueryPartition(Document, part)
    const first = rows.next()
    proxy.cut()
    await first
    let count = 1
    for await (const _ of rows) count++
    expect(count).toBe(ROWS)
  })

  it('throws TIMEOUT when the database stops answering', async () => {
    const { client, proxy, part } = await documents()
    const timeoutMs = 600_000
    const db = openDatabase({ driver: spanner(client, { timeoutMs }), schema })
    const rows = db.readQueryPartition(Document, part)
    await rows.next()
    proxy.blackHole()
    // From now on the timeout passes at once.
    const wait = globalThis.setTimeout
    const hurried = vi
      .spyOn(globalThis, 'setTimeout')
      .mockImplementation(((act: () => void, milliseconds?: number) =>
        wait(act, milliseconds === timeoutMs ? 0 : milliseconds)) as typeof setTimeout)
    const rest = (async () => {
      for await (const _ of rows);
    })()
    await expect(rest).rejects.toMatchObject({ code: 'TIMEOUT' })
    hurried.mockRestore()
    const late = db.readQueryPartition(Document, part, { timeoutMs: 100 })
    await expect(late.next()).rejects.toMatchObject({
      code: 'TIMEOUT',
      message: expect.stringContaining('within 100 ms'),
    })
  })
})
