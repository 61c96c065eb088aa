import { defineSchema, defineTable, openDatabase } from '@isotherm/core'
import { expect, it } from 'vitest'
import { dialects, testKeyspace } from './support/keyspace.js'

const Post = defineTable(
  'post',
  (t) => ({
    publishDate: t.date({ name: 'publish_date' }).key(),
    shard: t.shardKey({ strategy: 'random', shards: 200, first: 1 }),
    publishedAt: t.descTimestamp({ name: 'published_at', default: 'now' }),
    id: t.uuidV4(),
    title: t.string({ nullable: true }),
  }),
  { partitionKey: ['publishDate', 'shard'] },
)
const schema = defineSchema([Post])

it.each(dialects)('insert() writes a row in $name, and get() returns the row', async (dialect) => {
  const { driver } = await testKeyspace(schema, dialect)
  const db = openDatabase({ driver, schema })
  const [row] = await db.insert(Post, [{ publishDate: '2026-11-22', title: 'a' }])
  expect(row).toMatchObject({ publishDate: '2026-11-22', title: 'a' })
  expect(await db.get(Post, row!)).toEqual(row)
  expect(await db.get(Post, { ...row!, id: '936da01f-9abd-4d9d-80c7-02af85c822a8' })).toBeUndefined()
})
