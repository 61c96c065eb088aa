import { compileDdl, introspect } from '@isotherm/core'
import { compareWithLive } from '@isotherm/migrations'
import { googlesql, spanner } from '@isotherm/spanner'
import { drizzle, toSchema } from '@isotherm/drizzle-adapter'
import { eq, getTableColumns } from 'drizzle-orm'
import { expect, it } from 'vitest'
import * as tables from '../../packages/drizzle-adapter/test/support/tables.js'
import { sharedEmulator } from '../support/spanner.js'
import * as declared from './support/views.js'

const dialect = googlesql
const schema = toSchema(tables)

async function database() {
  const emulator = await sharedEmulator()
  const client = await emulator.database({ dialect, ddl: compileDdl(schema, { dialect }) })
  return spanner(client)
}

it('the database accepts the DDL of toSchema(), and introspection finds no difference', async () => {
  const driver = await database()
  const live = await introspect({ driver, dialect })
  expect(compareWithLive(schema, live, { dialect })).toEqual({ changes: [], refusals: [] })
})

it('the database fills in the declared defaults, generated columns and bit-reversed ids', async () => {
  const driver = await database()
  const columns = getTableColumns(tables.customers)
  const names = Object.keys(columns) as (keyof typeof columns)[]
  const key = columns.customerId.codec
  const { value: rows } = await driver.atomic.run(async (tx) => {
    const result = await tx.run({
      text: `INSERT INTO Customer (shardId, customerId, email, changedAt) VALUES (3, @id, 'a@b.c', PENDING_COMMIT_TIMESTAMP()) THEN RETURN ${names.map((name) => `\`${columns[name].name}\``).join(', ')}`,
      parameters: [{ name: 'id', type: key.type, value: key.encode('7fffffff-ffff-4fff-bfff-ffffffffffff') }],
    })
    return result.rows
  })
  const row = Object.fromEntries(
    names.map((name, at) => {
      const cell = rows[0]![at]
      return [name, cell === null ? null : columns[name].mapFromDriverValue(cell)]
    }),
  )
  expect(row).toMatchObject({
    customerId: '7fffffff-ffff-4fff-bfff-ffffffffffff',
    name: "O'Brien",
    lower: "o'brien",
    upper: "O'BRIEN",
    active: true,
    balance: '12.5',
    factor: 0.5,
    rate: -1,
    visits: 0,
    born: '2000-02-29',
    settings: { theme: "it's" },
    tags: ['a', 'b'],
    country: null,
  })
  expect(row['token']).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4/)
  expect(row['createdAt']).toBeInstanceOf(Date)
  // Counted from 1000 and from 7, with their bits reversed: whole 64-bit integers.
  expect(row['number']).toBe(BigInt(`0b${reversed(1000n)}`))
  expect(row['counter']).toBe(BigInt(`0b${reversed(7n)}`))
})

/** The 63 bits of a counter that come after the sign, the other way round. */
function reversed(counter: bigint): string {
  return Array.from(counter.toString(2).padStart(63, '0')).toReversed().join('')
}

it('bit-reversed ids are returned as exact bigints above 2^53, and find their rows', async () => {
  const driver = await database()
  // Before the commit, a transaction cannot read the pending commit timestamp that an index contains.
  await driver.atomic.run((tx) =>
    tx.execute([
      {
        text: "INSERT INTO Customer (shardId, customerId, email, changedAt) VALUES (3, b'0123456789abcdef', 'x', PENDING_COMMIT_TIMESTAMP())",
        parameters: [],
      },
    ]),
  )
  const { value } = await driver.atomic.run(async (tx) => {
    const { rows } = await tx.run({
      text: "INSERT INTO CustomerOrder (shardId, customerId) VALUES (3, b'0123456789abcdef') THEN RETURN orderId",
      parameters: [],
    })
    return tables.orders.orderId.mapFromDriverValue(rows[0]![0])
  })
  expect(typeof value).toBe('bigint')
  expect(value as bigint).toBeGreaterThan(2n ** 53n)
  const again = await driver.run({
    text: 'SELECT orderId FROM CustomerOrder WHERE orderId = @id',
    parameters: [
      {
        name: 'id',
        type: tables.orders.orderId.codec.type,
        value: tables.orders.orderId.codec.encode(value),
      },
    ],
  })
  expect(again.rows).toEqual([[value]])
})

it('toSchema() makes views of queries in the order of their dependencies, with literals as parameters', async () => {
  const made = toSchema([declared.owners, ...Object.values(declared)])
  expect(made.views).toEqual([
    {
      name: 'shop.Adult',
      query: {
        googlesql:
          "select `Person`.`id`, `Person`.`full_name`, `Person`.`age` from `shop`.`Person` where (`Person`.`age` > 17 and `Person`.`full_name` like '%O\\'%' and `Person`.`id` > (-5))",
      },
      security: 'invoker',
    },
    {
      name: 'Owner',
      query: {
        googlesql:
          'select `Adult`.`id`, `Adult`.`full_name`, count(*) as `pets` from `shop`.`Adult` inner join `Pet` on `Pet`.`owner` = `Adult`.`id` group by `Adult`.`id`, `Adult`.`full_name`',
      },
      security: 'invoker',
    },
    { name: 'Written', query: { googlesql: 'SELECT 7 AS one' }, security: 'invoker' },
  ])
  const emulator = await sharedEmulator()
  const client = await emulator.database({ dialect, ddl: compileDdl(made, { dialect }) })
  const driver = spanner(client)
  await driver.writes.commit([
    {
      op: 'insert',
      table: 'shop.Person',
      columns: ['id', 'full_name', 'age'],
      rows: [
        ['1', "Ann O'Hara", '18'],
        ['2', "Bob O'Neil", '17'],
        ['3', 'Carl', '40'],
      ],
    },
    {
      op: 'insert',
      table: 'Pet',
      columns: ['id', 'owner'],
      rows: [
        ['1', '1'],
        ['2', '1'],
        ['3', '2'],
      ],
    },
  ])
  const db = drizzle(client)
  const { adults, other, written } = declared
  expect(await db.select().from(adults)).toEqual([{ id: 1n, name: "Ann O'Hara", age: 18 }])
  expect(
    await db.select({ owner: other.name, pets: other.pets }).from(other).where(eq(other.id, 1n)),
  ).toEqual([{ owner: "Ann O'Hara", pets: 2 }])
  expect(await db.select().from(written)).toEqual([{ one: 7n }])
  const live = await introspect({ driver, dialect })
  expect(compareWithLive(made, live, { dialect })).toEqual({ changes: [], refusals: [] })
})
