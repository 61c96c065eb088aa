import type { Driver } from '@isotherm/core'
import { cassandra, cql } from '@isotherm/cassandra'
import { beforeAll, expect, it } from 'vitest'
import { sharedCassandra } from '../../support/cassandra.js'
import { clientOptions } from '../support/keyspace.js'

let driver: Driver

beforeAll(async () => {
  const engine = await sharedCassandra()
  const keyspace = await engine.keyspace({
    ddl: [
      'CREATE TYPE "address" ("street" text, "number" int)',
      `CREATE TABLE "person" (
        "id" bigint, "name" text, "home" frozen<"address">, "tags" set<text>, "phones" map<text, frozen<list<int>>>,
        "pair" frozen<tuple<int, uuid>>, "vector" vector<float, 2>, "span" duration, "seen" timestamp, PRIMARY KEY ("id")
      )`,
    ],
  })
  driver = cassandra(await engine.client(keyspace, clientOptions), { dialect: cql })
})

const run = (text: string) => driver.run({ text, parameters: [] })

it('run() returns rows with the types of their columns', async () => {
  await run(
    `INSERT INTO "person" ("id", "name", "home", "tags", "phones", "pair", "vector", "span") VALUES
      (9007199254740993, 'Ann', {street: 'Main', number: 5}, {'a'}, {'home': [1, 2]}, (1, null), [1.5, 2], 1mo2d)`,
  )
  const text = { kind: 'string', length: 'max' }
  const { columns, rows } = await run(
    'SELECT "id", "home", "tags", "phones", "pair", "vector", "span" FROM "person"',
  )
  expect(columns).toEqual([
    { name: 'id', type: { kind: 'int64' } },
    {
      name: 'home',
      type: {
        kind: 'struct',
        fields: [
          { name: 'street', type: text },
          { name: 'number', type: { kind: 'int32' } },
        ],
      },
    },
    { name: 'tags', type: { kind: 'set', of: text } },
    { name: 'phones', type: { kind: 'map', key: text, of: { kind: 'array', of: { kind: 'int32' } } } },
    { name: 'pair', type: { kind: 'tuple', of: [{ kind: 'int32' }, { kind: 'uuid' }] } },
    { name: 'vector', type: { kind: 'vector', of: 'float32', dimensions: 2 } },
    { name: 'span', type: { kind: 'duration' } },
  ])
  expect(rows).toEqual([
    [
      9007199254740993n,
      ['Main', 5],
      new Set(['a']),
      new Map([['home', [1, 2]]]),
      [1, null],
      [1.5, 2],
      '1mo2d',
    ],
  ])
})

it('run() returns the result of a condition as [applied], and no columns for a statement without a result', async () => {
  const insert = `INSERT INTO "person" ("id", "name") VALUES (1, 'Bob') IF NOT EXISTS`
  expect(await run(insert)).toEqual({
    columns: [{ name: '[applied]', type: { kind: 'bool' } }],
    rows: [[true]],
  })
  const again = await run(insert)
  expect(again.rows[0]![again.columns.findIndex(({ name }) => name === '[applied]')]).toBe(false)
  expect(await run(`UPDATE "person" SET "name" = 'Bea' WHERE "id" = 1`)).toEqual({ columns: [], rows: [] })
})

it('run() binds parameters by position', async () => {
  const { rows } = await driver.run({
    text: 'SELECT "name" FROM "person" WHERE "id" = ? LIMIT ?',
    parameters: [
      { name: 'id', type: { kind: 'int64' }, value: '9007199254740993' },
      { name: 'limit', type: { kind: 'int32' }, value: 1 },
    ],
  })
  expect(rows).toEqual([['Ann']])
})

it('run() returns the rows of all pages', async () => {
  const values = Array.from(
    { length: 5_100 },
    (_, at) => `INSERT INTO "person" ("id") VALUES (${10_000 + at});`,
  )
  for (let at = 0; at < values.length; at += 300) {
    await run(`BEGIN UNLOGGED BATCH ${values.slice(at, at + 300).join(' ')} APPLY BATCH`)
  }
  const { rows } = await run('SELECT "id" FROM "person" WHERE "id" >= 10000 AND "id" < 20000 ALLOW FILTERING')
  expect(rows).toHaveLength(5_100)
})

it.each(['USE system', 'use "system"', '/* a */ -- b\n // c\n USE system'])(
  'run() throws UNSUPPORTED_STATEMENT for a statement that changes the keyspace: %s',
  async (text) => {
    await expect(run(text)).rejects.toMatchObject({
      code: 'UNSUPPORTED_STATEMENT',
      message: expect.stringContaining('USE'),
    })
  },
)

it.each([
  ['SELECT * FROM "missing"', 'NOT_FOUND'],
  ['SELECT * FROM "nowhere"."missing"', 'NOT_FOUND'],
  ['SELECT "missing" FROM "person"', 'DATABASE'],
  ['SELEC', 'DATABASE'],
  ['', 'DATABASE'],
])('run() reports the error of the database for the statement "%s"', async (text, code) => {
  await expect(run(text)).rejects.toMatchObject({ code, retryable: false })
})

it('run() throws INVALID_VALUE for the consistency serial in a statement without a condition', async () => {
  const statement = { text: `INSERT INTO "person" ("id") VALUES (2)`, parameters: [] }
  await expect(driver.run(statement, { consistency: 'serial' })).rejects.toMatchObject({
    code: 'INVALID_VALUE',
  })
})

it('run() rejects results with a column __proto__ or with two columns of the same name', async () => {
  await run(`CREATE TABLE "odd" ("id" int PRIMARY KEY, "__proto__" int)`)
  await run(`INSERT INTO "odd" ("id", "__proto__") VALUES (1, 2)`)
  for (const columns of ['"id", "__proto__"', '"id", "__proto__" AS "id"']) {
    await expect(run(`SELECT ${columns} FROM "odd"`)).rejects.toMatchObject({ code: 'UNSUPPORTED_STATEMENT' })
  }
  expect((await run('SELECT "id", "__proto__" AS "proto" FROM "odd"')).rows).toEqual([[1, 2]])
})
