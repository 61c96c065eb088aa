import { auth, Client, types } from 'cassandra-driver'
import { describe, expect, it } from 'vitest'

// What the driver reaches for in the client though its typings do not have it: docs/decisions/0046-reaches-into-clients.md.

const client = new Client({
  contactPoints: ['127.0.0.1'],
  localDataCenter: 'datacenter1',
  pooling: { maxRequestsPerConnection: 7 },
})

describe('the client', () => {
  it('keeps the options that it was made with', () => {
    expect(Reflect.get(client, 'options')).toMatchObject({
      contactPoints: ['127.0.0.1'],
      pooling: { maxRequestsPerConnection: 7 },
    })
  })

  it('lists its hosts as an array', () => {
    expect(client.hosts.values()).toEqual([])
  })

  it('takes providers of its own class for signing in, though its typings call it an interface', () => {
    expect(typeof Reflect.get(auth, 'AuthProvider')).toBe('function')
    expect(auth.PlainTextAuthProvider.prototype).toBeInstanceOf(
      Reflect.get(auth, 'AuthProvider') as new () => object,
    )
  })

  it('has numbers for types and for errors', () => {
    expect([types.dataTypes.bigint, types.responseErrorCodes.overloaded].map((code) => typeof code)).toEqual([
      'number',
      'number',
    ])
  })
})
