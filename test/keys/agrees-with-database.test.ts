import { compileDdl, defineSchema, defineTable, type ColumnBuilder, type TableBuilder } from '@isotherm/core'
import { bitReverse, fingerprint, shardOf, type Hashable } from '@isotherm/core/keys'
import fc from 'fast-check'
import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { precise } from '@isotherm/testing/data/precise'
import { runsInGate, scaled } from '../support/runs.js'
import { dialects, testDatabase } from '../support/spanner.js'
import { inDialect } from './support.js'

const VALUES = scaled(runsInGate(10_000, 200))
/** Number of index entries: the emulator is slow with an index on a column that is not stored. */
const ENTRIES = scaled(1_000)
/** The emulator takes milliseconds for each time in PostgreSQL, and a commit has a timeout. */
const ROWS_PER_INSERT = 2_000
const SLOW_ENGINE = 300_000

const int64s = fc.oneof(
  { weight: 8, arbitrary: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }) },
  { weight: 2, arbitrary: fc.bigInt({ min: -1000n, max: 1000n }) },
  { weight: 1, arbitrary: fc.constantFrom(-(2n ** 63n), 2n ** 63n - 1n, 0n, -1n, 1n) },
)
const numbers = fc.oneof(
  { weight: 8, arbitrary: fc.maxSafeInteger() },
  { weight: 2, arbitrary: fc.integer({ min: -1000, max: 1000 }) },
  { weight: 1, arbitrary: fc.constantFrom(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, 0, -1, 1e15) },
)
const texts = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    '',
    '\\N',
    '|',
    '\u0000',
    '\u{10FFFF}',
    'Zürich',
    '東京',
    '"quoted" `text`',
    '\\x41',
    'a\\b',
  ),
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
// Most of these times are after 1970 because the range is long: before 1970, the microsecond rounds the other way.
const past = fc
  .tuple(fc.integer({ min: -2_000_000_000, max: -1 }), fc.nat(999_999))
  .map(([millis, below]) =>
    precise(new Date(millis).toISOString().replace('Z', `${String(below).padStart(6, '0')}Z`)),
  )
