import { defineSchema, defineTable } from '@isotherm/core'
import { cql } from '@isotherm/cassandra'
import { expect, it } from 'vitest'
import { testKeyspace } from '../support/keyspace.js'

const schema = defineSchema([defineTable('item', (t) => ({ id: t.string().key(), size: t.int32() }))])

// A connection accepts 2,048 requests; for more, the client reports that no node is available.
it('the driver completes 3,000 concurrent writes and reads, more than one connection accepts at once', async () => {
  const { driver, layout } = await testKeyspace(schema, cql)
  const item = layout('item')
  const ids = Array.from({ length: 3_000 }, (_, at) => `${at}`)
  await Promise.all(
    ids.map((id) =>
      driver.writes.commit([
        { op: 'upsert', table: 'item', layout: item, columns: ['id', 'size'], rows: [[id, Number(id)]] },
      ]),
    ),
  )
  const read = await Promise.all(
    ids.map((id) => driver.read({ layout: item, columns: item.columns, keys: [[id]] })),
  )
  expect(read).toEqual(ids.map((id) => [[id, Number(id)]]))
})
