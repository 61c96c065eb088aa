import { CommandError } from '@isotherm/core/command'
import { describe, expect, it } from 'vitest'
import { addressSyntax } from '../../src/command/address.js'
import { clientOptions } from '../../src/command/connect.js'
import type { CassandraAddress } from '../../src/command/sign-in.js'

describe('addressSyntax.read()', () => {
  it.each([
    [
      'cassandra://10.0.0.1:9043,node-2.example,[::1]:9042/blog?dc=dc1',
      {
        address: {
          contactPoints: ['10.0.0.1:9043', 'node-2.example', '[::1]:9042'],
          keyspace: 'blog',
          localDataCenter: 'dc1',
        },
        dialect: 'cql',
      },
    ],
    [
      'keyspaces:///blog?region=eu-west-1',
      { address: { keyspace: 'blog', region: 'eu-west-1' }, dialect: 'keyspaces-cql' },
    ],
    [
      'cassandra://app%2Buser@host/blog?tls=true&auth=password',
      {
        address: { contactPoints: ['host'], keyspace: 'blog', user: 'app+user', tls: true, auth: 'password' },
        dialect: 'cql',
      },
    ],
  ])('reads the URL %s', (url, parsed) => {
    expect(addressSyntax.read(url)).toEqual(parsed)
  })

  it.each([
    ['cassandra://host', 'and not of the form cassandra://'],
    ['cassandra://host/', 'and has no keyspace: cassandra://host,host/keyspace'],
    ['cassandra://host/a.b', 'and "a.b" is not a keyspace: that has letters, digits and underscores'],
    ['cassandra://host:65536/a', 'and "host:65536" is not a host.'],
    ['cassandra://host:0/a', 'and "host:0" is not a host.'],
    ['cassandra://100%@host/a', 'and its user has a % without two hexadecimal digits'],
    ['cassandra://host/a?dc=', 'and has no value for dc=.'],
    ['cassandra://host/a?dc=a&dc=b', 'and has dc more than once.'],
    ['cassandra://host/a/b', 'and not of the form'],
    ['cassandra://ho st/a', 'and "ho st" is not a host.'],
    ['cassandra://host,/a', 'and "" is not a host.'],
    ['cassandra://host:port/a', 'and "host:port" is not a host.'],
    ['cassandra://root:secret@host/a', 'and contains a password: set ISOTHERM_CASSANDRA_PASSWORD instead.'],
    ['cassandra://host/a?datacenter=dc1', 'and has the unknown parameter datacenter.'],
    ['cassandra://host/a?target=keyspaces', 'and has the unknown parameter target.'],
    ['keyspaces:///?region=eu-west-1', 'and has no keyspace: cassandra://host,host/keyspace'],
    ['cassandra://host/a?tls=yes', 'and its tls is neither true nor false.'],
    ['cassandra://host/a?auth=kerberos', 'and its auth is neither sigv4 nor password.'],
  ])('returns the problem of the invalid URL %s', (url, problem) => {
    expect(addressSyntax.read(url)).toEqual({ problem: expect.stringContaining(problem) as string })
  })

  it.each([
    ['keyspace:///blog?region=eu-west-1', 'keyspaces'],
    ['casandra://host/blog?dc=dc1', 'cassandra'],
    ['Cassandra://host/blog?dc=dc1', 'cassandra'],
  ])('suggests for %s the scheme %s', (text, scheme) => {
    expect(addressSyntax.read(text)).toEqual({
      problem: expect.stringMatching(
        new RegExp(`^and not of the form cassandra://.* Did you mean ${scheme}://\\?$`),
      ) as string,
    })
  })

  it.each(['scylla://host/a', 'orders', 'projects/p/instances/i/databases/d'])(
    'returns undefined for %s, which is not the URL of a keyspace',
    (text) => {
      expect(addressSyntax.read(text)).toBeUndefined()
    },
  )
})

