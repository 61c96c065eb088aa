import { writeFile } from 'node:fs/promises'
import { compileDdl } from '@isotherm/core'
import { cql } from '@isotherm/cassandra'
import { startCassandra, type Cassandra } from '@isotherm/cassandra/local'
import type { Client } from 'cassandra-driver'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openCluster, readWhileKilled, titlesOf, Writers } from './faults.js'
import { drawingOf } from './write-load-drawing.js'
import { countsOfNodes, loadOfNodes, loadTable, shareOfBusiest, type View } from './write-load.js'
import { DAY, Sharded, Unsharded, schema } from './models.js'

// Three nodes: where the writes of a day go, and what is left of them when one node is killed.

const ROWS = 200_000

let engine: Cassandra
beforeAll(async () => {
  engine = await startCassandra({ nodes: 3, launchers: ['java'] })
})
afterAll(() => engine?.stop())

async function clientOf(replication: number): Promise<Client> {
  const ddl = compileDdl(schema, { dialect: cql })
  return engine.client(await engine.keyspace({ replication, ddl }), { encoding: { useBigIntAsLong: true } })
}

function missing(acknowledged: readonly string[], found: readonly string[]): string[] {
  const there = new Set(found)
  return acknowledged.filter((title) => !there.has(title))
}

it('rows of one day fill one partition on one node without a shard, and all nodes with 200 shards', async () => {
  const client = await clientOf(1)
  const hot = await loadOfNodes(engine, client, Unsharded, ROWS)
  const even = await loadOfNodes(engine, client, Sharded, ROWS)
  console.log(`${ROWS.toLocaleString('en')} rows of one day\n${loadTable([hot, even])}`)
  const drawing = process.env['ISOTHERM_DRAW_WRITE_LOAD']
  if (drawing !== undefined) await writeFile(drawing, drawingOf([hot, even]))

  expect(hot.partitions).toEqual([ROWS])
  expect(shareOfBusiest(hot.nodes)).toBe(1)
  expect(even.partitions).toHaveLength(200)
  expect(even.partitions.reduce((sum, rows) => sum + rows, 0)).toBe(ROWS)
  // 1,000 rows are to be expected, give or take 32: no partition is 8 such deviations away.
  expect(even.partitions[0]).toBeLessThan(1_250)
  expect(even.partitions.at(-1)).toBeGreaterThan(750)
  // A node has as many of 200 partitions as the hash of their keys gives it: 67, give or take 7.
  expect(shareOfBusiest(even.nodes)).toBeLessThan(0.5)
})

it('the client sends each write and each read to a node that stores the partition', async () => {
  const client = await clientOf(1)
  const db = openCluster(client)
  const rows = Array.from({ length: 1_000 }, (_, at) => ({
    publishDate: DAY,
    publishedAt: new Date(at),
    title: `${at}`,
  }))
  await db.insert(Sharded, rows, { allowMultipleCommits: true })
  await db.fanOut(Sharded).where({ publishDate: DAY }).orderBy('publishedAt', 'desc').limit(100).page()
  const counts = (view: View): Promise<number[]> => countsOfNodes(engine, client, { view, table: 'sharded' })
  const writes = await counts('local_write_latency')
  expect(Math.min(...writes)).toBeGreaterThan(0)
  // At replication 1 a node that is asked for what another has would count it as the coordinator alone.
  expect(await counts('coordinator_write_latency')).toEqual(writes)
  const reads = await counts('local_read_latency')
  expect(reads.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(200)
  expect(await counts('coordinator_read_latency')).toEqual(reads)
})

describe('a cluster at replication 3 with a killed node', () => {
  it('keeps every acknowledged write, also after the node has restarted', async () => {
    const db = openCluster(await clientOf(3))
    const writers = new Writers(db, 16)
    await writers.more(500)
    await engine.node(3).kill()
    await writers.more(2_000)
    const { acknowledged, errors } = await writers.stop()
    console.log(
      `${acknowledged.length} writes acknowledged, ${errors.length} failed by name: ${[...new Set(errors)].join(', ')}`,
    )
    const found = await titlesOf(db)
    expect(new Set(found).size).toBe(found.length)
    expect(missing(acknowledged, found)).toEqual([])
    expect(new Set(errors)).toBeOneOf([new Set(), new Set(['UNAVAILABLE'])])

    // Once it is back, it has been told what it missed, or the other two outvote it.
    await engine.node(3).start()
    expect(missing(acknowledged, await titlesOf(db))).toEqual([])
  })

  it('returns all rows of a fan-out once and in order if the node is killed during the read', async () => {
    const db = openCluster(await clientOf(3))
    const noon = Date.parse(`${DAY}T12:00:00Z`)
    const rows = Array.from({ length: 20_000 }, (_, at) => ({
      publishDate: DAY,
      publishedAt: new Date(noon - at),
      title: `Post ${at}`,
    }))
    await db.insert(Sharded, rows, { allowMultipleCommits: true })
    const titles = await readWhileKilled(db, engine, 2)
    expect(titles).toEqual(rows.map(({ title }) => title))
    await engine.node(2).start()
  })
})
