import { compileDdl, defineSchema, defineTable, openDatabase } from '@isotherm/core'
import type { Mutation, Wire } from '@isotherm/core/engine'
import { pglite, postgresql } from '@isotherm/postgresql'
import { expect, it, vi } from 'vitest'
import type { Answer, Connection } from '../../src/driver/connection.js'
import { runBuffered } from '../../src/driver/writes.js'
import { databaseOf } from '../support/pglite.js'

const Item = defineTable('Item', (t) => ({ id: t.int64().key(), name: t.string({ length: 20 }) }))
const schema = defineSchema([Item])
const ddl = compileDdl(schema, { dialect: postgresql })

it.each([true, false])(
  'insert({ returning: %s }) stores 6,000 rows by three statements, or none of them',
  async (returning) => {
    const client = await databaseOf(ddl)
    const db = openDatabase({ driver: pglite(client), schema })
    const statements: string[] = []
    const { transaction } = client
    vi.spyOn(client, 'transaction').mockImplementation((work) =>
      transaction.call(client, (own) => {
        const { query } = own
        vi.spyOn(own, 'query').mockImplementation((text, ...more) => {
          statements.push(text)
          return query.call(own, text, ...more)
        })
        return work(own)
      }),
    )
    const rows = Array.from({ length: 6_000 }, (_, at) => ({ id: BigInt(at), name: `item "${at}", \\` }))

    const inserted = await db.insert(Item, rows, { returning })
    expect(inserted).toEqual(rows)
    const insert = 'INSERT INTO "Item" ("id", "name") SELECT * FROM unnest($1::bigint[], $2::text[])'
    expect(statements).toEqual([insert, insert, insert])
    expect(await db.fanOut(Item).orderBy('id').all()).toEqual(rows)

    // The last of the new rows is there already.
    const more = [...rows.map(({ id, name }) => ({ id: id + 10_000n, name })), rows[0]!]
    await expect(db.insert(Item, more, { returning })).rejects.toMatchObject({
      code: 'ALREADY_EXISTS',
      table: 'Item',
    })
    expect(await db.fanOut(Item).count()).toBe(6_000)
  },
)

it('makes the values of a statement while the server runs the statement before', async () => {
  const events: string[] = []
  const row = (at: number): Wire[] => [
    String(at),
    { toString: () => `name of ${events.push(`value ${at}`)}` } as never,
  ]
  const mutation = {
    op: 'insert',
    table: 'Item',
    layout: postgresql.layout(schema.tables[0]!),
    columns: ['id', 'name'],
    rows: Array.from({ length: 2_501 }, (_, at) => row(at)),
  } satisfies Mutation
  const connection: Connection = {
    async query() {
      events.push('sent')
      // Longer than the promises of the caller take.
      await new Promise((resolve) => setImmediate(resolve))
      events.push('answered')
      return { columns: [], rows: [], rowCount: 1 } satisfies Answer
    },
  }
  await runBuffered(connection, [mutation])
  expect(events.filter((event) => !event.startsWith('value') || event === 'value 2500')).toEqual([
    'sent',
    'value 2500',
    'answered',
    'sent',
    'answered',
  ])
})

it('stores 2,500 rows of a table whose statements have a parameter for each value', async () => {
  const Wide = defineTable('Wide', (t) => ({
    id: t.int64().key(),
    tags: t.array({ kind: 'string', length: 10 }),
    ...Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`n${at}`, t.int64()])),
  }))
  const wide = defineSchema([Wide])
  const client = await databaseOf(compileDdl(wide, { dialect: postgresql }))
  const db = openDatabase({ driver: pglite(client), schema: wide })
  const numbers = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`n${at}`, BigInt(at)]))
  const rows = Array.from({ length: 2_500 }, (_, at) => ({ id: BigInt(at), tags: ['a'], ...numbers }))
  await db.insert(Wide, rows)
  expect(await db.fanOut(Wide).count()).toBe(2_500)
})
