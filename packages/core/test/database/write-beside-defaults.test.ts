import { defineSchema, defineTable, openDatabase, type Capability } from '@isotherm/core'
import { expect, it } from 'vitest'
import { silentDriver, silentDriverWith } from '../support/silent-driver.js'

const Item = defineTable('Item', (t) => ({
  id: t.bitReversedId(),
  text: t.string({ nullable: true }),
  count: t.int64({ default: 1n }),
}))
const schema = defineSchema([Item])

/** The calls that reach an engine, by what it lacks. */
function opened(lacks: readonly Capability[]) {
  const calls: string[] = []
  const driver = silentDriverWith({
    lacks,
    commit: async () => {
      calls.push('write')
      return { commitTimestamp: new Date(0) }
    },
    transaction: async (work, options) => {
      calls.push('transaction')
      return silentDriver.atomic.run(work, options)
    },
  })
  return { db: openDatabase({ driver, schema }), calls }
}

it('writes without a transaction on an engine that keeps what a mutation leaves out', async () => {
  const { db, calls } = opened([])
  await db.upsert(Item, [{ id: 1n, text: 'a' }])
  await db.update(Item, { id: 1n, text: 'a' })
  expect(calls).toEqual(['write', 'write'])
})

it('writes without a transaction where a mutation leaves out no default', async () => {
  const { db, calls } = opened(['write-beside-defaults'])
  await db.upsert(Item, [{ id: 1n, count: 2n }])
  await db.update(Item, { id: 1n, count: 2n })
  expect(calls).toEqual(['write', 'write'])
  await db.upsert(Item, [
    { id: 1n, count: 2n },
    { id: 2n, text: 'a' },
  ])
  expect(calls).toEqual(['write', 'write', 'transaction'])
})
