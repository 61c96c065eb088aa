import { cacheFolder } from '@isotherm/core/local'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { homedir, userInfo } from 'node:os'
import { expect, it } from 'vitest'
import { freePort } from '../../src/local/java.js'
import { cassandraYaml, evenTokens, javaArguments } from '../../src/local/server-node.js'

it('evenTokens() divides the ring evenly between the nodes', () => {
  expect(evenTokens(1)).toEqual(['-9223372036854775808'])
  expect(evenTokens(3)).toEqual(['-9223372036854775808', '-3074457345618258603', '3074457345618258602'])
})

it('cassandraYaml() and javaArguments() quote folders with spaces and quotation marks', () => {
  const location = {
    folder: '/tmp/a "b" c',
    address: '127.0.0.2',
    seeds: ['127.0.0.1', '127.0.0.2'],
    token: '7',
    storagePort: 1,
    nativePort: 2,
  }
  const yaml = cassandraYaml(location)
  expect(yaml).toContain(String.raw`data_file_directories: ["/tmp/a \"b\" c/data"]`)
  expect(yaml).toContain('parameters: [{ seeds: "127.0.0.1,127.0.0.2" }]')
  expect(javaArguments(location, '/jars')).toContain(
    '-Dcassandra.config=file:///tmp/a%20%22b%22%20c/cassandra.yaml',
  )
})

it('freePort() returns distinct ports that are free on all addresses, and rejects a foreign address', async () => {
  const addresses = ['127.0.0.1', '127.0.0.2', '127.0.0.3']
  const ports = await Promise.all(Array.from({ length: 20 }, () => freePort(addresses)))
  expect(new Set(ports).size).toBe(20)
  const [port] = ports
  for (const address of addresses) {
    const server = createServer()
    await once(server.listen({ host: address, port }), 'listening')
    await new Promise((resolve) => server.close(resolve))
  }
  await expect(freePort(['127.0.0.1', '192.0.2.1'])).rejects.toThrow(
    '192.0.2.1 is not an address of this machine',
  )
})

it('cacheFolder() returns a folder in XDG_CACHE_HOME, or else in the cache folder of the user', () => {
  expect(cacheFolder({ XDG_CACHE_HOME: '/cache' }, 'linux')).toBe('/cache/isotherm')
  expect(cacheFolder({ XDG_CACHE_HOME: 'relative' }, 'linux')).toBe(`${homedir()}/.cache/isotherm`)
  expect(cacheFolder({}, 'darwin')).toBe(`${homedir()}/Library/Caches/isotherm`)
  expect(cacheFolder({ HOME: '' }, 'linux')).toBe(`${userInfo().homedir}/.cache/isotherm`)
})
