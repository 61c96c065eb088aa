import { defineSchema, defineTable } from '@isotherm/core'
import { cql } from '@isotherm/cassandra'
import { expect, it } from 'vitest'
import type { Mutation, ReadRequest } from '@isotherm/core/engine'
import { sampledDialects, testKeyspace, type TestKeyspace } from '../support/keyspace.js'

// Pages of the client are of up to 5,000 rows. Pages without rows that are not the last come from Keyspaces, and its server of
// ours (test/cassandra/keyspaces); those at the end come from any node.

const Item = defineTable('item', (t) => ({
  list: t.string().key(),
  place: t.int32().key(),
  text: t.string({ nullable: true }),
}))
const schema = defineSchema([Item])

function written(keyspace: TestKeyspace, list: string, places: readonly number[]): Mutation {
  const layout = keyspace.layout('item')
  return {
    op: 'upsert',
    table: 'item',
    layout,
    columns: ['list', 'place', 'text'],
    rows: places.map((place) => [list, place, null]),
  }
}

async function fill(keyspace: TestKeyspace, list: string, count: number): Promise<void> {
  for (let from = 0; from < count; from += 30) {
    const places = Array.from({ length: Math.min(30, count - from) }, (_, at) => from + at)
    await keyspace.driver.writes.commit([written(keyspace, list, places)])
  }
}

function wholeOf(keyspace: TestKeyspace, list: string, limit?: number): ReadRequest {
  const layout = keyspace.layout('item')
  const range = { start: [list], startOpen: false, end: [list], endOpen: false }
  return { layout, columns: [layout.columns[1]!], ranges: [range], ...(limit !== undefined && { limit }) }
}

it.each(sampledDialects)(
  'read() returns a partition of several pages in $name, whole or up to a limit',
  async (dialect) => {
    const keyspace = await testKeyspace(schema, dialect)
    await fill(keyspace, 'long', 5_010)
    const all = await keyspace.driver.read(wholeOf(keyspace, 'long'))
    expect(all).toEqual(Array.from({ length: 5_010 }, (_, at) => [at]))
    const counts = []
    for (const limit of [0, 1, 4_999, 5_000, 5_001, 5_010, 6_000]) {
      counts.push((await keyspace.driver.read(wholeOf(keyspace, 'long', limit))).length)
    }
    expect(counts).toEqual([0, 1, 4_999, 5_000, 5_001, 5_010, 5_010])
  },
)

it('read() returns exactly 5,000 rows if the last page is full', async () => {
  const keyspace = await testKeyspace(schema, cql)
  await fill(keyspace, 'even', 5_000)
  expect(await keyspace.driver.read(wholeOf(keyspace, 'even'))).toHaveLength(5_000)
})

it('read() finds the only row that remains behind 599 deleted rows', async () => {
  const keyspace = await testKeyspace(schema, cql)
  await fill(keyspace, 'left', 600)
  await keyspace.driver.run({
    text: `DELETE FROM "item" WHERE "list" = 'left' AND "place" < 599`,
    parameters: [],
  })
  expect(await keyspace.driver.read(wholeOf(keyspace, 'left', 1))).toEqual([[599]])
  expect(await keyspace.driver.read(wholeOf(keyspace, 'left'))).toEqual([[599]])
  expect(await keyspace.driver.read(wholeOf(keyspace, 'none'))).toEqual([])
})
