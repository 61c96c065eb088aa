import { Client, policies, type ClientOptions } from 'cassandra-driver'
import { expect, it } from 'vitest'
import { cassandra, type CassandraOptions } from '../../../src/drivers/cassandra.js'
import { refusal } from '../../support/refusal.js'

const encoding = { useBigIntAsLong: true, map: Map }
const options: ClientOptions = {
  contactPoints: ['127.0.0.1'],
  localDataCenter: 'datacenter1',
  keyspace: 'blog',
  encoding,
}

function driverOf(given: Partial<ClientOptions>, target: string = 'cassandra') {
  return cassandra(new Client({ ...options, ...given }), { target: target as 'cassandra' })
}

const { DCAwareRoundRobinPolicy, RoundRobinPolicy, TokenAwarePolicy } = policies.loadBalancing

it.each<[string, Partial<ClientOptions>]>([
  ['as it should be', {}],
  ['with sets', { encoding: { ...encoding, set: Set } }],
  ['that reads maps as objects, which is told where one is read', { encoding: { useBigIntAsLong: true } }],
  [
    'with a policy that knows the data centre',
    {
      localDataCenter: undefined as never,
      policies: { loadBalancing: new TokenAwarePolicy(new DCAwareRoundRobinPolicy('datacenter1')) },
    },
  ],
  [
    'with a policy that needs none',
    { localDataCenter: undefined as never, policies: { loadBalancing: new RoundRobinPolicy() } },
  ],
])('takes a client %s', (_, given) => {
  expect(driverOf(given)).toMatchObject({
    name: 'Cassandra',
    dialect: 'cql',
    target: 'cassandra',
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
])('refuses a client for %s', (option, given) => {
  expect(() => driverOf(given)).toThrow(
    expect.objectContaining({ code: 'INVALID_VALUE', fix: expect.stringContaining(option) }),
  )
})

it('refuses what is no client', () => {
  expect(() => cassandra({} as Client, { target: 'cassandra' })).toThrow(
    expect.objectContaining({ code: 'INVALID_VALUE', message: expect.stringContaining('no client') }),
  )
})

it.each([
  [undefined, 'Whose CQL it is has not been said.'],
  [{ target: 'cassandra', timeout: 5 }, 'The driver has no option "timeout".'],
  [{ target: 'cassandra', deadline: 0 }, 'deadline is 0.'],
  [{ target: 'cassandra', ddlDeadline: '1m' }, 'ddlDeadline is 1m.'],
])('refuses the options %o by name', (given, message) => {
  expect(() => cassandra(new Client(options), given as never)).toThrow(
    expect.objectContaining({ code: 'INVALID_VALUE', message: expect.stringContaining(message) }),
  )
})

it('refuses a target that is none, and a consistency that the target has not', () => {
  expect(() => driverOf({}, 'scylla')).toThrow(expect.objectContaining({ code: 'UNSUPPORTED' }))
  const client = new Client(options)
  expect(() => cassandra(client, { target: 'keyspaces', consistency: { read: 'quorum' } })).toThrow(
    expect.objectContaining({ code: 'INVALID_VALUE' }),
  )
})

it.each([
  [{ reed: 'one' }, 'consistency has no "reed".', 'It has read, write, serial.'],
  [{ serial: 'quorum' }, 'consistency.serial is "quorum".', "Give 'serial' or 'local-serial'."],
  ['quorum', 'consistency is "quorum".', "Give an object: { read: 'local-one' }."],
])('refuses the consistency %j', (consistency, message, fix) => {
  const given = { target: 'cassandra', consistency } as unknown as CassandraOptions
  expect(refusal(() => cassandra(new Client(options), given))).toMatchObject({
    code: 'INVALID_VALUE',
    message: `${message} ${fix}`,
  })
})
