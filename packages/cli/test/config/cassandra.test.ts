import { describe, expect, it } from 'vitest'
import { parseCassandraUrl, withoutSecrets } from '../../src/config/cassandra-url.js'
import type { Config } from '../../src/config/config.js'
import { settingsFrom, type Settings } from '../../src/config/settings.js'
import { clientOptions } from '../../src/project/connect-cassandra.js'
import type { ProjectOptions } from '../../src/shared-options.js'

describe('the URL of a keyspace', () => {
  it.each([
    [
      'cassandra://10.0.0.1:9043,node-2.example,[::1]:9042/blog?dc=dc1',
      {
        address: {
          contactPoints: ['10.0.0.1:9043', 'node-2.example', '[::1]:9042'],
          keyspace: 'blog',
          localDataCenter: 'dc1',
        },
      },
    ],
    [
      'cassandra:///blog?target=keyspaces&region=eu-west-1',
      { address: { keyspace: 'blog', region: 'eu-west-1' }, target: 'keyspaces' },
    ],
    [
      'cassandra://app%2Buser@host/blog?tls=true&auth=password&target=cassandra',
      {
        address: { contactPoints: ['host'], keyspace: 'blog', user: 'app+user', tls: true, auth: 'password' },
        target: 'cassandra',
      },
    ],
  ])('%s', (url, parsed) => {
    expect(parseCassandraUrl(url)).toEqual(parsed)
  })

  it.each([
    ['cassandra://host', 'and not of the form cassandra://'],
    ['cassandra://host/', 'and names no keyspace: cassandra://host,host/keyspace'],
    ['cassandra://host/a.b', 'and "a.b" is no keyspace: that has letters, digits and underscores'],
    ['cassandra://host:65536/a', 'and "host:65536" is no host.'],
    ['cassandra://host:0/a', 'and "host:0" is no host.'],
    ['cassandra://100%@host/a', 'and its user has a % that begins no character'],
    ['cassandra://host/a?dc=', 'and says nothing behind dc=.'],
    ['cassandra://host/a?dc=a&dc=b', 'and says dc more than once.'],
    ['cassandra://host/a/b', 'and not of the form'],
    ['cassandra://ho st/a', 'and "ho st" is no host.'],
    ['cassandra://host,/a', 'and "" is no host.'],
    ['cassandra://host:port/a', 'and "host:port" is no host.'],
    ['cassandra://root:secret@host/a', 'and holds a password: that is for ISOTHERM_CASSANDRA_PASSWORD.'],
    ['cassandra://host/a?datacenter=dc1', 'and knows no datacenter.'],
    ['cassandra://host/a?target=scylla', 'and its target is none of cassandra, keyspaces.'],
    ['cassandra://host/a?tls=yes', 'and its tls is neither true nor false.'],
    ['cassandra://host/a?auth=kerberos', 'and its auth is neither sigv4 nor password.'],
  ])('is not %s', (url, problem) => {
    expect(parseCassandraUrl(url)).toContain(problem)
  })

  it('is printed without what may be a password', () => {
    expect(withoutSecrets('cassandra://root:secret@host/a')).toBe('cassandra://…@host/a')
    expect(withoutSecrets('cassandra://host/a')).toBe('cassandra://host/a')
  })
})

