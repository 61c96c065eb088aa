// Runs only where there is a Docker engine that has, or can pull, the image: see test/docker/with-docker.sh.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startCassandra } from '@isotherm/cassandra/local'
import type { Cassandra } from '@isotherm/cassandra/local'
import { isOpen } from '../../../core/test/local/support/processes.js'
import { until } from '../../../core/test/local/support/until.js'

const launchers = ['docker'] as const
let cassandra: Cassandra

beforeAll(async () => {
  cassandra = await startCassandra({ launchers })
}, 300_000)
afterAll(() => cassandra?.stop())

it('startCassandra() with Docker describes the image, the size and the host', () => {
  const [host] = cassandra.contactPoints
  expect(cassandra).toMatchObject({
    launcher: 'docker',
    size: 1,
    localDataCenter: 'datacenter1',
    description: `Cassandra (Docker image cassandra:5, ${host})`,
  })
  expect(cassandra.node(1)).toMatchObject({ host, pid: undefined, running: true })
})

it('startCassandra() with Docker serves a keyspace to its own clients and to other clients', async () => {
  const keyspace = await cassandra.keyspace({ ddl: ['CREATE TABLE item (id int PRIMARY KEY, name text)'] })
  const client = await cassandra.client(keyspace)
  await client.execute('INSERT INTO item (id, name) VALUES (?, ?)', [1, 'one'], { prepare: true })
  const { rows } = await client.execute('SELECT name FROM item WHERE id = ?', [1], { prepare: true })
  expect(rows.map((row) => String(row['name']))).toEqual(['one'])

  const existing = await startCassandra({ launchers: ['given'], contactPoints: cassandra.contactPoints })
  const other = await existing.client(keyspace)
  expect((await other.execute('SELECT id FROM item')).rowLength).toBe(1)
  await existing.stop()
})

it('kill() throws UNSUPPORTED_FEATURE for a node in Docker', async () => {
  await expect(cassandra.node(1).kill()).rejects.toMatchObject({
    code: 'UNSUPPORTED_FEATURE',
    fix: "Start the cluster with launchers: ['java'].",
  })
})

it('startCassandra() with Docker throws ENGINE_UNAVAILABLE for three nodes', async () => {
  await expect(startCassandra({ launchers, nodes: 3 })).rejects.toMatchObject({
    code: 'ENGINE_UNAVAILABLE',
    message: expect.stringContaining('docker: three nodes are started by Java only.'),
  })
})

it('startCassandra() throws ENGINE_UNAVAILABLE when the Docker image cannot be pulled', async () => {
  const start = startCassandra({ launchers, image: 'localhost:1/no-such-image' })
  await expect(start).rejects.toMatchObject({
    code: 'ENGINE_UNAVAILABLE',
    message: expect.stringMatching(/docker: .*no-such-image|docker: .*connection refused/i),
  })
})

it('stop() frees the port of the node in Docker, and client() then throws ENGINE_UNAVAILABLE', async () => {
  const [host] = cassandra.contactPoints
  await cassandra.stop()
  await until('its port is free', async () => !(await isOpen(host!)))
  await expect(cassandra.client()).rejects.toMatchObject({ code: 'ENGINE_UNAVAILABLE' })
})