const days = fc
  .date({ min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T00:00:00Z'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10))

function sample<T>(of: fc.Arbitrary<T>, numRuns = VALUES): T[] {
  return fc.sample(of, { numRuns, seed: 20260101 })
}

const nullable = <T>(of: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(of, { freq: 50 })

interface Case {
  readonly shards: number
  readonly values: fc.Arbitrary<Hashable>
  readonly column: (
    t: TableBuilder,
    options: { nullable: boolean; immutable: boolean },
  ) => ColumnBuilder<unknown>
}

const cases: Readonly<Record<string, Case>> = {
  int64: { shards: 64, values: int64s, column: (t, options) => t.int64(options) },
  number: { shards: 64, values: numbers, column: (t, options) => t.int64({ ...options, as: 'number' }) },
  string: { shards: 200, values: texts, column: (t, options) => t.string(options) },
  bytes: { shards: 7, values: bytes, column: (t, options) => t.bytes(options) },
  bool: { shards: 2, values: fc.boolean(), column: (t, options) => t.bool(options) },
  date: { shards: 512, values: days, column: (t, options) => t.date(options) },
  timestamp: { shards: 64, values: fc.oneof(times, past), column: (t, options) => t.timestamp(options) },
  uuid: {
    shards: 64,
    values: fc.constant(null).map(() => randomUUID()),
    column: (t, options) => t.uuid(options),
  },
}
const names = Object.keys(cases)

// A key may hold NULL in GoogleSQL. In PostgreSQL only a column outside the key may, and the database's rules allow one.
const inKey = names.map((name) =>
  defineTable(`Key_${name}`, (t) => ({
    shard: t.shardKey({ shards: cases[name]!.shards, of: ['value'], computedBy: 'database' }),
    value: cases[name]!.column(t, { nullable: true, immutable: false }).key(),
    id: t.int64().key(),
  })),
)
const outsideKey = names.map((name) =>
  defineTable(`Beside_${name}`, (t) => ({
    shard: t.shardKey({ shards: cases[name]!.shards, of: ['value'], computedBy: 'database' }),
    id: t.int64().key(),
    value: cases[name]!.column(t, { nullable: true, immutable: true }),
  })),
)
const WithBytes = defineTable('WithBytes', (t) => ({
  shard: t.shardKey({ shards: 200, of: ['text', 'raw', 'at', 'id'], computedBy: 'database' }),
  text: t.string().key(),
  raw: t.bytes().key(),
  at: t.timestamp().key(),
  id: t.int64().key(),
}))
/** Any of them may be NULL, in either dialect: the index is sharded by a column that is not stored. */
const Everything = defineTable(
  'Everything',
  (t): Record<string, ColumnBuilder<unknown>> => ({
    id: t.int64().key(),
    ...Object.fromEntries(
      names.map((name) => [name, cases[name]!.column(t, { nullable: true, immutable: false })]),
    ),
  }),
  {
    indexes: [
      {
        name: 'ByTexts',
        on: ['timestamp'],
        shard: { shards: 200, of: names.filter((name) => name !== 'bytes') },
      },
      { name: 'ByAll', on: ['timestamp'], shard: { shards: 64, of: [...names, 'id'] } },
    ],
  },
)

describe.each(dialects)('keys that the client and the database compute in $name', async (dialect) => {
  const single = dialect.name === 'googlesql' ? inKey : outsideKey
  const schema = defineSchema([...single, WithBytes, Everything])
  const { db, client } = await testDatabase(schema, dialect)

  it('have a generated column of the database for every shard of these tables', () => {
    const generated = {
      googlesql: / AS \(ABS\(MOD\(FARM_FINGERPRINT/g,
      'spanner-postgresql': / AS \(abs\(mod\(spanner.farm_fingerprint/g,
    }
    const ddl = compileDdl(schema, { dialect }).join('\n')
    expect(ddl.match(generated[dialect.name])).toHaveLength(names.length + 3)
  })

  /** The result of the expression for each value, in the order of the values. */
  async function ask(
    expression: string,
    type: 'int64' | 'string' | 'bytes',
    values: readonly string[],
  ): Promise<bigint[]> {
    const array = { int64: 'bigint[]', string: 'text[]', bytes: 'bytea[]' }[type]
    // PostgreSQL does not order the rows of an array: each value is returned beside its result.
    const sql = {
      googlesql: `SELECT v, ${expression} FROM UNNEST(@p1) AS v`,
      'spanner-postgresql': `SELECT v, ${expression} FROM unnest($1::${array}) AS v`,
    }
    const [rows] = await client.run({
      sql: sql[dialect.name],
      params: { p1: values },
      types: { p1: { type: 'array', child: type } },
    })
    const answers = new Map(
      (rows as { value: unknown }[][]).map((row) => {
        const [value, answer] = row.map((cell) => cell.value) as [
          { value?: string } | Buffer | string,
          { value: string },
        ]
        const text = Buffer.isBuffer(value)
          ? value.toString('base64')
          : typeof value === 'string'
            ? value
            : value.value!
        return [text, BigInt(answer.value)]
      }),
    )
    return values.map((value) => answers.get(value)!)
  }

  it(`bitReverse() equals the function of the database for ${VALUES} values`, async () => {
    const values = sample(int64s)
    const written = values.map(String)
    const reversed = { googlesql: 'BIT_REVERSE(v,', 'spanner-postgresql': 'spanner.bit_reverse(v,' }[
      dialect.name
    ]
    expect(values.map((value) => bitReverse(value))).toEqual(await ask(`${reversed} TRUE)`, 'int64', written))
    expect(values.map((value) => bitReverse(value, { preserveSign: false }))).toEqual(
      await ask(`${reversed} FALSE)`, 'int64', written),
    )
  })

  it(`fingerprint() equals the function of the database for ${VALUES} strings and as many byte strings`, async () => {
    const hash = { googlesql: 'FARM_FINGERPRINT(v)', 'spanner-postgresql': 'spanner.farm_fingerprint(v)' }[
      dialect.name
    ]
    const written = sample(texts)
    expect(written.map(fingerprint)).toEqual(await ask(hash, 'string', written))
    const raw = sample(bytes)
    const base64 = raw.map((each) => each.toString('base64'))
    expect(raw.map(fingerprint)).toEqual(await ask(hash, 'bytes', base64))
  })

  async function insertInParts(table: string, rows: readonly object[]): Promise<object[]> {
    const inserted: object[] = []
    for (let from = 0; from < rows.length; from += ROWS_PER_INSERT)
      inserted.push(...(await db.insert(table, rows.slice(from, from + ROWS_PER_INSERT) as never)))
    return inserted
  }

  it.each(names)(
    `shardOf() equals the generated column for ${VALUES} keys of type %s, including NULL`,
    { timeout: SLOW_ENGINE },
    async (name) => {
      const table = single[names.indexOf(name)]!
      const { values, shards } = cases[name]!
      const rows = sample(nullable(values)).map((value, id) => ({ id: BigInt(id), value }))
      const wanted = rows.map((row) => ({ ...row, shard: BigInt(shardOf(row.value, shards)) }))
      expect(rows.some(({ value }) => value === null)).toBe(true)
      expect(await insertInParts(table.name, rows)).toEqual(wanted)
      expect(await db.fanOut(table.name).orderBy('id').all()).toEqual(wanted)
    },
  )

  it(
    `shardOf() equals the generated column for ${VALUES} composite keys with bytes and times before 1970`,
    { timeout: SLOW_ENGINE },
    async () => {
      const parts = fc.record({ text: texts, raw: bytes, at: fc.oneof(times, past) })
      const rows = sample(parts).map((row, id) => ({ ...row, id: BigInt(id) }))
      await insertInParts('WithBytes', rows)
      const stored = await db.fanOut(WithBytes).orderBy('id').all()
      expect(stored).toEqual(
        rows.map((row) => ({ ...row, shard: BigInt(shardOf([row.text, row.raw, row.at, row.id], 200)) })),
      )
    },
  )

  it(`shardOf() equals the shard of ${ENTRIES} index entries over every type, including NULL`, async () => {
    const parts = names.map((name) => [name, fc.option(cases[name]!.values, { freq: 5 })])
    const rows = sample(
      fc.record(Object.fromEntries(parts) as Record<string, fc.Arbitrary<Hashable>>),
      ENTRIES,
    ).map((row, id): Record<string, Hashable> => ({ ...row, id: BigInt(id) }))
    await db.insert(Everything, rows as never, { allowMultipleCommits: true })
    const [stored] = await client.run({
      sql: inDialect(dialect, 'SELECT `ByTexts_shard`, `ByAll_shard` FROM `Everything` ORDER BY `id`'),
    })
    const withoutBytes = names.filter((name) => name !== 'bytes')
    expect(
      (stored as { value: { value: string } }[][]).map((row) => row.map((cell) => Number(cell.value.value))),
    ).toEqual(
      rows.map((row) => [
        shardOf(
          withoutBytes.map((name) => row[name]!),
          200,
        ),
        shardOf(
          [...names, 'id'].map((name) => row[name]!),
          64,
        ),
      ]),
    )
  })
})