describe('settings of a keyspace', () => {
  const settings = (
    config: Partial<Config>,
    environment: Record<string, string> = {},
    options: ProjectOptions = {},
  ): Settings =>
    settingsFrom({
      options,
      environment,
      loaded: { config, path: undefined, directory: '/shop' },
      directory: '/shop',
    })
  const url = 'cassandra://host/blog?dc=dc1'

  it('have the dialect of a URL, which no emulator is for', () => {
    const environment = { ISOTHERM_DATABASE: url, SPANNER_EMULATOR_HOST: 'localhost:9010' }
    expect(settings({}, environment)).toMatchObject({
      dialect: 'cql',
      target: undefined,
      database: { contactPoints: ['host'], keyspace: 'blog', localDataCenter: 'dc1' },
    })
  })

  it('take the target of a flag before that of the environment, of the URL, and of the file', () => {
    const database = `${url}&target=cassandra`
    const config = { dialect: 'cql', target: 'keyspaces', database: url } as const
    expect(settings(config).target).toBe('keyspaces')
    expect(settings({ ...config, database }).target).toBe('cassandra')
    expect(settings({ ...config, database }, { ISOTHERM_TARGET: 'keyspaces' }).target).toBe('keyspaces')
    expect(
      settings({ ...config, database }, { ISOTHERM_TARGET: 'keyspaces' }, { target: 'cassandra' }).target,
    ).toBe('cassandra')
  })

  it('are refused for a target that is none, or of a dialect that has none', () => {
    expect(() => settings({ dialect: 'cql' }, { ISOTHERM_TARGET: 'aws' })).toThrow(
      'The target "aws" is none.',
    )
    expect(() => settings({ dialect: 'googlesql' }, {}, { target: 'keyspaces' })).toThrow(
      'The target is keyspaces, and the dialect is googlesql.',
    )
    expect(() => settings({}, { ISOTHERM_DATABASE: 'cassandra://host/a' })).not.toThrow()
    for (const meant of ['cassandra:/host/a', 'Cassandra://host/a', 'jdbc:cassandra://host/a']) {
      expect(() => settings({}, { ISOTHERM_DATABASE: meant })).toThrow(
        `The database is "${meant}", and not of the form cassandra://host,host/keyspace`,
      )
    }
    expect(() => settings({}, { ISOTHERM_DATABASE: 'cassandra://u:p@host/a' })).toThrow(
      'The database is "cassandra://…@host/a", and holds a password',
    )
  })
})

describe('a client of a keyspace', () => {
  const address = { contactPoints: ['10.0.0.1', '10.0.0.2:9043'], localDataCenter: 'dc1', keyspace: 'blog' }

  it('has the ports that its address says, or those of CQL', async () => {
    expect(await clientOptions(address, 'cassandra', {})).toMatchObject({
      contactPoints: ['10.0.0.1:9042', '10.0.0.2:9043'],
      protocolOptions: { port: 9042 },
      localDataCenter: 'dc1',
      keyspace: 'blog',
      encoding: { useBigIntAsLong: true, map: Map },
    })
    expect(await clientOptions({ ...address, tls: true }, 'cassandra', {})).toMatchObject({
      contactPoints: ['10.0.0.1:9142', '10.0.0.2:9043'],
      sslOptions: { servername: '10.0.0.1', rejectUnauthorized: true },
    })
    expect(await clientOptions({ ...address, port: 19_042 }, 'cassandra', {})).toMatchObject({
      contactPoints: ['10.0.0.1:19042', '10.0.0.2:9043'],
      protocolOptions: { port: 19_042 },
    })
  })

  it('signs in to Keyspaces as AWS does, over TLS', async () => {
    const options = await clientOptions({ keyspace: 'blog', region: 'eu-west-1' }, 'keyspaces', {})
    expect(options).toMatchObject({
      contactPoints: ['cassandra.eu-west-1.amazonaws.com'],
      localDataCenter: 'eu-west-1',
      protocolOptions: { port: 9142 },
      sslOptions: { rejectUnauthorized: true },
      authProvider: expect.anything(),
    })
  })

  it('has a password of the environment only', async () => {
    const environment = { ISOTHERM_CASSANDRA_USER: 'app', ISOTHERM_CASSANDRA_PASSWORD: 'secret' }
    const { authProvider } = await clientOptions(address, 'cassandra', environment)
    expect(authProvider).toMatchObject({ username: 'app', password: 'secret' })
    expect((await clientOptions(address, 'cassandra', {})).authProvider).toBeUndefined()
    await expect(clientOptions({ ...address, user: 'app' }, 'cassandra', {})).rejects.toThrow(
      'There is no password to sign in with.',
    )
    await expect(clientOptions({ ...address, auth: 'password' }, 'cassandra', {})).rejects.toThrow(
      'There is no user to sign in with.',
    )
  })

  it.each([
    [{ keyspace: 'blog', localDataCenter: 'dc1' }, 'cassandra', 'lacks a contact point.'],
    [{ keyspace: 'blog', contactPoints: ['host'] }, 'cassandra', 'lacks a data centre.'],
    [{ keyspace: 'blog' }, 'keyspaces', 'lacks a region of AWS.'],
  ] as const)('is refused for %j of %s', async (incomplete, target, message) => {
    await expect(clientOptions(incomplete, target, {})).rejects.toMatchObject({
      code: 'CONFIG',
      message: `The address of the keyspace ${message}`,
    })
  })
})
