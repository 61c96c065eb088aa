import { defineSchema, defineTable, openDatabase } from '@isotherm/core'
import { dualWrites } from '@isotherm/core/reshard'
import { describe, expect, it } from 'vitest'
import type { Mutation } from '../../src/engine/driver.js'
import { silentDriverWith } from '../support/silent-driver.js'

// A call writes the values that its rows have at the call: the caller can reuse a list or a row at once.

const Plain = defineTable('Plain', (t) => ({ id: t.int64().key(), note: t.string({ nullable: true }) }))
const numbers = { next: async () => 7n }
const Counted = defineTable('Counted', (t) => ({
  id: t.int64().key(),
  note: t.string({ nullable: true }),
  number: t.sequential({ from: numbers }),
}))
const Old = defineTable('Old', (t) => ({ id: t.int64().key(), note: t.string({ nullable: true }) }))
const Made = defineTable('Made', (t) => ({
  shard: t.shardKey({ shards: 4, of: ['id'] }),
  id: t.int64().key(),
  note: t.string({ nullable: true }),
}))

/** A row with plain properties and with a getter of a private field. */
class Visit {
  id = 1n
  shard = 1n
  readonly #note = 'computed'
  get note(): string {
    return this.#note
  }
}

function opened() {
  const sent: Mutation[] = []
  const driver = silentDriverWith({
    commit: async (mutations) => {
      sent.push(...mutations)
      return { commitTimestamp: new Date(0) }
    },
  })
  // A phase that has to be read first.
  const tables = dualWrites([{ from: Old, to: Made }])
  const db = openDatabase({ driver, schema: defineSchema([Plain, Counted, Old, Made]), tables })
  const rows = (): unknown[] =>
    sent.flatMap((each) =>
      each.op === 'delete'
        ? []
        : each.rows.map((row) => Object.fromEntries(row.map((wire, at) => [each.columns[at], wire]))),
    )
  const keys = (): unknown[] =>
    sent.flatMap((each) => (each.op === 'delete' ? each.keys : each.rows).map(([key]) => key))
  return { db, keys, rows }
}

describe.each([
  ['a table without counters and dual writes', Plain],
  ['a table with numbers from a counter', Counted],
  ['a table with dual writes', Old],
] as const)('a write to %s', (_, model) => {
  it.each(['insert', 'upsert', 'update', 'delete'] as const)(
    '%s uses the values that a row has at the call, even if the caller changes the row afterwards',
    async (method) => {
      const { db, keys } = opened()
      const row = { id: 1n, ...(method !== 'delete' && { note: 'x' }) }
      const rows = [row]
      const call = db[method](model as never, rows as never)
      row.id = 2n
      rows.length = 0
      await call
      expect(keys()).toEqual(['1'])
    },
  )
})

it('a transaction writes the values that a row has at each insert call', async () => {
  const { db } = opened()
  const returned: unknown[] = []
  await db.transaction(async (tx) => {
    const row = { id: 0n }
    const calls: Promise<unknown>[] = []
    for (row.id = 1n; row.id <= 3n; row.id++) calls.push(tx.insert(Plain, [row]))
    for (const each of await Promise.all(calls)) returned.push(each)
  })
  expect(returned).toEqual([1n, 2n, 3n].map((id) => [expect.objectContaining({ id })]))
})

it.each(['insert', 'upsert', 'update'] as const)(
  '%s writes the value of a getter of a class instance to a table with dual writes',
  async (method) => {
    const { db, rows } = opened()
    await db.ready()
    await db[method]('Old', [new Visit() as never])
    expect(rows()).toEqual([{ id: '1', note: 'computed' }])
  },
)
