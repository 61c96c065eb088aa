import { compileDdl, defineSchema, defineTable, openDatabase, type DialectName } from '@isotherm/core'
import { startSpannerEmulator, type SpannerEmulator } from '@isotherm/core/engines'
import { spanner } from '@isotherm/core/spanner'
import { afterAll, describe, expect, it } from 'vitest'
import { dialects } from '../support/spanner.js'

// An emulator that aborts commits at random, as production does now and then: whatever the writers go through, the readers
// see each row once, from its commit on.

const WRITERS = 3
const TRANSACTIONS = 20
const EACH = 5

const Note = defineTable('Note', (t) => ({
  shard: t.shardKey({ shards: 7, of: ['id'] }),
  at: t.timestamp().key(),
  id: t.int64().key(),
}))
const schema = defineSchema([Note])

let engine: Promise<SpannerEmulator> | undefined
afterAll(async () => (await engine)?.stop())

async function connected(dialect: DialectName) {
  engine ??= startSpannerEmulator({ faultInjection: true })
  const client = await (await engine).database({ dialect, ddl: compileDdl(schema, { dialect }) })
  return openDatabase({ driver: spanner(client), schema })
}

describe.each(dialects)('in %s, while commits are aborted at random, a fan-out', (dialect) => {
  it('sees all rows that were committed before it began, each once and in order', async () => {
    const db = await connected(dialect)
    const committed = new Set<bigint>()
    const begun = new Set<bigint>()
    let attempts = 0
    const write = async (writer: number): Promise<void> => {
      for (let turn = 0; turn < TRANSACTIONS; turn++) {
        const first = (turn * WRITERS + writer) * EACH
        const rows = Array.from({ length: EACH }, (_, at) => ({
          at: new Date(1000 * ((first + at) % 50)),
          id: BigInt(first + at),
        }))
        for (const { id } of rows) begun.add(id)
        await db.transaction(async (tx) => {
          attempts++
          await tx.insert(Note, rows)
        })
        for (const { id } of rows) committed.add(id)
      }
    }
    const ids = async (via: 'merge-shards' | 'probe-window' | 'read-ranges' | 'push-down') => {
      const before = [...committed]
      const found = await db.fanOut(Note).via(via).limit(10_000).all()
      const seen = new Set(found.map(({ id }) => id))
      expect(seen.size).toBe(found.length)
      expect(before.filter((id) => !seen.has(id))).toEqual([])
      expect([...seen].filter((id) => !begun.has(id))).toEqual([])
      const order = found.toSorted((a, b) => a.at.getTime() - b.at.getTime() || Number(a.id - b.id))
      expect(found).toEqual(order)
      return seen
    }
    const state = { isWriting: true }
    const writers = Array.from({ length: WRITERS }, (_, writer) => write(writer))
    const writing = Promise.all(writers).finally(() => (state.isWriting = false))
    let readings = 0
    while (state.isWriting) {
      for (const via of ['merge-shards', 'probe-window', 'read-ranges', 'push-down'] as const) await ids(via)
      readings++
    }
    await writing
    expect(readings).toBeGreaterThan(1)
    // Else no commit was aborted.
    expect(attempts).toBeGreaterThan(WRITERS * TRANSACTIONS)
    expect((await ids('merge-shards')).size).toBe(WRITERS * TRANSACTIONS * EACH)
  })
})
