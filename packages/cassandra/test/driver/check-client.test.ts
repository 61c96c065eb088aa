import { keyspacesClientOptions, sigV4AuthProvider } from '@isotherm/cassandra/keyspaces'
import { cql, cqlRuntime, keyspacesCql, cassandra } from '@isotherm/cassandra'
import { googlesql } from '@isotherm/spanner'
import { Client, policies, type ClientOptions } from 'cassandra-driver'
import { expect, it } from 'vitest'
import { refusal } from '../../../core/test/support/refusal.js'

const encoding = { useBigIntAsLong: true, map: Map }
const options: ClientOptions = {
  contactPoints: ['127.0.0.1'],
  localDataCenter: 'datacenter1',
  keyspace: 'blog',
  encoding,
}

function driverOf(input: Partial<ClientOptions>) {
  return cassandra(new Client({ ...options, ...input }), { dialect: cql })
}

const { DCAwareRoundRobinPolicy, RoundRobinPolicy, TokenAwarePolicy } = policies.loadBalancing

it.each<[string, Partial<ClientOptions>]>([
  ['with all required options', {}],
  ['with the option set: Set', { encoding: { ...encoding, set: Set } }],
  ['without the option map', { encoding: { useBigIntAsLong: true } }],
  [
    'with a policy that knows the data centre',
    {
      localDataCenter: undefined as never,
      policies: { loadBalancing: new TokenAwarePolicy(new DCAwareRoundRobinPolicy('datacenter1')) },
    },
  ],
  [
    'with a policy that does not need the data centre',
    { localDataCenter: undefined as never, policies: { loadBalancing: new RoundRobinPolicy() } },
  ],
])('cassandra() accepts a client %s', (_, options) => {
  expect(driverOf(options)).toMatchObject({
    name: 'Cassandra',
    dialect: cqlRuntime,
    system: 'cassandra',
  })
})

class OtherMap extends Map {}
class OtherSet extends Set {}

it.each<[string, Partial<ClientOptions>]>([
  ['useBigIntAsLong', { encoding: {} }],
  ['useBigIntAsLong', { encoding: { useBigIntAsLong: false } }],
  ['map: Map', { encoding: { ...encoding, map: OtherMap } }],
  ['set: Set', { encoding: { ...encoding, set: OtherSet } }],
  ['keyspace', { keyspace: undefined as never }],
  ['localDataCenter', { localDataCenter: undefined as never }],
])(
  'cassandra() rejects a client with INVALID_CLIENT when the option %s is missing or wrong',
  (option, options) => {
    expect(() => driverOf(options)).toThrow(
      expect.objectContaining({ code: 'INVALID_CLIENT', fix: expect.stringContaining(option) }),
    )
  },
)

class OtherClient {
  readonly options = { encoding }
  execute(): void {}
}

const methods = { execute() {}, batch() {} }

it.each([undefined, null, 5, {}, { execute: 5 }, new OtherClient(), methods, { ...methods, options: null }])(
  'cassandra() rejects %o with INVALID_CLIENT because the value is not a client',
  (client) => {
    expect(refusal(() => cassandra(client as never, { dialect: cql }))).toMatchObject({
      code: 'INVALID_CLIENT',
      message: expect.stringContaining(`cassandra: client is ${client === undefined ? 'undefined' : ''}`),
      fix: 'Give the Client of cassandra-driver: cassandra(new Client({ … }), …).',
    })
  },
)

