import { IsothermError } from '@isotherm/core'
import { keyspacesClientOptions, sigV4AuthProvider } from '@isotherm/cassandra/keyspaces'
import { expect, it, vi } from 'vitest'
import { certificateOf } from './support/certificate.js'
import { credentials, openKeyspaces, region } from './support/open.js'

const select = { text: 'SELECT title FROM post', parameters: [] }
const answer = { columns: { title: 'varchar' }, rows: [['a']] } as const

it('the client signs in with access keys over TLS, and reads at LOCAL_QUORUM', async () => {
  await using open = await openKeyspaces()
  open.server.answer(/^SELECT title/, answer)
  expect(await open.driver.run(select)).toMatchObject({ rows: [['a']] })
  expect(open.server.signedIn).toBeGreaterThan(0)
  expect(open.server.requests).toEqual([expect.objectContaining({ text: select.text, consistency: 6 })])
})

it('the client signs in with a session token, and asks for credentials at each sign-in', async () => {
  const session = { ...credentials, sessionToken: 'IQoJb3JpZ2luX2VjEJr//////////wEaCXVzLXdlc3QtMiJH==' }
  const { accessKeyId, ...keys } = session
  let calls = 0
  await using open = await openKeyspaces({
    server: { keys: new Map([[accessKeyId, keys]]) },
    client: {
      credentials: async () => {
        calls++
        return session
      },
    },
  })
  open.server.answer(/^SELECT title/, answer)
  expect(await open.driver.run(select)).toMatchObject({ rows: [['a']] })
  expect(calls).toBe(open.server.signedIn)
})

it('run() throws NOT_INSTALLED if a package for the sign-in is missing', async () => {
  const missing = new IsothermError('NOT_INSTALLED', 'The package that signs in is not installed.')
  await using open = await openKeyspaces({ client: { credentials: () => Promise.reject(missing) } })
  await expect(open.driver.run(select)).rejects.toBe(missing)
})

const now = Date.now()

it.each([
  [
    'a wrong secret',
    { client: { credentials: { ...credentials, secretAccessKey: 'wrong' } } },
    /does not match/,
  ],
  [
    'an unknown key',
    { client: { credentials: { ...credentials, accessKeyId: 'AKIDOTHER' } } },
    /token .* is invalid/,
  ],
  [
    'a wrong session token',
    { client: { credentials: { ...credentials, sessionToken: 'x' } } },
    /session token/,
  ],
  [
    'a server of another region',
    { server: { region: 'us-east-1' }, client: { endpoint: 'cassandra.us-east-1.amazonaws.com' } },
    /does not match/,
  ],
  ['a client clock that is behind', { server: { now: () => new Date(now + 1_000_000) } }, /has expired/],
])('the sign-in fails with DATABASE and the reason for %s', async (_, options, words) => {
  await using open = await openKeyspaces(options)
  await expect(open.driver.run(select)).rejects.toMatchObject({
    code: 'DATABASE',
    retryable: false,
    message: expect.stringMatching(words),
    fix: expect.stringContaining('credentials'),
  })
  expect(open.server.signedIn).toBe(0)
})

it('run() throws the error of the credentials provider', async () => {
  const lost = new Error('no profile is configured')
  await using open = await openKeyspaces({ client: { credentials: () => Promise.reject(lost) } })
  await expect(open.driver.run(select)).rejects.toThrow('no profile is configured')
})

it('the client finds credentials in the environment variables of AWS', async ({ onTestFinished }) => {
  onTestFinished(() => void vi.unstubAllEnvs())
  vi.stubEnv('AWS_ACCESS_KEY_ID', credentials.accessKeyId)
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', credentials.secretAccessKey)
  vi.stubEnv('AWS_SESSION_TOKEN', undefined)
  await using open = await openKeyspaces({ client: { credentials: undefined } as object })
  open.server.answer(/^SELECT title/, answer)
  expect(await open.driver.run(select)).toMatchObject({ rows: [['a']] })
})

it.each([
  ['that is self-signed', { ca: [] as string[] }],
  ['of another authority', { ca: certificateOf('cassandra.eu-west-1.amazonaws.com').cert }],
  ['for another host name', { endpoint: 'cassandra.eu-central-1.amazonaws.com' }],
])('the client does not sign in to a server with a certificate %s', async (_, client) => {
  await using open = await openKeyspaces({ client })
  await expect(open.driver.run(select)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  expect(open.server.signedIn).toBe(0)
})

it('the sign-in fails with DATABASE if the challenge of the server has no nonce', async () => {
  const authenticator = sigV4AuthProvider({ region, credentials }).newAuthenticator('127.0.0.1:9142', 'any')
  const answer = new Promise((resolve) => authenticator.evaluateChallenge(Buffer.from('n1256'), resolve))
  expect(await answer).toMatchObject({ code: 'DATABASE', message: expect.stringContaining('no nonce') })
})

it('keyspacesClientOptions() returns client options for a region, and rejects an invalid region', () => {
  expect(keyspacesClientOptions({ region: 'cn-north-1', keyspace: 'blog', credentials })).toMatchObject({
    contactPoints: ['cassandra.cn-north-1.amazonaws.com.cn'],
    localDataCenter: 'cn-north-1',
    protocolOptions: { port: 9142 },
    sslOptions: { servername: 'cassandra.cn-north-1.amazonaws.com.cn', rejectUnauthorized: true },
    queryOptions: { consistency: 6 },
  })
  expect(() => keyspacesClientOptions({ region: 'evil.example', keyspace: 'blog' })).toThrow(
    expect.objectContaining({ code: 'INVALID_OPTION' }),
  )
})
