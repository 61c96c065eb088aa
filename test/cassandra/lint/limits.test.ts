import { lint, type Schema } from '@isotherm/core'
import { cql } from '@isotherm/cassandra'
import { beforeAll, describe, expect, it } from 'vitest'
import { live } from '../../../packages/core/test/lint/support/live.js'
import { sharedCassandra } from '../../support/cassandra.js'

// What the rules hold against tables and statements is what the engine says of them.

type Client = Awaited<ReturnType<Awaited<ReturnType<typeof sharedCassandra>>['client']>>

let client: Client

beforeAll(async () => {
  const cassandra = await sharedCassandra()
  const keyspace = await cassandra.keyspace({
    ddl: ['CREATE TABLE page (site text, url text, title text, PRIMARY KEY (site, url))'],
  })
  client = await cassandra.client(keyspace)
})

const taken = (statement: string, parameters: readonly string[] = []): Promise<boolean> =>
  client.execute(statement, [...parameters], { prepare: parameters.length > 0 }).then(
    () => true,
    () => false,
  )

const errorsIn = (schema: Schema): number =>
  lint(schema, { dialect: cql }).filter(({ severity }) => severity === 'error').length

describe('names of tables', () => {
  it.each(['MixedCase_9', 'x'.repeat(49), 'a b', 'bücher', 'a-b'])(
    'are accepted or rejected by the lint rule as by the engine: %s',
    async (name) => {
      const schema = live({ [name]: { columns: { id: 'int64' }, key: ['id'] } })
      expect(await taken(`CREATE TABLE "${name}" (id bigint PRIMARY KEY)`)).toBe(errorsIn(schema) === 0)
    },
  )
})

describe('keys', () => {
  const insert = 'INSERT INTO page (site, url) VALUES (?, ?)'

  it('may have up to 65,535 bytes in the partition key and in the clustering key', async () => {
    const [most, more] = ['x'.repeat(65_535), 'x'.repeat(65_536)]
    expect(await taken(insert, [most, 'a'])).toBe(true)
    expect(await taken(insert, ['a', most])).toBe(true)
    expect(await taken(insert, [more, 'a'])).toBe(false)
    expect(await taken(insert, ['a', more])).toBe(false)
  })
})

describe('a query that names no partition', () => {
  const query = "SELECT url FROM page WHERE title = 'a'"
  const found = (text: string): number =>
    lint(live({}), { dialect: cql, statements: [{ name: 'a query', text }] }).length

  it('is rejected without ALLOW FILTERING, and reported by lint with ALLOW FILTERING', async () => {
    expect([await taken(query), found(query)]).toEqual([false, 0])
    const filtering = `${query} ALLOW FILTERING`
    expect([await taken(filtering), found(filtering)]).toEqual([true, 1])
  })
})
