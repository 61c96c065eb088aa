import {
  Column,
  DescTimestamp,
  Key,
  openDatabase,
  ShardKey,
  Table,
  UuidV4,
  defineSchema,
} from '@isotherm/core'
import type { Database, Driver, Generated } from '@isotherm/core'
import { cassandra, cql } from '@isotherm/cassandra'
import { Client } from 'cassandra-driver'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sharedCassandra } from '../../support/cassandra.js'
import { startProxy, type Proxy } from '../../support/proxy.js'
import { clientOptions, testKeyspace } from '../support/keyspace.js'

// What the newest rows of a day cost over a network that takes its time: how many calls one after another, how many rows. What
// that takes is for the benchmark to say.

const DAY = '2026-11-22'
const SHARDS = 200
const ROWS = 20_000
const PAGE = 100
/** Milliseconds that the network adds, in each direction. */
const DELAY = 5

@Table('post', { partitionKey: ['publishDate', 'shard'] })
class Post {
  @Key() @Column.date({ name: 'publish_date' }) publishDate!: string
  @ShardKey({ strategy: 'random', shards: SHARDS, first: 1 }) shard!: Generated<bigint>
  @DescTimestamp({ name: 'published_at' }) publishedAt!: Date
  @UuidV4() id!: Generated<string>
  @Column.string() title!: string
}

const schema = defineSchema([Post])
let proxy: Proxy
let client: Client
let driver: Driver<undefined>

beforeAll(async () => {
  const near = await testKeyspace(schema, cql)
  const midnight = Date.parse(`${DAY}T00:00:00Z`)
  const posts = Array.from({ length: ROWS }, (_, at) => ({
    publishDate: DAY,
    publishedAt: new Date(midnight + at * 4_000),
    title: `Post ${at}`,
  }))
  await openDatabase({ driver: near.driver, schema }).insert(Post, posts, { allowMultipleCommits: true })
  const { contactPoints, localDataCenter } = await sharedCassandra()
  proxy = await startProxy(contactPoints[0]!)
  proxy.slow(DELAY)
  client = new Client({
    ...clientOptions,
    contactPoints: [proxy.host],
    protocolOptions: { port: Number(proxy.host.split(':')[1]) },
    localDataCenter,
    keyspace: near.client.keyspace,
  })
  await client.connect()
  driver = cassandra(client, { dialect: cql })
})
afterAll(async () => {
  await client?.shutdown()
  await proxy?.close()
})

/** A database that knows how many reads it has made, how many of them at once, and how many rows came of them. */
function counted(): { db: Database; reads: number; atOnce: number; rows: number } {
  let open = 0
  const counts = {
    reads: 0,
    atOnce: 0,
    rows: 0,
    db: openDatabase({
      schema,
      driver: {
        ...driver,
        read: async (request, options) => {
          counts.reads++
          counts.atOnce = Math.max(counts.atOnce, ++open)
          try {
            const cells = await driver.read(request, options)
            counts.rows += cells.length
            return cells
          } finally {
            open--
          }
        },
      },
    }),
  }
  return counts
}

it('the newest 100 rows take one parallel read of each shard and at most a tenth of the rows of full pages', async () => {
  const counts = counted()
  const query = counts.db.fanOut(Post).where({ publishDate: DAY }).orderBy('publishedAt', 'desc').limit(PAGE)
  const { rows } = await query.page()
  expect(rows.map(({ title }) => title)).toEqual(
    Array.from({ length: PAGE }, (_, at) => `Post ${ROWS - 1 - at}`),
  )
  expect(counts.atOnce).toBe(SHARDS)
  // A second read of a partition is rare, and more than a few of them do not happen.
  expect(counts.reads).toBeLessThan(SHARDS + 5)
  expect(counts.rows).toBeLessThanOrEqual((SHARDS * PAGE) / 10)
})

it('pages of the newest rows contain each row once, in order', async () => {
  const { db } = counted()
  const query = db.fanOut(Post).where({ publishDate: DAY }).orderBy('publishedAt', 'desc').limit(2_000)
  const titles: string[] = []
  let cursor: string | undefined
  do {
    const page = await query.after(cursor).page()
    titles.push(...page.rows.map(({ title }) => title))
    cursor = page.next
  } while (cursor !== undefined)
  expect(titles).toEqual(Array.from({ length: ROWS }, (_, at) => `Post ${ROWS - 1 - at}`))
})
