import { type CallOptions, defineSchema, defineTable } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { part } from '../part.js'
import { warningsDuring } from '../data/warnings.js'

const Note = defineTable('Note', (t) => ({
  shard: t.shardKey({ shards: 4, of: ['id'] }),
  at: t.timestamp().key(),
  id: t.int64().key(),
  text: t.string({ nullable: true }),
}))

/** Errors of calls: what becomes of one that is cancelled or late, that finds another row, or that the engine does not have. */
export const calls = part([], async ({ traits, database }) => {
  const { db } = await database(defineSchema([Note]))
  const at = new Date('2026-08-01T10:00:00.120Z')
  const there = { at, id: 1n, text: 'there' }
  await db.insert(Note, [there])

  const notes = db.fanOut(Note)
  const all: Readonly<Record<string, (options: CallOptions) => Promise<unknown>>> = {
    insert: (options) => db.insert(Note, [{ at, id: 2n }], options),
    update: (options) => db.update(Note, { at, id: 1n, text: 'changed' }, options),
    upsert: (options) => db.upsert(Note, [{ at, id: 1n, text: 'changed' }], options),
    delete: (options) => db.delete(Note, { at, id: 1n }, options),
    get: (options) => db.get(Note, there, options),
    all: (options) => notes.options(options).all(),
    page: (options) => notes.options(options).limit(1).page(),
    count: (options) => notes.options(options).count(),
  }

  describe.each(Object.entries(all))('%s() with a signal or a timeout', (_, call) => {
    it('throws CANCELLED when its signal is aborted', async () => {
      const controller = new AbortController()
      const reason = new Error('enough')
      controller.abort(reason)
      await expect(call({ signal: controller.signal })).rejects.toMatchObject({
        code: 'CANCELLED',
        cause: reason,
      })
    })

    it('throws TIMEOUT when timeoutMs is 0', async () => {
      await expect(call({ timeoutMs: 0 })).rejects.toMatchObject({ code: 'TIMEOUT' })
    })

    it('leaves the stored rows unchanged after CANCELLED and TIMEOUT', async () => {
      expect(await notes.all()).toMatchObject([there])
    })
  })

  it('many calls that share a signal cause no warning of Node', async () => {
    const { signal } = new AbortController()
    const rows = Array.from({ length: 20 }, (_, id) => ({ at, id: BigInt(100 + id), text: 'shared' }))
    const warnings = await warningsDuring(async () => {
      await db.insert(Note, rows, { signal, allowMultipleCommits: true })
      await Promise.all(rows.map((row) => db.get(Note, row, { signal })))
      await Promise.all(rows.map(() => notes.options({ signal }).limit(1).page()))
      await db.delete(Note, rows, { signal, allowMultipleCommits: true })
    })
    expect(warnings).toEqual([])
  })

  it('update() of a missing row throws NOT_FOUND with the key of the row', async () => {
    await expect(db.update(Note, { at, id: 40n, text: 'x' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
      table: 'Note',
      message: expect.stringContaining('40'),
      fix: 'Insert it; or use upsert for rows that may not be there.',
    })
  })

  it('insert() of an existing row throws ALREADY_EXISTS and suggests upsert', async () => {
    await expect(db.insert(Note, [{ ...there, text: 'other' }])).rejects.toMatchObject({
      code: 'ALREADY_EXISTS',
      table: 'Note',
      fix: 'Use upsert for rows that may be there.',
    })
  })

  const refused: readonly (readonly [what: string, has: boolean, call: () => Promise<unknown>])[] = [
    ['a transaction', traits.transactions, () => db.transaction(async () => {})],
    ['a read at a timestamp', traits.pastReads, () => db.get(Note, there, { at: { exactStaleness: 0 } })],
    [
      'an insert with conditional: false',
      traits.uncheckedWrites,
      () => db.insert(Note, [there], { conditional: false }),
    ],
  ]

  it.each(refused.filter(([, has]) => !has))(
    'a call throws UNSUPPORTED_FEATURE for %s on an engine without that feature',
    async (_, _has, call) => {
      await expect(call()).rejects.toMatchObject({ name: 'IsothermError', code: 'UNSUPPORTED_FEATURE' })
    },
  )
})
