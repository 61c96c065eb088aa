import { defineSchema, defineTable, introspect, jsonNull, sql, type TableBuilder } from '@isotherm/core'
import { diffSchemas } from '@isotherm/migrations'
import { spanner } from '@isotherm/spanner'
import { describe, expect, it } from 'vitest'
import { dialects, testDatabase } from '../support/spanner.js'

// Each value is the default of a column of its own, which an insert omits: the database has to return the same value, and
// introspection the same default.

type Columns = Parameters<typeof defineTable>[1]

const TEXTS = [
  '',
  "it's",
  '"quoted"',
  'back\\slash',
  'a\nb\r\tc',
  '`',
  '-- no comment',
  '😀 ü',
  "\\'; DROP TABLE x",
  '${x}',
]
const MOMENTS = [
  '2026-08-01T00:00:00Z',
  '1900-01-01T00:00:00.000Z',
  '9999-12-31T23:59:59.999Z',
  '1969-12-31T23:59:59.120Z',
]
const DOCUMENTS = [jsonNull, { theme: "it's" }, [], {}, 'text', 7, true, { a: [1, null, { b: '"\\\n' }] }]

const columnsOf = (t: TableBuilder) => ({
  id: t.int64().key(),
  yes: t.bool({ default: true }),
  no: t.bool({ default: false }),
  zero: t.int64({ default: 0n }),
  least: t.int64({ default: -(2n ** 63n) }),
  greatest: t.int64({ default: 2n ** 63n - 1n }),
  small: t.int64({ as: 'number', default: -7 }),
  half: t.float64({ default: 0.5 }),
  whole: t.float64({ default: 3 }),
  huge: t.float64({ default: 1.7976931348623157e308 }),
  tiny: t.float64({ default: -5e-324 }),
  nan: t.float64({ default: NaN }),
  infinite: t.float64({ default: Infinity }),
  negative: t.float64({ default: -Infinity }),
  single: t.float32({ default: -1.5 }),
  third: t.float32({ default: Math.fround(1 / 3) }),
  hugeSingle: t.float32({ default: 3.4028234663852886e38 }),
  tinySingle: t.float32({ default: 1.401298464324817e-45 }),
  price: t.numeric({ default: '-12.50' }),
  digits: t.numeric({ default: '99999999999999999999999999999.999999999' }),
  day: t.date({ default: '2024-02-29' }),
  uuid: t.uuid({ default: 'F47AC10B-58CC-4372-A567-0E02B2C3D479' }),
  pair: t.uuid({ storage: 'int64-pair', default: 'f47ac10b-58cc-4372-a567-0e02b2c3d479' }),
  blob: t.uuid({ storage: 'bytes', default: 'f47ac10b-58cc-4372-a567-0e02b2c3d479' }),
  bytes: t.bytes({ length: 8, default: Buffer.from('00ff27225c0a', 'hex') }),
  noBytes: t.bytes({ default: Buffer.alloc(0) }),
  asText: t.timestamp({ default: '2026-08-01T02:00:00.5+02:00' }),
  optional: t.string({ nullable: true, default: 'given' }),
  list: t.array({ kind: 'string', length: 20 }, { default: ["it's", null, ''] }),
  numbers: t.array({ kind: 'int64' }, { default: [1n, -2n, null] }),
  empty: t.array({ kind: 'bool' }, { default: [] }),
  ...Object.fromEntries(TEXTS.map((text, at) => [`text${at}`, t.string({ length: 40, default: text })])),
  ...Object.fromEntries(MOMENTS.map((text, at) => [`moment${at}`, t.timestamp({ default: new Date(text) })])),
})

