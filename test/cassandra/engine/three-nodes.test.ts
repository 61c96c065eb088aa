import { existsSync } from 'node:fs'
import { startCassandra, type Cassandra } from '@isotherm/cassandra/local'
import { types, type Client } from 'cassandra-driver'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { folderOf, isAlive, isOpen } from '../../support/cassandra-processes.js'

const { localOne, localQuorum, all } = types.consistencies
const numbers = [1, 2, 3] as const
const ids = Array.from({ length: 30 }, (_, id) => id)
const items = ['CREATE TABLE item (id int PRIMARY KEY, name text)']
const insert = 'INSERT INTO item (id, name) VALUES (?, ?)'

let cassandra: Cassandra
let once: Client
let thrice: Client

beforeAll(async () => {
  cassandra = await startCassandra({ nodes: 3, launchers: ['java'] })
  once = await cassandra.client(await cassandra.keyspace({ replication: 1, ddl: items }))
  thrice = await cassandra.client(await cassandra.keyspace({ ddl: items }), {
    queryOptions: { consistency: localQuorum, isIdempotent: true, prepare: true },
  })
})
afterAll(() => cassandra?.stop())

async function idsAt(client: Client, consistency: types.consistencies): Promise<number[]> {
  const { rows } = await client.execute('SELECT id FROM item', [], { consistency })
  return rows.map((row) => Number(row.get('id'))).toSorted((a, b) => a - b)
}

function pidOf(number: number): number {
  const { pid, host } = cassandra.node(number)
  // 0 would be this very process and its group.
  if (pid === undefined) throw new Error(`${host} is not running`)
  return pid
}

it('three nodes form a ring of equal token ranges, and every node knows the ring', async () => {
  const port = cassandra.contactPoints[0]?.split(':')[1]
  expect(cassandra).toMatchObject({ launcher: 'java', size: 3, localDataCenter: 'datacenter1' })
  expect(cassandra.contactPoints).toEqual(numbers.map((number) => `127.0.0.${number}:${port}`))
  const hosts = once.hosts.values()
  expect(hosts.map(({ address }) => address).toSorted()).toEqual(cassandra.contactPoints)
  expect(new Set(numbers.map(pidOf)).size).toBe(3)
  const rings = await Promise.all(
    cassandra.contactPoints.map(async (host) => {
      const local = await once.execute('SELECT tokens FROM system.local', [], { host: hostOf(once, host) })
      const peers = await once.execute('SELECT tokens FROM system.peers', [], { host: hostOf(once, host) })
      return [...local.rows, ...peers.rows].flatMap((row) => row.get('tokens') as string[]).toSorted()
    }),
  )
  const even = ['-3074457345618258603', '-9223372036854775808', '3074457345618258602']
  expect(rings).toEqual([even, even, even])
})

function hostOf(client: Client, address: string): ReturnType<Client['hosts']['get']> {
  return client.hosts.get(address)
}

it('keyspaces store each row on all three nodes by default', async () => {
  const { keyspace } = thrice
  expect(thrice.metadata.keyspaces[keyspace]).toMatchObject({ strategyOptions: { datacenter1: '3' } })
  await thrice.execute(insert, [1, 'one'])
  expect(await idsAt(thrice, all)).toEqual([1])
})

describe('three nodes of which one is killed', () => {
  it('keep a quorum, and return all acknowledged rows after the killed node has restarted', async () => {
    const node = cassandra.node(2)
    const pid = pidOf(2)
    await Promise.all(
      ids.map((id) => once.execute(insert, [id, 'once'], { prepare: true, consistency: localOne })),
    )
    // With nothing in between: what the last of them wrote is a few milliseconds old.
    await node.kill()
    expect(node).toMatchObject({ pid: undefined, running: false })
    expect(await isOpen(node.host)).toBe(false)

    // Until the others have noticed, only reads of a key find their way around it at once.
    await thrice.execute(insert, [2, 'two'])
    for (const id of [1, 2]) {
      const found = await thrice.execute('SELECT name FROM item WHERE id = ?', [id])
      expect(found.rowLength).toBe(1)
    }

    await node.start()
    expect(node.running).toBe(true)
    expect(node.pid).not.toBe(pid)
    expect(await idsAt(thrice, all)).toEqual([1, 2])
    expect(await idsAt(once, localOne)).toEqual(ids)
    const its = await once.execute('SELECT id FROM item WHERE token(id) <= -3074457345618258603')
    expect(its.rowLength).toBeGreaterThan(0)
    await expect(node.start()).rejects.toMatchObject({ code: 'INVALID_VALUE' })
  })
})

describe('three nodes that are killed', () => {
  it('make client() throw ENGINE_UNAVAILABLE, and stop() removes their folder', async () => {
    const pids = numbers.map(pidOf)
    const folder = folderOf(pidOf(1))
    expect(existsSync(folder)).toBe(true)
    for (const pid of pids) process.kill(pid, 'SIGKILL')
    await expect.poll(() => numbers.some((number) => cassandra.node(number).running)).toBe(false)
    await expect(cassandra.client()).rejects.toMatchObject({
      code: 'ENGINE_UNAVAILABLE',
      message: expect.stringMatching(/is gone: 127\.0\.0\.1:\d+: it was ended by SIGKILL\./),
    })
    await cassandra.stop()
    expect(pids.some(isAlive)).toBe(false)
    expect(existsSync(folder)).toBe(false)
  })
})