it.each([
  [{}, 'dialect is missing. Give a dialect of CQL: cql or keyspacesCql.'],
  [{ dialect: 'cql' }, "dialect is 'cql'. Give a dialect of CQL: cql or keyspacesCql."],
  [{ dialect: googlesql }, "dialect is { name: 'googlesql', "],
  [{ dialect: cql, timeotMs: 5 }, 'timeotMs is not an option. Did you mean timeoutMs?'],
  [{ dialect: cql, timeoutMs: 0 }, 'timeoutMs is 0. Give a number of milliseconds from 1.'],
  [{ dialect: cql, timeoutMs: '5' }, "timeoutMs is '5'."],
  [{ dialect: cql, ddlTimeoutMs: '1m' }, "ddlTimeoutMs is '1m'."],
  [{ dialect: cql, costs: 5 }, 'costs is 5.'],
  [{ dialect: cql, costs: { rows: 1 } }, 'costs.rows is not an option. Did you mean row?'],
  [{ dialect: cql, costs: { row: '1' } }, "costs.row is '1'. Give a number."],
  [{ dialect: cql, costs: { inFlight: 0 } }, 'costs.inFlight is 0. Give a whole number from 1.'],
  [{ dialect: cql, consistency: 'quorum' }, "consistency is 'quorum'. Give a"],
  [{ dialect: cql, consistency: { reed: 'one' } }, 'consistency.reed is not an option. Did you mean read?'],
  [{ dialect: cql, consistency: { read: 5 } }, 'consistency.read is 5.'],
  [
    { dialect: cql, consistency: { serial: 'quorum' } },
    "consistency.serial is 'quorum'. Give one of 'serial', 'local-serial'.",
  ],
])('cassandra() rejects an invalid option and names the option: $1', (input, message) => {
  expect(refusal(() => cassandra(new Client(options), input as never))).toMatchObject({
    code: 'INVALID_OPTION',
    message: expect.stringContaining(`cassandra: ${message}`),
  })
})

it.each([
  [undefined, 'region is missing.'],
  [{ region: 'eu-west-1' }, 'keyspace is missing.'],
  [{ region: 'eu-west-1', keyspace: 5 }, 'keyspace is 5.'],
  [{ region: 'nowhere', keyspace: 'blog' }, "region is 'nowhere', which is not a region of AWS."],
  [{ region: 'eu-west-1', keyspace: 'blog', ports: 5 }, 'ports is not an option. Did you mean port?'],
  [{ region: 'eu-west-1', keyspace: 'blog', port: '9142' }, "port is '9142'."],
  [{ region: 'eu-west-1', keyspace: 'blog', ca: 5 }, 'ca is 5.'],
  [{ region: 'eu-west-1', keyspace: 'blog', credentials: 'me' }, 'credentials is a text.'],
  [
    { region: 'eu-west-1', keyspace: 'blog', credentials: { accessKeyId: 'a' } },
    'credentials.secretAccessKey is missing.',
  ],
])('keyspacesClientOptions() rejects the options %o and names the invalid option', (options, message) => {
  expect(refusal(() => keyspacesClientOptions(options as never))).toMatchObject({
    code: 'INVALID_OPTION',
    message: expect.stringContaining(`keyspacesClientOptions: ${message}`),
  })
})

class Keys {
  readonly accessKeyId = 'AKIA1'
  readonly secretAccessKey = 'wJalr'
}

it.each<[string, () => unknown]>([
  [
    'keyspacesClientOptions: credentials is an object of the class Keys.',
    () => keyspacesClientOptions({ region: 'eu-west-1', keyspace: 'blog', credentials: new Keys() }),
  ],
  [
    'sigV4AuthProvider: credentials.secretAccessKey is an object of the class Buffer.',
    () =>
      sigV4AuthProvider({
        region: 'eu-west-1',
        credentials: { ...new Keys(), secretAccessKey: Buffer.from('wJalr') as never },
      }),
  ],
  [
    'cassandra: client is a plain object.',
    () => cassandra({ credentials: new Keys() } as never, { dialect: cql }),
  ],
])('an error message does not contain secrets: %s', (message, work) => {
  const error = refusal(work)
  expect(error.message).toContain(message)
  expect(error.message).not.toMatch(/AKIA1|wJalr|77 4a/)
})

it('sigV4AuthProvider() rejects an invalid region and names the option', () => {
  expect(refusal(() => sigV4AuthProvider({ region: 5 } as never))).toMatchObject({
    code: 'INVALID_OPTION',
    message: expect.stringContaining('sigV4AuthProvider: region is 5.'),
  })
})

it('cassandra() rejects a read consistency that the dialect does not support', () => {
  const client = new Client(options)
  expect(() => cassandra(client, { dialect: keyspacesCql, consistency: { read: 'quorum' } })).toThrow(
    expect.objectContaining({ code: 'INVALID_VALUE' }),
  )
})
