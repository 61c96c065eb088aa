import { afterEach, expect, it, vi } from 'vitest'
import { sigV4AuthProvider } from '@isotherm/cassandra/keyspaces'
import { sigV4Answer } from '../../src/driver/sigv4.js'

// The one case that AWS's plugins for Java, Go, Python and Node have in their tests, for instance
// https://github.com/aws/aws-sigv4-auth-cassandra-gocql-driver-plugin/blob/main/sigv4/sigv4_test.go
const nonce = '91703fdc2ef562e19fbdab0f58e42fe5'
const keys = { accessKeyId: 'UserID-1', secretAccessKey: 'UserSecretKey-1' }
const date = new Date('2020-06-09T22:41:51.000Z')
const signature = '7f3691c18a81b8ce7457699effbfae5b09b4e0714ab38c1292dbdf082c9ddd87'
const expected = `signature=${signature},access_key=UserID-1,amzdate=2020-06-09T22:41:51.000Z`

it('sigV4Answer() returns the signature of the test case of AWS', async () => {
  expect(await sigV4Answer(nonce, keys, 'us-west-2', date)).toBe(expected)
})

it('sigV4Answer() appends the session token without signing the session token', async () => {
  const session = { ...keys, sessionToken: 'sess-token-1' }
  expect(await sigV4Answer(nonce, session, 'us-west-2', date)).toBe(`${expected},session_token=sess-token-1`)
})

it('sigV4AuthProvider() accepts credentials of an AWS provider, and rejects a misspelt property', () => {
  const identity = { ...keys, expiration: date, accountId: '123', credentialScope: 'us-west-2', $source: {} }
  expect(() => sigV4AuthProvider({ region: 'us-west-2', credentials: identity })).not.toThrow()
  const misspelled = { ...keys, sesionToken: 'sess-token-1' }
  expect(() => sigV4AuthProvider({ region: 'us-west-2', credentials: misspelled })).toThrow(
    'credentials.sesionToken is not an option. Did you mean sessionToken?',
  )
})

it('sigV4Answer() signs differently for another region, day, nonce or secret key', async () => {
  const others = await Promise.all([
    sigV4Answer(nonce, keys, 'us-east-1', date),
    sigV4Answer(nonce, keys, 'us-west-2', new Date('2020-06-10T22:41:51.000Z')),
    sigV4Answer('0'.repeat(32), keys, 'us-west-2', date),
    sigV4Answer(nonce, { ...keys, secretAccessKey: 'UserSecretKey-2' }, 'us-west-2', date),
  ])
  const signatures = others.map((answer) => /signature=(\w+)/.exec(answer)![1])
  expect(new Set([...signatures, signature]).size).toBe(5)
})

afterEach(() => {
  vi.doUnmock('@smithy/signature-v4')
  vi.resetModules()
})

it('sigV4Answer() throws NOT_INSTALLED when the package @smithy/signature-v4 is missing', async () => {
  vi.resetModules()
  vi.doMock('@smithy/signature-v4', () => {
    throw new Error("Cannot find package '@smithy/signature-v4'")
  })
  const { sigV4Answer: unsigned } = await import('../../src/driver/sigv4.js')
  await expect(unsigned(nonce, keys, 'us-west-2', date)).rejects.toMatchObject({
    code: 'NOT_INSTALLED',
    fix: expect.stringContaining('npm install @smithy/signature-v4'),
  })
})
