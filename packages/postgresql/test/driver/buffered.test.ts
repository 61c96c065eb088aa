import { compileDdl, defineSchema, defineTable, openDatabase } from '@isotherm/core'
import { pglite, postgresql } from '@isotherm/postgresql'
import { expect, it } from 'vitest'
import { databaseOf } from '../support/pglite.js'

it('a transaction buffers 1,000 rows of a table with 70 columns, one of them of lists', async () => {
  const Wide = defineTable('Wide', (t) => ({
    id: t.int64().key(),
    tags: t.array({ kind: 'string', length: 10 }),
    ...Object.fromEntries(Array.from({ length: 68 }, (_, at) => [`n${at}`, t.int64()])),
  }))
  const wide = defineSchema([Wide])
  const client = await databaseOf(compileDdl(wide, { dialect: postgresql }))
  const db = openDatabase({ driver: pglite(client), schema: wide })
  const numbers = Object.fromEntries(Array.from({ length: 68 }, (_, at) => [`n${at}`, BigInt(at)]))
  const rows = Array.from({ length: 1_000 }, (_, at) => ({ id: BigInt(at), tags: ['a'], ...numbers }))
  await db.transaction((tx) => tx.insert(Wide, rows, { buffered: true }))
  expect(await db.fanOut(Wide).count()).toBe(1_000)
})
