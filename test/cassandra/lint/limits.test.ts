import { lint, type ColumnType, type Schema } from '@isotherm/core'
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
    ddl: [
      'CREATE TABLE page (site text, url text, title text, PRIMARY KEY (site, url))',
      'CREATE TABLE file (folder blob, name blob, PRIMARY KEY (folder, name))',
      'CREATE TABLE part (folder blob, name blob, PRIMARY KEY ((folder, name)))',
    ],
  })
  client = await cassandra.client(keyspace)
})

const taken = (statement: string, parameters: readonly Buffer[] = []): Promise<boolean> =>
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
  const insert = 'INSERT INTO file (folder, name) VALUES (?, ?)'
  const bytes = (length: number): ColumnType => ({ kind: 'bytes', length })

  it.each([
    { folder: 65_535, name: 65_535, warned: [] },
    { folder: 65_536, name: 1, warned: ['The partition key, folder, may take 65,536 bytes'] },
    { folder: 1, name: 65_536, warned: ['The clustering columns, name, may take 65,536 bytes'] },
  ])(
    'of $folder bytes in the partition key and $name in the clustering key are warned of by lint if the engine rejects them',
    async ({ folder, name, warned }) => {
      const schema = live({
        file: {
          columns: { folder: { type: bytes(folder) }, name: { type: bytes(name) } },
          key: ['folder', 'name'],
          partitionKey: ['folder'],
        },
      })
      const found = lint(schema, { dialect: cql }).filter(({ rule }) => rule === 'cassandra/limits')
      expect(found).toEqual(
        warned.map((message) =>
          expect.objectContaining({ severity: 'warning', message: expect.stringContaining(message) }),
        ),
      )
      const isTaken = await taken(insert, [Buffer.alloc(folder, 1), Buffer.alloc(name, 1)])
      expect(isTaken).toBe(found.length === 0)
    },
  )

  it.each([
    { folder: 32_767, name: 32_762, warned: [] },
    {
      folder: 32_767,
      name: 32_763,
      warned: [
        'The partition key, folder, name, may take 65,530 bytes .*: a row with more than 65,529 there is refused',
      ],
    },
  ])(
    'of $folder and $name bytes in two columns of the partition key are warned of by lint if the engine rejects them',
    async ({ folder, name, warned }) => {
      const schema = live({
        part: {
          columns: { folder: { type: bytes(folder) }, name: { type: bytes(name) } },
          key: ['folder', 'name'],
          partitionKey: ['folder', 'name'],
        },
      })
      const found = lint(schema, { dialect: cql }).filter(({ rule }) => rule === 'cassandra/limits')
      expect(found.map(({ message }) => message)).toEqual(
        warned.map((message) => expect.stringMatching(message)),
      )
      const insertPart = 'INSERT INTO part (folder, name) VALUES (?, ?)'
      const isTaken = await taken(insertPart, [Buffer.alloc(folder, 1), Buffer.alloc(name, 1)])
      expect(isTaken).toBe(found.length === 0)
    },
  )
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
