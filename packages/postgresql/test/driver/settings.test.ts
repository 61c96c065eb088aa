import type { PGlite } from '@electric-sql/pglite'
import { compileDdl, defineSchema, defineTable, openDatabase } from '@isotherm/core'
import { pglite, postgresql } from '@isotherm/postgresql'
import { afterEach, expect, it } from 'vitest'
import { databaseOf } from '../support/pglite.js'

const Sample = defineTable('Sample', (t) => ({ id: t.bytes({ length: 10 }).key(), ratio: t.float64() }))
const schema = defineSchema([Sample])
const row = { id: Buffer.from('hello'), ratio: 0.1 + 0.2 }

let client: PGlite
// Other files use the same session.
afterEach(() => client.exec('RESET bytea_output; RESET extra_float_digits'))

async function openWith(setting: string) {
  client = await databaseOf(compileDdl(schema, { dialect: postgresql }))
  await openDatabase({ driver: pglite(client), schema }).insert(Sample, [row])
  await client.exec(setting)
  return openDatabase({ driver: pglite(client), schema })
}

it('reads bytes and floats as they were written, with the settings that PostgreSQL has by default', async () => {
  const db = await openWith('RESET bytea_output; RESET extra_float_digits')
  expect(await db.get(Sample, { id: row.id })).toEqual(row)
})

it.each([
  ['bytea_output', 'escape', 'PostgreSQL sends bytes in another format than hex.'],
  ['extra_float_digits', '0', 'PostgreSQL rounds floats: extra_float_digits is 0.'],
])('refuses reads and transactions that read where %s is %s', async (name, value, message) => {
  const db = await openWith(`SET ${name} = ${value}`)
  const refusal = { code: 'INVALID_CLIENT', message: expect.stringContaining(message) as string }
  await expect(db.get(Sample, { id: row.id })).rejects.toMatchObject(refusal)
  await expect(db.fanOut(Sample).all()).rejects.toMatchObject(refusal)
  await expect(db.transaction((tx) => tx.get(Sample, { id: row.id }))).rejects.toMatchObject(refusal)
})
