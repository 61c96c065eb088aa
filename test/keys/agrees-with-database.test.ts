import { defineSchema, defineTable } from '@isotherm/core'
import { bitReverse, fingerprint, shardOf, type Hashable } from '@isotherm/core/keys'
import fc from 'fast-check'
import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { precise } from '../support/precise.js'
import { testDatabase } from '../support/spanner.js'

const VALUES = 10_000

const int64s = fc.oneof(
  { weight: 8, arbitrary: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }) },
  { weight: 2, arbitrary: fc.bigInt({ min: -1000n, max: 1000n }) },
  { weight: 1, arbitrary: fc.constantFrom(-(2n ** 63n), 2n ** 63n - 1n, 0n, -1n, 1n) },
)
const texts = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom('', '\\N', '|', '\u0000', '\u{10FFFF}', 'Zürich', '東京', '"quoted" `text`'),
)
const bytes = fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array))
const times = fc
  .tuple(
    fc.date({
      min: new Date('0001-01-01T00:00:00Z'),
      max: new Date('9999-12-31T23:59:59.999Z'),
      noInvalidDate: true,
    }),
    fc.nat(999_999),
  )
  .map(([date, below]) => precise(date.toISOString().replace('Z', `${String(below).padStart(6, '0')}Z`)))
const days = fc
  .date({ min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T00:00:00Z'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10))

function sample<T>(of: fc.Arbitrary<T>): T[] {
  return fc.sample(of, { numRuns: VALUES, seed: 20260101 })
}

const key = (id: number) => ({ id: BigInt(id) })

const tables = {
  int64: defineTable('HashInt64', (t) => ({
    shard: t.shardKey({ shards: 64, of: ['value'] }),
    value: t.int64().key(),
    id: t.int64().key(),
  })),
  string: defineTable('HashString', (t) => ({
    shard: t.shardKey({ shards: 200, of: ['value'] }),
    value: t.string({ nullable: true }).key(),
    id: t.int64().key(),
  })),
  bytes: defineTable('HashBytes', (t) => ({
    shard: t.shardKey({ shards: 7, of: ['value'] }),
    value: t.bytes({ nullable: true }).key(),
    id: t.int64().key(),
  })),
  bool: defineTable('HashBool', (t) => ({
    shard: t.shardKey({ shards: 2, of: ['value'] }),
    value: t.bool({ nullable: true }).key(),
    id: t.int64().key(),
  })),
  date: defineTable('HashDate', (t) => ({
    shard: t.shardKey({ shards: 2048, of: ['value'] }),
    value: t.date({ nullable: true }).key(),
    id: t.int64().key(),
  })),
  timestamp: defineTable('HashTimestamp', (t) => ({
    shard: t.shardKey({ shards: 64, of: ['value'] }),
    id: t.int64().key(),
    value: t.timestamp({ nullable: true }).key(),
  })),
  uuid: defineTable('HashUuid', (t) => ({
    shard: t.shardKey({ shards: 64, of: ['value'] }),
    value: t.uuidV4(),
    id: t.int64().key(),
  })),
} as const

const composite = defineTable('HashComposite', (t) => ({
  shard: t.shardKey({ shards: 200, of: ['text', 'id', 'at', 'flag'] }),
  text: t.string({ nullable: true }).key(),
  id: t.int64().key(),
  at: t.timestamp({ nullable: true }).key(),
  flag: t.bool({ nullable: true }).key(),
}))
const withBytes = defineTable('HashCompositeBytes', (t) => ({
  shard: t.shardKey({ shards: 200, of: ['text', 'raw', 'id'] }),
  text: t.string({ nullable: true }).key(),
  raw: t.bytes({ nullable: true }).key(),
  id: t.int64().key(),
}))

const { db, client } = await testDatabase(defineSchema([...Object.values(tables), composite, withBytes]))

/** What the database says of each value, in the order given. */
async function ask(expression: string, type: string, values: readonly string[]): Promise<bigint[]> {
  const [rows] = await client.run({
    sql: `SELECT ${expression} FROM UNNEST(@values) AS v WITH OFFSET AS place ORDER BY place`,
    params: { values },
    types: { values: { type: 'array', child: type } },
  })
  return (rows as { value: { value: string } }[][]).map((row) => BigInt(row[0]!.value.value))
}

describe('keys made here equal those made by the database', () => {
  it(`bitReverse, for ${VALUES} values`, async () => {
    const values = sample(int64s)
    const written = values.map(String)
    expect(values.map((value) => bitReverse(value))).toEqual(
      await ask('BIT_REVERSE(v, TRUE)', 'int64', written),
    )
    expect(values.map((value) => bitReverse(value, { preserveSign: false }))).toEqual(
      await ask('BIT_REVERSE(v, FALSE)', 'int64', written),
    )
  })

  it(`fingerprint, for ${VALUES} texts and as many byte strings`, async () => {
    const written = sample(texts)
    expect(written.map(fingerprint)).toEqual(await ask('FARM_FINGERPRINT(v)', 'string', written))
    const raw = sample(bytes)
    expect(raw.map(fingerprint)).toEqual(
      await ask(
        'FARM_FINGERPRINT(v)',
        'bytes',
        raw.map((each) => each.toString('base64')),
      ),
    )
  })

  const nullable = <T>(of: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(of, { freq: 50 })
  const cases: [kind: keyof typeof tables, values: fc.Arbitrary<Hashable>][] = [
    ['int64', int64s],
    ['string', nullable(texts)],
    ['bytes', nullable(bytes)],
    ['bool', nullable(fc.boolean())],
    ['date', nullable(days)],
    ['timestamp', nullable(times)],
    ['uuid', fc.constant(null).map(() => randomUUID())],
  ]
  it.each(cases)(`shardOf, for ${VALUES} keys of type %s in a generated column`, async (kind, values) => {
    const table = tables[kind]
    const rows = sample(values).map((value, id) => ({ ...key(id), value }))
    const inserted = await db.insert(table as never, rows as never, { split: true })
    await compareShards(table, inserted, ({ value }) => value!)
  })

  it(`shardOf, for ${VALUES} composite keys, NULLs and times before 1970 among them`, async () => {
    const rows = sample(
      fc.record({ text: nullable(texts), at: nullable(times), flag: nullable(fc.boolean()) }),
    ).map((row, id) => ({ ...row, ...key(id) }))
    const inserted = await db.insert(composite, rows, { split: true })
    await compareShards(composite, inserted, ({ text, id, at, flag }) => [text, id, at, flag] as Hashable[])
  })

  it(`shardOf, for ${VALUES} composite keys with bytes`, async () => {
    const rows = sample(fc.record({ text: nullable(texts), raw: nullable(bytes) })).map((row, id) => ({
      ...row,
      ...key(id),
    }))
    const inserted = await db.insert(withBytes, rows, { split: true })
    await compareShards(withBytes, inserted, ({ text, raw, id }) => [text, raw, id] as Hashable[])
  })
})

type StoredRow = Readonly<Record<string, Hashable>>

/** What the insert gave back, what the database has stored, and what `shardOf` says, row by row. */
async function compareShards(
  table: { readonly name: string },
  inserted: readonly object[],
  values: (row: StoredRow) => Hashable | Hashable[],
): Promise<void> {
  const stored = (await db.fanOut(table.name).orderBy('id').all()) as StoredRow[]
  expect(stored.length).toBe(VALUES)
  const given = (inserted as StoredRow[]).toSorted((a, b) =>
    Number((a['id'] as bigint) - (b['id'] as bigint)),
  )
  expect(stored).toEqual(given)
  const shards = Number(/, (\d+)\)\)$/.exec(await shardSql(table.name))![1])
  expect(stored.map((row) => Number(row['shard']))).toEqual(stored.map((row) => shardOf(values(row), shards)))
}

async function shardSql(table: string): Promise<string> {
  const [rows] = await client.run({
    sql: 'SELECT GENERATION_EXPRESSION FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_NAME = @table AND COLUMN_NAME = "shard"',
    params: { table },
    json: true,
  })
  return (rows as { GENERATION_EXPRESSION: string }[])[0]!.GENERATION_EXPRESSION
}
