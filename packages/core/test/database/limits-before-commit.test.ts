import { defineSchema, defineTable, openDatabase, type CallOptions, type Driver } from '@isotherm/core'
import { dualWrites } from '@isotherm/core/reshard'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { CommitOptions, Mutation } from '../../src/engine/driver.js'
import { silentDriverWith } from '../support/silent-driver.js'

// The timeout and the signal of a call also apply to the waits before the database reads or writes.

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A table with a counter that answers after so many milliseconds, and the commits. */
function counted(milliseconds: number) {
  const counts: number[] = []
  const take = (count: number): Promise<bigint[]> => {
    counts.push(count)
    return new Promise((resolve) => setTimeout(() => resolve(Array<bigint>(count).fill(7n)), milliseconds))
  }
  const counter = { take, next: async () => (await take(1))[0]! }
  const table = defineTable('Order', (t) => ({ id: t.uuidV4(), number: t.sequential({ from: counter }) }))
  const commits: { readonly mutations: readonly Mutation[]; readonly options: CommitOptions }[] = []
  const driver = silentDriverWith({
    commit: async (mutations, options = {}) => {
      commits.push({ mutations, options })
      return { commitTimestamp: new Date(0) }
    },
  })
  const db = openDatabase({ driver, schema: defineSchema([table]) })
  const insert = (options: CommitOptions) => db.insert(table, [{}], { ...options, returning: false })
  return { insert, commits, counts }
}

const settled = <T>(work: Promise<T>): Promise<PromiseSettledResult<T>> =>
  Promise.allSettled([work]).then(([outcome]) => outcome)

describe('an insert that waits for the number of a counter', () => {
  it('fails with TIMEOUT at timeoutMs, and commits nothing when the number arrives later', async () => {
    const { insert, commits } = counted(1_500)
    const inserted = settled(insert({ timeoutMs: 100 }))
    await vi.advanceTimersByTimeAsync(100)
    expect(await inserted).toMatchObject({
      reason: {
        code: 'TIMEOUT',
        message: expect.stringContaining('The numbers for Order.number did not arrive within 100 ms.'),
      },
    })
    await vi.advanceTimersByTimeAsync(1_400)
    expect(commits).toEqual([])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('fails with CANCELLED when its signal aborts, and commits nothing', async () => {
    const { insert, commits } = counted(1_500)
    const controller = new AbortController()
    const inserted = settled(insert({ signal: controller.signal }))
    await vi.advanceTimersByTimeAsync(200)
    controller.abort(new Error('Enough.'))
    expect(await inserted).toMatchObject({ reason: { code: 'CANCELLED', cause: { message: 'Enough.' } } })
    await vi.advanceTimersByTimeAsync(1_300)
    expect(commits).toEqual([])
  })

  it('does not request a number if its signal is already aborted', async () => {
    const { insert, counts } = counted(0)
    await expect(insert({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'CANCELLED' })
    expect(counts).toEqual([])
  })

  it('passes the rest of timeoutMs to the commit', async () => {
    const { insert, commits } = counted(60)
    const inserted = insert({ timeoutMs: 100 })
    await vi.advanceTimersByTimeAsync(60)
    await inserted
    expect(commits.map(({ options }) => options.timeoutMs)).toEqual([40])
  })

  it('waits an hour for the number if the call has no timeout', async () => {
    const { insert, commits } = counted(3_600_000)
    const inserted = insert({})
    await vi.advanceTimersByTimeAsync(3_600_000)
    await inserted
    expect(commits).toHaveLength(1)
  })
})

/** A table during a reshard, on a database that answers the query for the phase when `answer` is called. */
function resharded() {
  const from = defineTable('Old', (t) => ({ id: t.int64().key(), note: t.string({ nullable: true }) }))
  const to = defineTable('Made', (t) => ({
    shard: t.shardKey({ shards: 4, of: ['id'] }),
    id: t.int64().key(),
    note: t.string({ nullable: true }),
  }))
  let commits = 0
  const silent = silentDriverWith({
    commit: async () => {
      commits++
      return { commitTimestamp: new Date(0) }
    },
  })
  const answers: (() => void)[] = []
  const read: Driver['read'] = () => new Promise((resolve) => answers.push(() => resolve([])))
  const db = openDatabase({
    driver: { ...silent, read },
    schema: defineSchema([from, to]),
    tables: dualWrites([{ from, to }]),
  })
  return { db, from, answers, commits: () => commits }
}

type Call = (own: ReturnType<typeof resharded>, options: CallOptions) => Promise<unknown>

describe('a call that waits for the phase of a reshard', () => {
  const row = { id: 1n }
  const calls: Readonly<Record<string, Call>> = {
    insert: ({ db, from }, options) => db.insert(from, [row], options),
    update: ({ db, from }, options) => db.update(from, { ...row, note: 'a' }, options),
    get: ({ db, from }, options) => db.get(from, row, options),
    transaction: ({ db }, options) => db.transaction(async () => {}, options),
    ready: ({ db }, options) => db.ready(options),
  }

  it.each(Object.entries(calls))(
    'fails with TIMEOUT at timeoutMs and with CANCELLED when its signal aborts: %s',
    async (_, call) => {
      const own = resharded()
      const controller = new AbortController()
      const late = settled(call(own, { timeoutMs: 100 }))
      const ended = settled(call(own, { signal: controller.signal }))
      const patient = settled(call(own, {}))
      await vi.advanceTimersByTimeAsync(100)
      controller.abort()
      expect(await late).toMatchObject({
        reason: {
          code: 'TIMEOUT',
          message: expect.stringContaining('The phases of Old did not arrive within 100 ms.'),
        },
      })
      expect(await ended).toMatchObject({ reason: { code: 'CANCELLED' } })
      expect(own.commits()).toBe(0)
      // All calls wait for the same answer; only the call without a limit still waits.
      expect(own.answers).toHaveLength(1)
      own.answers[0]!()
      await vi.advanceTimersByTimeAsync(0)
      for (const answer of own.answers.slice(1)) answer()
      expect(await patient).toMatchObject({ status: 'fulfilled' })
    },
  )
})
