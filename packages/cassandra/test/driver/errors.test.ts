import { IsothermError } from '@isotherm/core'
import { Client, errors } from 'cassandra-driver'
import { describe, expect, it } from 'vitest'
import { cassandraCapabilities } from '../../src/cql/capabilities.js'
import { isTimeout, isUnanswered, mayPass, outcomeUnknown, translate } from '../../src/driver/errors.js'

const source = { has: cassandraCapabilities, contactPoints: ['10.0.0.9:9042'] }
const unavailable = new errors.ResponseError(0x1000, 'Cannot achieve')
const writeTimeout = new errors.ResponseError(0x1100, 'Timed out')
const timedOut = new errors.OperationTimedOutError('The host did not reply')
const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
const closed = Object.assign(new Error('Socket was closed'), { name: 'DriverError', isSocketError: true })
const notSent = Object.assign(new Error('Write error'), { isSocketError: true, requestNotWritten: true })
const none = (...inner: unknown[]) =>
  new errors.NoHostAvailableError(
    Object.fromEntries(inner.map((each, at) => [`10.0.0.${at + 1}:9042`, each])),
  )

describe('isUnanswered()', () => {
  it.each([
    ['a timeout', timedOut, true],
    ['a write timeout', writeTimeout, true],
    ['a broken connection', closed, true],
    ['a connection that did not send the request', notSent, false],
    ['a broken connection to one of two nodes', none(unavailable, closed), true],
    ['connection errors of all nodes', none('Host considered as DOWN', refused), false],
    ['busy connections of all nodes', none(new errors.BusyConnectionError('10.0.0.1', 2048, 1)), false],
    ['an error for a missing quorum', unavailable, false],
    ['a timeout of Isotherm', new IsothermError('TIMEOUT', 'late'), true],
    ['an error that does not come from the client', new TypeError('x'), false],
  ])('says whether a request may have taken effect after %s: %s', (_, error, expected) => {
    expect(isUnanswered(error)).toBe(expected)
  })
})

it('mayPass() is true for unavailable nodes, and false for invalid requests and wrong credentials', () => {
  const credentials = new errors.AuthenticationError('bad')
  expect([unavailable, writeTimeout, none(refused), closed].map(mayPass)).toEqual([true, true, true, true])
  expect([new errors.ResponseError(0x2000, 'x'), none(credentials), new TypeError('x')].map(mayPass)).toEqual(
    [false, false, false],
  )
})

it('isTimeout() is true only when the client timed out on every node', () => {
  expect([timedOut, none(timedOut), none(timedOut, refused), writeTimeout].map(isTimeout)).toEqual([
    true,
    true,
    false,
    false,
  ])
})

it('translate() includes the error of every node, and no stack trace', () => {
  const error = translate(none(refused, 'Host considered as DOWN'), source) as IsothermError
  expect(error).toMatchObject({ code: 'UNAVAILABLE', retryable: true })
  expect(error.message).toContain(
    '(10.0.0.1:9042: connect ECONNREFUSED; 10.0.0.2:9042: Host considered as DOWN).',
  )
  expect(error.message).not.toContain('    at ')
})

it('translate() recognizes a node without connections by the message No connection available', () => {
  const lost = new Error('No connection available')
  expect(translate(lost, source)).toMatchObject({ code: 'UNAVAILABLE', retryable: true, cause: lost })
  expect([mayPass(lost), isUnanswered(lost), isUnanswered(none(lost))]).toEqual([true, false, false])
})

it('translate() names the contact points when no node is left, but not when a node rejects the request', () => {
  const message = (error: Error): string => (translate(error, source) as IsothermError).message
  expect(message(none())).toContain("The client's contact points: 10.0.0.9:9042.")
  expect(message(new errors.ResponseError(0x2000, 'line 1:0'))).not.toContain('10.0.0.9')
})

it('translate() sets retryFor longer than a reconnection takes, only when the client has lost its nodes', () => {
  const retryFor = (error: Error): unknown => (translate(error, source) as IsothermError).retryFor
  // A client tries again after up to 1,150 milliseconds.
  for (const lost of [none(), none(refused, 'Host considered as DOWN', null), none(closed), closed, notSent])
    expect(retryFor(lost)).toBeGreaterThan(1_150)
  const busy = new errors.BusyConnectionError('10.0.0.1', 2048, 1)
  const answered = [unavailable, writeTimeout, timedOut, busy, none(refused, unavailable), none(timedOut)]
  expect(answered.map(retryFor)).toEqual(answered.map(() => undefined))
})

it('translate() reports DATABASE when all nodes reject the credentials, and UNAVAILABLE when only some do', () => {
  const credentials = new errors.AuthenticationError('Provided username is wrong')
  expect(translate(none(credentials, credentials), source)).toMatchObject({
    code: 'DATABASE',
    retryable: false,
    cause: credentials,
  })
  // The node that cannot be reached may accept the credentials.
  expect(translate(none(credentials, refused), source)).toMatchObject({ code: 'UNAVAILABLE' })
})

it('translate() returns an error that prevents the sign-in on every node unchanged', () => {
  const missing = new IsothermError('NOT_INSTALLED', 'The package is not installed.')
  expect(translate(none(missing, missing), source)).toBe(missing)
  expect(mayPass(none(missing))).toBe(false)
  expect(translate(none(missing, refused), source)).toMatchObject({ code: 'UNAVAILABLE' })
})

it('translate() reports DATABASE without retryable for a client that was shut down', async () => {
  const client = new Client({ contactPoints: ['127.0.0.1'], localDataCenter: 'dc1' })
  // As `shutdown` leaves a client that was connected.
  Object.assign(client, { isShuttingDown: true })
  const error: unknown = await client.connect().catch((cause: unknown) => cause)
  expect(translate(error, source)).toMatchObject({
    code: 'DATABASE',
    retryable: false,
    message: expect.stringContaining('The client has been shut down'),
  })
})

it('translate() says what to do about a request that is too big', () => {
  const message = 'Request is too big: length 17000048 exceeds maximum allowed length 16777216.'
  expect(translate(new errors.ResponseError(0x2200, message), source)).toMatchObject({
    code: 'DATABASE',
    fix: 'Write fewer rows at once, or keep large values in an object store, and their names in this table.',
  })
})

it('translate() returns errors that do not come from the client unchanged', () => {
  const bug = new TypeError('x')
  expect(translate(bug, source)).toBe(bug)
  const ours = new IsothermError('NOT_FOUND', 'x')
  expect(translate(ours, source)).toBe(ours)
})

it('outcomeUnknown() is retryable only when the write may be repeated', () => {
  expect(outcomeUnknown(writeTimeout, true, source)).toMatchObject({
    code: 'OUTCOME_UNKNOWN',
    retryable: true,
  })
  expect(outcomeUnknown(writeTimeout, false, source)).toMatchObject({
    code: 'OUTCOME_UNKNOWN',
    retryable: false,
    cause: writeTimeout,
  })
})
