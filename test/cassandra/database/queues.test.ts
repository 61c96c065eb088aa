import { defineSchema, defineTable, openDatabase, type Driver } from '@isotherm/core'
import { cassandra } from '@isotherm/cassandra'
import { Client } from 'cassandra-driver'
import { describe, expect, it } from 'vitest'
import { sharedCassandra } from '../../support/cassandra.js'
import { type PartitionWrites, partitionWrites } from '@isotherm/core/engine'
import { clientOptions, dialects, testKeyspace } from '../support/keyspace.js'

const Day = defineTable('Day', (t) => ({
  place: t.int32().key(),
  at: t.int32().key(),
  note: t.string({ nullable: true }),
}))
const schema = defineSchema([Day])

/** More clients of the same keyspace, connected. */
async function clientsLike({ keyspace }: Client, count: number): Promise<Client[]> {
  const { contactPoints, localDataCenter } = await sharedCassandra()
  const clients = Array.from(
    { length: count },
    () => new Client({ contactPoints: [...contactPoints], localDataCenter, keyspace, ...clientOptions }),
  )
  await Promise.all(clients.map((client) => client.connect()))
  return clients
}

/** The driver, and how many of its writes wait for their answers at once: of all, and of one partition. */
function counted(driver: Driver<undefined>) {
  const most = { all: 0, partition: 0, writes: 0 }
  const open = new Map<unknown, number>()
  const commit: PartitionWrites['commit'] = async (mutations, options) => {
    const [first] = mutations
    const place = first!.op === 'delete' ? undefined : first!.rows[0]![first!.columns.indexOf('place')]
    open.set(place, (open.get(place) ?? 0) + 1)
    most.writes++
    most.partition = Math.max(most.partition, ...open.values())
    most.all = Math.max(
      most.all,
      [...open.values()].reduce((sum, each) => sum + each, 0),
    )
    try {
      await driver.writes.commit(mutations, options)
    } finally {
      open.set(place, open.get(place)! - 1)
    }
  }
  const writes = partitionWrites({ name: driver.name, maxRows: 30, commit })
  return { most, driver: { ...driver, writes } }
}

describe.each(dialects)('eight clients in $name', async (dialect) => {
  const { client } = await testKeyspace(schema, dialect)

  it('insert into the same two partitions without losing a row', async () => {
    const clients = await clientsLike(client, 8)
    await Promise.all(
      clients.map(async (each, at) => {
        const db = openDatabase({ driver: cassandra(each, { dialect }), schema })
        const rows = Array.from({ length: 40 }, (_, row) => ({ place: row % 2, at: 100 * at + row }))
        await db.insert(Day, rows, { allowMultipleCommits: true })
        await each.shutdown()
      }),
    )
    const db = openDatabase({ driver: cassandra(client, { dialect }), schema })
    expect(
      await db
        .fanOut(Day)
        .where({ place: { in: [0, 1] } })
        .count(),
    ).toBe(320)
  })
})

describe.each(dialects)('1,000 conditional inserts with allowMultipleCommits in $name', async (dialect) => {
  const keyspace = await testKeyspace(schema, dialect)

  it.each([1, 2])(
    'write all rows into %i partitions, one row at a time in each partition',
    async (partitions) => {
      const { most, driver } = counted(keyspace.driver)
      const db = openDatabase({ driver, schema })
      const rows = Array.from({ length: 1_000 }, (_, at) => ({
        place: 10 * partitions + (at % partitions),
        at,
        note: 'x',
      }))
      const inserted = await db.insert(Day, rows, { allowMultipleCommits: true })
      expect(inserted.commits).toBe(1_000)
      expect(most).toEqual({ all: partitions, partition: 1, writes: 1_000 })
      const places = [...new Set(rows.map(({ place }) => place))]
      expect(
        await db
          .fanOut(Day)
          .where({ place: { in: places } })
          .count(),
      ).toBe(1_000)
      await expect(db.insert(Day, rows.slice(0, 3), { allowMultipleCommits: true })).rejects.toMatchObject({
        code: 'ALREADY_EXISTS',
      })
    },
  )
})
