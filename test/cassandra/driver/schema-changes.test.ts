import { compileDdl, introspect, type Driver } from '@isotherm/core'
import { cassandra, cql } from '@isotherm/cassandra'
import { type Client, errors, types } from 'cassandra-driver'
import { beforeAll, describe, expect, it } from 'vitest'
import { sharedCassandra } from '../../support/cassandra.js'
import { clientOptions } from '../support/keyspace.js'

let client: Client
let driver: Driver

beforeAll(async () => {
  const engine = await sharedCassandra()
  client = await engine.client(await engine.keyspace(), clientOptions)
  driver = cassandra(client, { dialect: cql })
})

async function ended(id: string, by = driver) {
  await expect
    .poll(async () => (await by.schemaChanges!.state(id))?.done, { timeout: 60_000, interval: 20 })
    .toBe(true)
  return by.schemaChanges!.state(id)
}

/** A client that does something else before each statement. */
function sending(client: Client, before: (text: string) => Promise<void>): Client {
  return new Proxy(client, {
    get(target, name): unknown {
      if (name !== 'execute') return Reflect.get(target, name, target)
      return async (...call: Parameters<Client['execute']>) => {
        await before(call[0])
        return client.execute(...call)
      }
    },
  })
}

const table = (name: string): string => `CREATE TABLE "${name}" ("id" int PRIMARY KEY, "a" text)`

it('applyDdl() runs statements one after another, each after the previous one has finished', async () => {
  await driver.applyDdl([
    table('one'),
    'ALTER TABLE "one" ADD "b" text',
    'CREATE INDEX "one_b" ON "one" ("b") USING \'sai\'',
  ])
  await driver.run({ text: `INSERT INTO "one" ("id", "b") VALUES (1, 'x')`, parameters: [] })
  const { rows } = await driver.run({ text: `SELECT "id" FROM "one" WHERE "b" = 'x'`, parameters: [] })
  expect(rows).toEqual([[1]])
})

it('applyDdl() waits until a new index covers the existing rows', async () => {
  await driver.applyDdl(['CREATE TABLE "full" ("part" int, "id" int, "a" text, PRIMARY KEY ("part", "id"))'])
  // A node takes seconds to build the index of them.
  const text = 'INSERT INTO "full" ("part", "id", "a") VALUES (?, ?, ?)'
  for (let part = 0; part < 150; part++) {
    const rows = Array.from({ length: 200 }, (_, id) => ({
      query: text,
      params: [part, id, `${part} ${id}`.padEnd(400, `${id * part}:`)],
    }))
    await client.batch(rows, { prepare: true, logged: false })
  }
  const wanted = '7 7'.padEnd(400, '49:')
  await driver.applyDdl([`CREATE INDEX "full_a" ON "full" ("a") USING 'sai'`])
  const read = { text: `SELECT "part", "id" FROM "full" WHERE "a" = '${wanted}'`, parameters: [] }
  expect((await driver.run(read)).rows).toEqual([[7, 7]])
})

it('applyDdl() does not wait for an index if the role may not read the state of indexes', async () => {
  const engine = await sharedCassandra()
  const client = await engine.client(await engine.keyspace(), clientOptions)
  let refused = 0
  const limited = sending(client, async (text) => {
    if (!text.includes('sai_column_indexes')) return
    refused++
    throw new errors.ResponseError(types.responseErrorCodes.unauthorized, 'no SELECT permission')
  })
  await cassandra(limited, { dialect: cql }).applyDdl([
    table('limited'),
    `CREATE INDEX "limited_a" ON "limited" ("a") USING 'sai'`,
  ])
  expect(refused).toBe(1)
})

it.each([
  ['ALREADY_EXISTS', () => [table('twice'), table('twice')]],
  ['ALREADY_EXISTS', () => ['CREATE TYPE "twice_type" ("a" int)', 'CREATE TYPE "twice_type" ("a" int)']],
  ['ALREADY_EXISTS', () => [table('column'), 'ALTER TABLE "column" ADD "a" text']],
  ['NOT_FOUND', () => ['DROP TABLE "missing"']],
  ['NOT_FOUND', () => ['DROP TYPE "missing"']],
  ['NOT_FOUND', () => ['DROP INDEX "missing"']],
  ['NOT_FOUND', () => ['ALTER TABLE "missing" ADD "a" text']],
  ['DATABASE', () => ['CREATE TABLE nonsense']],
])('applyDdl() throws %s if the database rejects a statement (case %#)', async (code, statements) => {
  await expect(driver.applyDdl(statements())).rejects.toMatchObject({ code, retryable: false })
})

