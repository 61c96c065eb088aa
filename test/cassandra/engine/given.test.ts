import { startCassandra } from '@isotherm/cassandra/local'
import { afterEach, expect, inject, it, vi } from 'vitest'
import { sharedCassandra } from '../../support/cassandra.js'

const items = ['CREATE TABLE item (id int PRIMARY KEY, name text)', 'CREATE INDEX ON item (name)']

afterEach(() => {
  vi.unstubAllEnvs()
})

it('the given Cassandra reports its launcher, contact points, data centre, size and version', async () => {
  const contactPoints = inject('cassandraContactPoints')
  const cassandra = await sharedCassandra()
  expect(cassandra).toMatchObject({
    launcher: 'given',
    contactPoints,
    localDataCenter: 'datacenter1',
    size: 1,
  })
  expect(cassandra.description).toMatch(/^Cassandra 5\.\S+ \(contact points \S+:\d+\)$/)
  expect(cassandra.node(1)).toMatchObject({ host: contactPoints[0], pid: undefined, running: true })
})

it('keyspace() creates a keyspace with tables, and client() opens a client for the keyspace', async () => {
  const cassandra = await sharedCassandra()
  const client = await cassandra.client(await cassandra.keyspace({ ddl: items }), {
    encoding: { useBigIntAsLong: true },
  })
  await client.execute('INSERT INTO item (id, name) VALUES (?, ?)', [1, 'one'], { prepare: true })
  const { rows } = await client.execute("SELECT id, CAST(id AS bigint) AS long FROM item WHERE name = 'one'")
  expect(rows.map((row) => ({ ...row }))).toEqual([{ id: 1, long: 1n }])
})

it('client() returns an instance of the Client class that users import from cassandra-driver', async () => {
  const { Client } = await import('cassandra-driver')
  expect(await (await sharedCassandra()).client()).toBeInstanceOf(Client)
})

it('startCassandra() uses CASSANDRA_CONTACT_POINTS, and stop() drops the keyspaces that it created', async () => {
  vi.stubEnv('CASSANDRA_CONTACT_POINTS', ` ${inject('cassandraContactPoints').join(' , ')},`)
  const cassandra = await startCassandra()
  expect(cassandra.launcher).toBe('given')
  const name = await cassandra.keyspace({ name: 'made_and_dropped' })
  expect(name).toBe('made_and_dropped')
  const client = await (await sharedCassandra()).client()
  const found = 'SELECT replication FROM system_schema.keyspaces WHERE keyspace_name = ?'
  const [made] = (await client.execute(found, [name])).rows
  expect(made?.get('replication')).toEqual({
    class: 'org.apache.cassandra.locator.NetworkTopologyStrategy',
    datacenter1: '1',
  })
  await Promise.all([cassandra.stop(), cassandra.stop()])
  expect((await client.execute(found, [name])).rowLength).toBe(0)
  await expect(cassandra.client()).rejects.toMatchObject({ code: 'ENGINE_UNAVAILABLE' })
  await expect(cassandra.node(1).start()).rejects.toMatchObject({ code: 'ENGINE_UNAVAILABLE' })
})

it('startCassandra() rejects the given contact points if more nodes are requested than they have', async () => {
  const contactPoints = inject('cassandraContactPoints')
  await expect(startCassandra({ nodes: 3, launchers: ['given'], contactPoints })).rejects.toMatchObject({
    code: 'ENGINE_UNAVAILABLE',
    message: expect.stringContaining(
      `- given: ${contactPoints.join()} has 1 node in datacenter1, but 3 were requested.`,
    ),
  })
  await using started = await startCassandra({ nodes: 1, launchers: ['given'], contactPoints })
  expect(started.size).toBe(1)
})

it('startCassandra() throws ENGINE_UNAVAILABLE if no given node is in the requested data centre', async () => {
  const contactPoints = inject('cassandraContactPoints')
  await expect(startCassandra({ contactPoints, localDataCenter: 'eu' })).rejects.toMatchObject({
    code: 'ENGINE_UNAVAILABLE',
    message: expect.stringContaining('has no node in the data centre eu: known is datacenter1.'),
  })
})

it('keyspace() and client() throw DATABASE for rejected statements, existing names and missing keyspaces', async () => {
  const made = (await sharedCassandra()).keyspace({ name: 'refused', ddl: ['CREATE NONSENSE'] })
  await expect(made).rejects.toMatchObject({
    code: 'DATABASE',
    message: expect.stringMatching(/^Keyspace refused could not be created: .*NONSENSE/),
    cause: expect.objectContaining({ name: 'ResponseError' }),
  })
  await expect((await sharedCassandra()).keyspace({ name: 'refused' })).rejects.toMatchObject({
    code: 'DATABASE',
  })
  await expect((await sharedCassandra()).client('nowhere')).rejects.toMatchObject({ code: 'DATABASE' })
})

it.each([
  { name: 'Upper' },
  { name: 'a'.repeat(49) },
  { name: '1st' },
  { replication: 0 },
  { replication: 2 },
])('keyspace() throws INVALID_VALUE for the options %o', async (options) => {
  await expect((await sharedCassandra()).keyspace(options)).rejects.toMatchObject({ code: 'INVALID_VALUE' })
})

it('node() numbers nodes from 1, and kill() and start() throw UNSUPPORTED_FEATURE for a given node', async () => {
  const cassandra = await sharedCassandra()
  expect(() => cassandra.node(0)).toThrow('There is no node 0. They are numbered from 1 to 1.')
  expect(() => cassandra.node(2)).toThrow('There is no node 2.')
  await expect(cassandra.node(1).kill()).rejects.toMatchObject({ code: 'UNSUPPORTED_FEATURE' })
  await expect(cassandra.node(1).start()).rejects.toMatchObject({ code: 'UNSUPPORTED_FEATURE' })
})