const expected: Readonly<Record<string, unknown>> = {
  yes: true,
  no: false,
  zero: 0n,
  least: -(2n ** 63n),
  greatest: 2n ** 63n - 1n,
  small: -7,
  half: 0.5,
  whole: 3,
  huge: 1.7976931348623157e308,
  tiny: -5e-324,
  nan: NaN,
  infinite: Infinity,
  negative: -Infinity,
  single: -1.5,
  third: Math.fround(1 / 3),
  hugeSingle: 3.4028234663852886e38,
  tinySingle: 1.401298464324817e-45,
  price: '-12.5',
  digits: '99999999999999999999999999999.999999999',
  day: '2024-02-29',
  uuid: 'f47ac10b-58cc-4372-a567-0e02b2c3d479',
  pair: 'f47ac10b-58cc-4372-a567-0e02b2c3d479',
  blob: 'f47ac10b-58cc-4372-a567-0e02b2c3d479',
  bytes: Buffer.from('00ff27225c0a', 'hex'),
  noBytes: Buffer.alloc(0),
  optional: 'given',
  list: ["it's", null, ''],
  numbers: [1n, -2n, null],
  empty: [],
  ...Object.fromEntries(TEXTS.map((text, at) => [`text${at}`, text])),
}

const Defaults = defineTable('Defaults', columnsOf as Columns)
/** The emulator does not cast text to JSONB in a default. */
const Documents = defineTable('Documents', ((t) => ({
  id: t.int64().key(),
  ...Object.fromEntries(
    DOCUMENTS.map((document, at) => [`json${at}`, t.json({ default: document as never })]),
  ),
})) as Columns)
const Made = defineTable('Made', (t) => ({
  id: t.int64().key(),
  today: t.date({ default: sql({ googlesql: "CURRENT_DATE('UTC')", 'spanner-postgresql': 'CURRENT_DATE' }) }),
  sum: t.int64({ default: sql`1 + 2` }),
}))

describe.each(dialects)('a default that is a literal value in $name', async (dialect) => {
  const schema = defineSchema([Defaults, Made, ...(dialect.name === 'googlesql' ? [Documents] : [])])
  const { db, client } = await testDatabase(schema, dialect)

  it('is stored when an insert omits the column, for each type', async () => {
    await db.insert(Defaults, [{ id: 1n } as never])
    const row = (await db.get(Defaults, { id: 1n } as never)) as Record<string, unknown>
    for (const [property, value] of Object.entries(expected))
      expect([property, row[property]]).toEqual([property, value])
    expect((row['asText'] as Date).getTime()).toBe(Date.parse('2026-08-01T00:00:00.5Z'))
    for (const [at, text] of MOMENTS.entries())
      expect((row[`moment${at}`] as Date).getTime()).toBe(new Date(text).getTime())
  })

  it('has the same value after introspection, and causes no change in a diff', async () => {
    const found = await introspect({ driver: spanner(client), dialect })
    const columnsIn = (of: typeof found, name: string) =>
      new Map(
        of.tables
          .find((table) => table.name === name)!
          .columns.map((column) => [column.name, column.default]),
      )
    const live = columnsIn(found, 'Defaults')
    const model = columnsIn(schema, 'Defaults')
    for (const [name, kept] of model) {
      if (name === 'pair' || name === 'blob') continue
      expect([name, live.get(name)]).toEqual([name, kept])
    }
    expect(live.get('pair_high')).toEqual({ value: String(BigInt.asIntN(64, 0xf47ac10b58cc4372n)) })
    expect(live.get('blob')).toEqual({
      value: Buffer.from('f47ac10b58cc4372a5670e02b2c3d479', 'hex').toString('base64'),
    })
    const text: unknown = expect.stringMatching(/1.*\+.*2/)
    expect(columnsIn(found, 'Made').get('sum')).toEqual({ sql: { [dialect.name]: text } })
    const { changes } = diffSchemas(found, found, { dialect })
    expect(changes).toEqual([])
  })

  it.each(dialect.name === 'googlesql' ? [Documents] : [])(
    'the table $name stores JSON documents as defaults',
    async (model) => {
      await db.insert(model, [{ id: 1n } as never])
      const row = (await db.get(model, { id: 1n } as never)) as Record<string, unknown>
      for (const [at, document] of DOCUMENTS.entries()) expect(row[`json${at}`]).toEqual(document)
      const found = await introspect({ driver: spanner(client), dialect })
      const of = ({ tables }: typeof found) =>
        tables.find(({ name }) => name === 'Documents')!.columns.map((each) => each.default)
      expect(of(found)).toEqual(of(schema))
    },
  )

  it('a default that is marked as SQL is evaluated by the database', async () => {
    const [row] = await db.insert(Made, [{ id: 1n }])
    expect(row).toMatchObject({ today: expect.stringMatching(/^\d{4}-/), sum: 3n })
  })
})
