import { defineSchema, defineTable, openDatabase, type Capability } from '@isotherm/core'
import { expect, it } from 'vitest'
import { silentDriver, silentDriverWith } from '../support/silent-driver.js'

const Item = defineTable('Item', (t) => ({
  id: t.bitReversedId(),
  text: t.string({ nullable: true }),
  count: t.int64({ default: 1n }),
}))
const schema = defineSchema([Item])

/** The calls that reach an engine that lacks the given capabilities. */
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

it('upsert() and update() write without a transaction on an engine that keeps columns with a default outside the mutation', async () => {
  const { db, calls } = opened([])
  await db.upsert(Item, [{ id: 1n, text: 'a' }])
  await db.update(Item, { id: 1n, text: 'a' })
  expect(calls).toEqual(['write', 'write'])
})

it('upsert() and update() use a transaction only if a mutation leaves out a column with a default', async () => {
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
