import { deepStrictEqual } from 'node:assert'
import {
  Column,
  compileDdl,
  defineSchema,
  DescTimestamp,
  Key,
  openDatabase,
  ShardKey,
  Table,
  UuidV4,
  type Database,
  type Generated,
} from '@isotherm/core'
import { cassandra, cql } from '@isotherm/cassandra'
import { Client, types } from 'cassandra-driver'
import type { Benchmark, BenchmarkContext } from './benchmark.js'
import { CountingDriver } from './counting-driver.js'
import { compare, type Comparison } from './harness.js'
import { slowAddressOf } from './slow-network.js'

const SHARDS = 200
const ROWS = 60_000
const PAGE = 100
const DAY = '2026-11-22'
/** Milliseconds that the network adds, in each direction. */
const DELAY = 5

@Table('post', { partitionKey: ['publishDate', 'shard'] })
class Post {
  @Key() @Column.date({ name: 'publish_date' }) publishDate!: string
  @ShardKey({ strategy: 'random', shards: SHARDS, first: 1 }) shard!: Generated<bigint>
  @DescTimestamp({ name: 'published_at' }) publishedAt!: Date
  @UuidV4() id!: Generated<string>
  @Column.string() title!: string
  @Column.string() body!: string
}

const schema = defineSchema([Post])

export const cassandraNewest: Benchmark = {
  name: 'cassandra-newest',
  title: `newest ${PAGE} of a day in ${SHARDS} partitions on Cassandra, ${DELAY} ms away: fanOut().page() against queries by hand`,
  async run(context) {
    const near = await loaded(context)
    const address = await slowAddressOf(near.address, DELAY)
    const client = await clientAt(address.port, near)
    try {
      return await measured(client)
    } finally {
      await client.shutdown()
      await address.close()
    }
  },
}

async function measured(client: Client): Promise<Comparison[]> {
  const db = openDatabase({ driver: cassandra(client, { dialect: cql }), schema })
  const fetched = await rowsFetched(client)
  const byHand = await concurrently(client)
  const ours = (await pageOf(db)).map(({ id }) => id)
  for (const rows of [byHand.rows, await oneAfterAnother(client)]) {
    deepStrictEqual(
      ours,
      rows.map(({ id }) => id),
      'All read the same.',
    )
  }
  const max = byHand.fetched / 10
  const met = fetched.at(-1)! <= max ? 'met' : 'MISSED'
  const shared = { per: 'page', operations: 1, turns: 1 } as const
  const concurrent = await compare({
    ...shared,
    name: `${SHARDS} queries at once by hand, limit ${PAGE} each`,
    rounds: 41,
    warmUp: 10,
    targets: { wall: 1.1 },
    raw: () => concurrently(client),
    ours: () => pageOf(db),
  })
  const sequential = await compare({
    ...shared,
    name: `${SHARDS} queries one after another by hand`,
    rounds: 7,
    warmUp: 1,
    targets: { wall: 0.1 },
    raw: () => oneAfterAnother(client),
    ours: () => pageOf(db),
  })
  const note =
    `rows fetched: by hand ${byHand.fetched}, ours ${fetched[50]} (median of ${fetched.length} pages), ` +
    `${fetched.at(-1)} (most); at most ${max}: ${met}`
  return [{ ...concurrent, notes: [note] }, sequential]
}

interface Loaded {
  readonly address: string
  readonly localDataCenter: string
  readonly keyspace: string
}

async function loaded(context: BenchmarkContext): Promise<Loaded> {
  const engine = await context.cassandra()
  const keyspace = await engine.keyspace({ ddl: compileDdl(schema, { dialect: cql }) })
  const client = await engine.client(keyspace, { encoding: { useBigIntAsLong: true } })
  const db = openDatabase({ driver: cassandra(client, { dialect: cql }), schema })
  const midnight = Date.parse(`${DAY}T00:00:00Z`)
  for (let from = 0; from < ROWS; from += 1_000) {
    const posts = Array.from({ length: 1_000 }, (_, at) => ({
      publishDate: DAY,
      publishedAt: new Date(midnight + (from + at) * 1_000),
      title: `Post ${from + at}`,
      body: 'What there is to say. '.repeat(20),
    }))
    await db.insert(Post, posts, { allowMultipleCommits: true })
    context.progress('rows written', from + 1_000, ROWS)
  }
  await client.shutdown()
  return { address: engine.contactPoints[0]!, localDataCenter: engine.localDataCenter, keyspace }
}

async function clientAt(port: number, { localDataCenter, keyspace }: Loaded): Promise<Client> {
  const client = new Client({
    contactPoints: [`127.0.0.1:${port}`],
    protocolOptions: { port },
    localDataCenter,
    keyspace,
    encoding: { useBigIntAsLong: true },
  })
  await client.connect()
  return client
}

async function pageOf(db: Database): Promise<Post[]> {
  const { rows } = await db
    .fanOut(Post)
    .where({ publishDate: DAY })
    .orderBy('publishedAt', 'desc')
    .limit(PAGE)
    .page()
  return rows
}

const SELECT =
  'SELECT publish_date, shard, published_at, id, title, body FROM post WHERE publish_date = ? AND shard = ? LIMIT ?'
const OPTIONS = {
  prepare: true,
  isIdempotent: true,
  fetchSize: PAGE,
  consistency: types.consistencies.localQuorum,
}

async function ofShard(client: Client, shard: number): Promise<types.Row[]> {
  const { rows } = await client.execute(SELECT, [DAY, shard, PAGE], OPTIONS)
  return rows
}

/** All partitions at once: what a careful user writes. */
async function concurrently(client: Client): Promise<{ readonly rows: Post[]; readonly fetched: number }> {
  const found = await Promise.all(Array.from({ length: SHARDS }, (_, at) => ofShard(client, at + 1)))
  const all = found.flat()
  return { rows: newest(all), fetched: all.length }
}

/** The loop over the shards that is commonly advised. */
async function oneAfterAnother(client: Client): Promise<Post[]> {
  const all: types.Row[] = []
  for (let shard = 1; shard <= SHARDS; shard++) all.push(...(await ofShard(client, shard)))
  return newest(all)
}

function newest(rows: readonly types.Row[]): Post[] {
  return rows
    .toSorted((a, b) => timeOf(b) - timeOf(a) || (String(a['id']) < String(b['id']) ? -1 : 1))
    .slice(0, PAGE)
    .map((row) => ({
      publishDate: String(row['publish_date']),
      shard: BigInt(row['shard'] as number),
      publishedAt: row['published_at'] as Date,
      id: String(row['id']),
      title: row['title'] as string,
      body: row['body'] as string,
    }))
}

function timeOf(row: types.Row): number {
  return (row['published_at'] as Date).getTime()
}

/** Of many pages, ascending. */
async function rowsFetched(client: Client): Promise<number[]> {
  const fetched: number[] = []
  for (let page = 0; page < 101; page++) {
    const counter = new CountingDriver(cassandra(client, { dialect: cql }))
    await pageOf(openDatabase({ driver: counter.driver, schema }))
    fetched.push(counter.rows)
  }
  return fetched.toSorted((a, b) => a - b)
}