describe('clientOptions()', () => {
  const address = { contactPoints: ['10.0.0.1', '10.0.0.2:9043'], localDataCenter: 'dc1', keyspace: 'blog' }

  it('uses the port of each contact point, then of the address, then 9042, or 9142 with TLS', async () => {
    expect(await clientOptions(address, false, {})).toMatchObject({
      contactPoints: ['10.0.0.1:9042', '10.0.0.2:9043'],
      protocolOptions: { port: 9042 },
      localDataCenter: 'dc1',
      keyspace: 'blog',
      encoding: { useBigIntAsLong: true, map: Map },
    })
    expect(await clientOptions({ ...address, tls: true }, false, {})).toMatchObject({
      contactPoints: ['10.0.0.1:9142', '10.0.0.2:9043'],
      sslOptions: { servername: '10.0.0.1', rejectUnauthorized: true },
    })
    expect(await clientOptions({ ...address, port: 19_042 }, false, {})).toMatchObject({
      contactPoints: ['10.0.0.1:19042', '10.0.0.2:9043'],
      protocolOptions: { port: 19_042 },
    })
  })

  it('uses SigV4 and TLS for an address of Keyspaces with only a region', async () => {
    const options = await clientOptions({ keyspace: 'blog', region: 'eu-west-1' }, true, {})
    expect(options).toMatchObject({
      contactPoints: ['cassandra.eu-west-1.amazonaws.com'],
      localDataCenter: 'eu-west-1',
      protocolOptions: { port: 9142 },
      sslOptions: { rejectUnauthorized: true },
      authProvider: expect.anything(),
    })
  })

  it('takes the password from the environment, and rejects a user without a password', async () => {
    const environment = { ISOTHERM_CASSANDRA_USER: 'app', ISOTHERM_CASSANDRA_PASSWORD: 'secret' }
    const { authProvider } = await clientOptions(address, false, environment)
    expect(authProvider).toMatchObject({ username: 'app', password: 'secret' })
    expect((await clientOptions(address, false, {})).authProvider).toBeUndefined()
    await expect(clientOptions({ ...address, user: 'app' }, false, {})).rejects.toThrow(
      'There is no password to sign in with.',
    )
    await expect(clientOptions({ ...address, auth: 'password' }, false, {})).rejects.toThrow(
      'There is no user to sign in with.',
    )
  })

  it.each([
    [{ keyspace: 'blog', localDataCenter: 'dc1' }, 'cql', 'lacks a contact point.'],
    [{ keyspace: 'blog', contactPoints: ['host'] }, 'cql', 'lacks a data centre.'],
    [{ keyspace: 'blog' }, 'keyspaces-cql', 'lacks a region of AWS.'],
  ] as const)('throws CONFIG for the incomplete address %j of %s', async (incomplete, dialect, message) => {
    await expect(clientOptions(incomplete, dialect === 'keyspaces-cql', {})).rejects.toMatchObject({
      code: 'CONFIG',
      message: `The address of the keyspace ${message}`,
    })
  })

  it.each<[string, Record<string, string>, readonly string[]]>([
    [
      'keyspaces://bob@host1,host2:9999/ks?region=eu-west-1&dc=foo&tls=false',
      {},
      ['user "bob"', 'localDataCenter "foo" (dc in a URL)', 'tls: false', 'contact point "host2:9999"'],
    ],
    [
      'cassandra://h1:9000,h2/ks?dc=dc1&region=eu-west-1&auth=sigv4&tls=false',
      {},
      ['localDataCenter "dc1" (dc in a URL)', 'tls: false', 'contact point "h2"'],
    ],
    ['cassandra://h1/ks?dc=dc1&region=eu-west-1', {}, ['region "eu-west-1"']],
    [
      'keyspaces://bob@h1/ks?dc=dc1&region=eu-west-1',
      { ISOTHERM_CASSANDRA_PASSWORD: 'secret' },
      ['region "eu-west-1"'],
    ],
  ])('throws CONFIG and lists the options of %s that have no effect', async (url, environment, options) => {
    const read = addressSyntax.read(url)
    if (!read || 'problem' in read) throw new Error('It was not read.')
    await expect(refusedOptions(read.address, read.dialect!, environment)).resolves.toEqual(options)
  })

  it('throws CONFIG and lists the options of an address object that have no effect', async () => {
    const parts = {
      keyspace: 'ks',
      region: 'eu-west-1',
      contactPoints: ['a:9142', 'b'],
      port: 9000,
      tls: false,
      user: 'bob',
      localDataCenter: 'dc1',
    }
    await expect(refusedOptions(parts, 'keyspaces-cql')).resolves.toEqual([
      'user "bob"',
      'localDataCenter "dc1" (dc in a URL)',
      'tls: false',
      'contact point "b"',
      'port 9000',
    ])
  })

  it('signs in to Keyspaces with the user of the address and the password of the environment', async () => {
    const parts = { keyspace: 'blog', region: 'eu-west-1', user: 'bob' }
    const options = await clientOptions(parts, true, { ISOTHERM_CASSANDRA_PASSWORD: 'secret' })
    expect(options).toMatchObject({
      contactPoints: ['cassandra.eu-west-1.amazonaws.com:9142'],
      authProvider: { username: 'bob', password: 'secret' },
    })
  })

  it('uses the domain amazonaws.com.cn for Keyspaces in China, with SigV4 or a password', async () => {
    const parts = { keyspace: 'blog', region: 'cn-north-1' }
    const host = 'cassandra.cn-north-1.amazonaws.com.cn'
    const password = { ISOTHERM_CASSANDRA_USER: 'bob', ISOTHERM_CASSANDRA_PASSWORD: 'secret' }
    expect((await clientOptions(parts, true, {})).contactPoints).toEqual([host])
    expect(await clientOptions(parts, true, password)).toMatchObject({
      contactPoints: [`${host}:9142`],
      sslOptions: { servername: host },
    })
  })

  it('adds the port of the address to a contact point without a port', async () => {
    const parts = { ...address, contactPoints: ['10.0.0.1:9043', '10.0.0.2'], port: 19_042 }
    expect(await clientOptions(parts, false, {})).toMatchObject({
      contactPoints: ['10.0.0.1:9043', '10.0.0.2:19042'],
    })
  })
})

/** The options that the error names, in order. */
async function refusedOptions(
  address: CassandraAddress,
  dialect: string,
  environment: Record<string, string> = {},
): Promise<readonly string[]> {
  const failure = await clientOptions(address, dialect === 'keyspaces-cql', environment).then(
    () => undefined,
    (error: unknown) => error,
  )
  if (!(failure instanceof CommandError)) throw new Error('It was not refused.')
  expect(failure.code).toBe('CONFIG')
  return [...failure.message.matchAll(/^ {2}- (.*?): (?=SigV4|the |a )/gm)].map(([, option]) => option!)
}
