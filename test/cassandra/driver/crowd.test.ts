import { defineSchema, defineTable } from '@isotherm/core'
import { cql } from '@isotherm/cassandra'
import { expect, it } from 'vitest'
import { testKeyspace } from '../support/keyspace.js'

const schema = defineSchema([defineTable('item', (t) => ({ id: t.string().key(), size: t.int32() }))])

// A connection takes 2,048 requests, and the client says of more that no node is there.
it('waits with what is more than a connection takes at once', async () => {
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