it('schemaChanges.state() reports a change that this driver began, and is undefined for other changes', async () => {
  const statements = [table('begun'), 'ALTER TABLE "begun" ADD "b" text']
  await driver.schemaChanges!.begin(statements, 'begun')
  expect(await ended('begun')).toEqual({ statements, done: true, applied: 2, progress: [100, 100] })
  // Once more is not an error, and does nothing.
  await driver.schemaChanges!.begin(statements, 'begun')
  expect(await driver.schemaChanges!.state('begun')).toMatchObject({ done: true, applied: 2 })
  expect(await driver.schemaChanges!.state('unknown')).toBeUndefined()
})

it('schemaChanges.state() reports the error and the statements that ran before a failed statement', async () => {
  const statements = [table('half'), table('half'), table('never')]
  await driver.schemaChanges!.begin(statements, 'half')
  expect(await ended('half')).toMatchObject({
    done: true,
    applied: 1,
    progress: [100, 0, 0],
    error: expect.objectContaining({ code: 'ALREADY_EXISTS' }),
  })
})

describe('a schema change whose outcome is unknown', () => {
  // What the database says of each where it is run a second time.
  const steps = [
    ['CREATE TYPE "again_type" ("a" int)', 'ALREADY_EXISTS'],
    ['ALTER TYPE "again_type" ADD "b" text', 'ALREADY_EXISTS'],
    ['ALTER TYPE "again_type" RENAME "b" TO "c"', 'DATABASE'],
    [table('again'), 'ALREADY_EXISTS'],
    ['ALTER TABLE "again" ADD ("b" text, "c" frozen<map<text, int>>)', 'ALREADY_EXISTS'],
    ['ALTER TABLE "again" RENAME "id" TO "key"', 'DATABASE'],
    [`CREATE INDEX "again_a" ON "again" ("a") USING 'sai'`, 'ALREADY_EXISTS'],
    ['ALTER TABLE "again" WITH default_time_to_live = 60', 'nothing'],
    ['DROP INDEX "again_a"', 'NOT_FOUND'],
    ['ALTER TABLE "again" DROP "c"', 'DATABASE'],
    ['DROP TABLE "again"', 'NOT_FOUND'],
    ['DROP TYPE "again_type"', 'NOT_FOUND'],
  ] as const

  const texts: readonly string[] = steps.map(([text]) => text)

  it.each(['has taken place', 'is still under way'])(
    'ends without an error when begin() repeats a change that %s',
    async (standing) => {
      const isOver = standing === 'has taken place'
      const engine = await sharedCassandra()
      const client = await engine.client(await engine.keyspace(), clientOptions)
      const sent: string[] = []
      const second = cassandra(
        sending(client, async (text) => {
          sent.push(text)
          if (!isOver && texts.includes(text)) await client.execute(text)
        }),
        { dialect: cql },
      )
      const states: unknown[] = []
      for (const [at, text] of texts.entries()) {
        if (isOver) await client.execute(text)
        await second.schemaChanges!.begin([text], `again_${at}`, { again: true })
        states.push(await ended(`again_${at}`, second))
      }
      expect(states).toEqual(
        texts.map((text) => ({ statements: [text], done: true, applied: 1, progress: [100] })),
      )
      // Though the catalogue shows it: a node writes there before its statements know.
      expect(sent.filter((text) => texts.includes(text))).toEqual(texts)
    },
  )

  it('takes place when begin() repeats a change that did not run', async () => {
    const said: unknown[] = []
    for (const [at, [text]] of steps.entries()) {
      await driver.schemaChanges!.begin([text], `anew_${at}`, { again: true })
      await ended(`anew_${at}`)
      const repeated = driver.applyDdl([text])
      said.push(
        await repeated.then(
          () => 'nothing',
          (error: { code: string }) => error.code,
        ),
      )
    }
    expect(said).toEqual(steps.map(([, code]) => code))
  })
})

it('introspect() reads tables and types back as the DDL that created them', async () => {
  const engine = await sharedCassandra()
  const read = cassandra(await engine.client(await engine.keyspace(), clientOptions), { dialect: cql })
  const statements = [
    'CREATE TYPE "Address" (\n  "street" text,\n  "zip" ascii\n)',
    [
      'CREATE TABLE "access_log" (',
      '  "day" date,',
      '  "shard" int,',
      '  "at" timestamp,',
      '  "user_id" bigint,',
      '  "home" frozen<"Address">,',
      '  "page" text,',
      '  PRIMARY KEY (("day", "shard"), "at", "user_id")',
      ') WITH CLUSTERING ORDER BY ("at" DESC, "user_id" ASC)',
      '  AND default_time_to_live = 60',
    ].join('\n'),
  ]
  await read.applyDdl(statements)
  expect(compileDdl(await introspect({ driver: read, dialect: cql }), { dialect: cql })).toEqual(statements)
})
