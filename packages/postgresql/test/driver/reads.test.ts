import { compileDdl, defineSchema, defineTable, openDatabase } from '@isotherm/core'
import { pglite, postgresql } from '@isotherm/postgresql'
import { beforeAll, describe, expect, it } from 'vitest'
import { readStatement } from '../../src/driver/reads.js'
import { databaseOf } from '../support/pglite.js'

const Item = defineTable('Item', (t) => ({ id: t.int64().key(), size: t.int64({ nullable: true }) }), {
  indexes: [{ name: 'ItemBySize', on: ['size'] }],
})
const schema = defineSchema([Item])
const layout = postgresql.layout(schema.tables[0]!)
const { columns } = layout

let driver: ReturnType<typeof pglite>
const idsOf = async (request: object): Promise<unknown[]> => {
  const rows = await driver.read({ layout, columns, ...request })
  return rows.map(([id]) => id)
}

beforeAll(async () => {
  driver = pglite(await databaseOf(compileDdl(schema, { dialect: postgresql })))
  await openDatabase({ driver, schema }).insert(Item, [
    { id: 1n, size: 2n },
    { id: 2n, size: 1n },
    { id: 3n, size: null },
  ])
})

// The driver keeps the text of a read by one key: each read has another text, or another value.
it('read() by one key returns the row of this key, by the primary key or an index, in any order of reads', async () => {
  for (let round = 0; round < 2; round++) {
    expect(await idsOf({ keys: [['1']] })).toEqual([1n])
    expect(await idsOf({ keys: [['2']] })).toEqual([2n])
    expect(await idsOf({ keys: [['1']], index: 'ItemBySize' })).toEqual([2n])
    expect(await idsOf({ keys: [[null]], index: 'ItemBySize' })).toEqual([3n])
    expect(await idsOf({ keys: [['1'], ['3']] })).toEqual([1n, 3n])
    expect(await idsOf({ keys: [['4']] })).toEqual([])
  }
})

it('read() asks for an order, except of the one row of a whole key', () => {
  const textOf = (request: object): string => readStatement({ layout, columns, ...request }).text
  expect(textOf({ keys: [['1']] })).toBe('SELECT "id", "size" FROM "Item" WHERE ("id" = $1::bigint)')
  expect(textOf({ keys: [['1']], index: 'ItemBySize' })).toMatch(/ ORDER BY "size"$/)
  expect(textOf({ keys: [['1'], ['2']] })).toMatch(/ ORDER BY "id"$/)
  expect(
    textOf({ keys: [['1']], ranges: [{ start: ['2'], startOpen: false, end: [], endOpen: false }] }),
  ).toMatch(/ ORDER BY "id"$/)
})

describe('read() by ranges', () => {
  it.each([
    [{ start: ['1'], startOpen: true, end: ['1'], endOpen: false }, []],
    [{ start: ['1'], startOpen: false, end: ['1'], endOpen: true }, []],
    [{ start: ['1'], startOpen: false, end: ['1'], endOpen: false }, [1n]],
    [{ start: ['1'], startOpen: true, end: [], endOpen: false }, [2n, 3n]],
    [{ start: [], startOpen: true, end: ['2'], endOpen: false }, []],
  ])('returns the rows in the range %j', async (range, ids) => {
    expect(await idsOf({ ranges: [range] })).toEqual(ids)
    // Parameters that a statement does not use have no type.
    expect(await idsOf({ ranges: [range, { ...range, end: ['0'] }], limit: 10 })).toEqual(ids)
  })
})

it('refuses a read at a given timestamp, which pages after the first would need for consistentPages()', async () => {
  const database = openDatabase({ driver, schema })
  const query = database.fanOut(Item).orderBy('size').limit(1)
  const refusal = {
    code: 'UNSUPPORTED_FEATURE',
    message: 'PGlite cannot read at a given timestamp. Leave out at, timestampBound and consistentPages.',
  }
  await expect(query.consistentPages().page()).rejects.toMatchObject(refusal)
  await expect(query.timestampBound({ exactStaleness: 1 }).page()).rejects.toMatchObject(refusal)
  await expect(database.get(Item, { id: 1n }, { at: 'strong' })).rejects.toMatchObject(refusal)
})
