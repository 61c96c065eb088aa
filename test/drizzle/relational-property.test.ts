import { sql } from 'drizzle-orm'
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import {
  answer,
  asks,
  configOf,
  shops,
  tables,
  type Data,
  type TableName,
} from './support/relational-reference.js'
import { shopDatabase, type ShopDatabase } from './support/relational-shop.js'

let db: ShopDatabase

beforeAll(async () => {
  db = await shopDatabase()
})

const NAMES = Object.keys(tables) as TableName[]

async function keep(data: Data): Promise<void> {
  await db.transaction(async (tx) => {
    const old = NAMES.toReversed().map((name) => tx.delete(tables[name]).where(sql`true`))
    await tx.batch(old)
    for (const name of NAMES) {
      if (data[name].length > 0) await tx.insert(tables[name]).values(data[name] as never)
    }
  })
}

const questions = fc
  .constantFrom(...NAMES)
  .chain((table) => fc.record({ table: fc.constant(table), ask: asks(table, 3), isPrepared: fc.boolean() }))

test(
  'random nested relational queries return the rows that a reference computes in memory',
  { timeout: 120_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(
        shops,
        fc.array(questions, { minLength: 8, maxLength: 12 }),
        async (data, requests) => {
          await keep(data)
          for (const { table, ask, isPrepared } of requests) {
            const values: Record<string, unknown> = {}
            const { [table]: builder } = db.query as Record<TableName, typeof db.query.customers>
            const query = builder.findMany(configOf(table, ask, isPrepared ? values : undefined) as object)
            // The names of placeholders are given out while the statement is made.
            const rows: unknown = await query.prepare().execute(values)
            expect(rows).toStrictEqual(answer(data, table, ask))
          }
        },
      ),
      { numRuns: 25 },
    )
  },
)
