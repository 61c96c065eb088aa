import { auth, Client, types } from 'cassandra-driver'
import { describe, expect, it } from 'vitest'

// Parts of the client that the driver uses although the typings lack them: docs/decisions/0046-reaches-into-clients.md.

const client = new Client({
  contactPoints: ['127.0.0.1'],
  localDataCenter: 'datacenter1',
  pooling: { maxRequestsPerConnection: 7 },
})

describe('the client of cassandra-driver', () => {
  it('keeps the options of its constructor', () => {
    expect(Reflect.get(client, 'options')).toMatchObject({
      contactPoints: ['127.0.0.1'],
      pooling: { maxRequestsPerConnection: 7 },
    })
  })

  it('returns its hosts as an array', () => {
    expect(client.hosts.values()).toEqual([])
  })

  it('has a class AuthProvider, although its typings declare an interface', () => {
    expect(typeof Reflect.get(auth, 'AuthProvider')).toBe('function')
    expect(auth.PlainTextAuthProvider.prototype).toBeInstanceOf(
      Reflect.get(auth, 'AuthProvider') as new () => object,
    )
  })

  it('has numeric codes for data types and response errors', () => {
    expect([types.dataTypes.bigint, types.responseErrorCodes.overloaded].map((code) => typeof code)).toEqual([
      'number',
      'number',
    ])
  })
})
