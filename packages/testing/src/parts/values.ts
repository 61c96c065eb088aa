import { defineSchema, defineTable, type Database } from '@isotherm/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Traits, part } from '../part.js'
import { precise } from '../data/precise.js'
import * as values from '../data/values.js'

type Row = Record<string, unknown>

/** A column of every type, and of arrays of every type. */
const columns = {
  flag: 'bool',
  whole: 'int64',
  count: 'int53',
  single: 'float32',
  double: 'float64',
  exact: 'numeric',
  words: 'text',
  raw: 'bytes',
  day: 'day',
  moment: 'timestamp',
  document: 'json',
  text_id: 'uuid',
  pair_id: 'uuid',
  raw_id: 'uuid',
} as const

type Kind = (typeof columns)[keyof typeof columns]

/** The columns that there are arrays of. */
const inArrays = Object.entries(columns).filter(([name]) => name !== 'pair_id' && name !== 'raw_id')

const lists: ReadonlySet<string> = new Set(inArrays.map(([name]) => `${name}s`))

const nullable = defineTable('Nullable', (t) => ({
  shard: t.shardKey({ shards: 4, of: ['id'] }),
  id: t.uuidV4(),
  flag: t.bool({ nullable: true }),
  whole: t.int64({ nullable: true }),
  count: t.int64({ nullable: true, as: 'number' }),
  single: t.float32({ nullable: true }),
  double: t.float64({ nullable: true }),
  exact: t.numeric({ nullable: true }),
  words: t.string({ nullable: true }),
  raw: t.bytes({ nullable: true }),
  day: t.date({ nullable: true }),
  moment: t.timestamp({ nullable: true }),
  document: t.json({ nullable: true }),
  text_id: t.uuid({ nullable: true }),
  pair_id: t.uuid({ nullable: true, storage: 'int64-pair' }),
  raw_id: t.uuid({ nullable: true, storage: 'bytes' }),
  flags: t.array({ kind: 'bool' }, { nullable: true }),
  wholes: t.array({ kind: 'int64' }, { nullable: true }),
  counts: t.array({ kind: 'int64', as: 'number' }, { nullable: true }),
  singles: t.array({ kind: 'float32' }, { nullable: true }),
  doubles: t.array({ kind: 'float64' }, { nullable: true }),
  exacts: t.array({ kind: 'numeric' }, { nullable: true }),
  wordss: t.array({ kind: 'string', length: 'max' }, { nullable: true }),
  raws: t.array({ kind: 'bytes', length: 'max' }, { nullable: true }),
  days: t.array({ kind: 'date' }, { nullable: true }),
  moments: t.array({ kind: 'timestamp' }, { nullable: true }),
  documents: t.array({ kind: 'json' }, { nullable: true }),
  text_ids: t.array({ kind: 'uuid' }, { nullable: true }),
}))

/** A list that may be empty and is not NULL is a value as a whole, where a list of single cells is NULL without them. */
function requiredIn({ emptyLists }: Traits) {
  const whole = emptyLists ? {} : ({ frozen: true } as const)
  return defineTable('Required', (t) => ({
    id: t.uuidV4(),
    flag: t.bool(),
    whole: t.int64(),
    count: t.int64({ as: 'number' }),
    single: t.float32(),
    double: t.float64(),
    exact: t.numeric(),
    words: t.string(),
    raw: t.bytes(),
    day: t.date(),
    moment: t.timestamp(),
    document: t.json(),
    text_id: t.uuid(),
    pair_id: t.uuid({ storage: 'int64-pair' }),
    raw_id: t.uuid({ storage: 'bytes' }),
    flags: t.array({ kind: 'bool' }, whole),
    wholes: t.array({ kind: 'int64' }, whole),
    counts: t.array({ kind: 'int64', as: 'number' }, whole),
    singles: t.array({ kind: 'float32' }, whole),
    doubles: t.array({ kind: 'float64' }, whole),
    exacts: t.array({ kind: 'numeric' }, whole),
    wordss: t.array({ kind: 'string', length: 'max' }, whole),
    raws: t.array({ kind: 'bytes', length: 'max' }, whole),
    days: t.array({ kind: 'date' }, whole),
    moments: t.array({ kind: 'timestamp' }, whole),
    documents: t.array({ kind: 'json' }, whole),
    text_ids: t.array({ kind: 'uuid' }, whole),
  }))
}

const limited = defineTable('Limited', (t) => ({
  id: t.uuidV4(),
  words: t.string({ length: 5 }),
  raw: t.bytes({ length: 5 }),
}))

type Table = 'Nullable' | 'Required'

/** Ways to write rows that are not there yet. */
const inserts: Record<string, (db: Database, table: Table, rows: Row[]) => Promise<unknown>> = {
  insert: (db, table, rows) => db.insert(table, rows, { allowMultipleCommits: true }),
  upsert: (db, table, rows) => db.upsert(table, rows, { allowMultipleCommits: true }),
  'insert by statement': (db, table, rows) => db.transaction((tx) => tx.insert(table, rows)),
  'upsert by statement': (db, table, rows) => db.transaction((tx) => tx.upsert(table, rows)),
  'buffered insert': (db, table, rows) => db.transaction((tx) => tx.insert(table, rows, { buffered: true })),
  'buffered upsert': (db, table, rows) => db.transaction((tx) => tx.upsert(table, rows, { buffered: true })),
}

/** Ways to change rows that are there. */
const changes: typeof inserts = {
  update: (db, table, rows) => db.update(table, rows, { allowMultipleCommits: true }),
  upsert: (db, table, rows) => db.upsert(table, rows, { allowMultipleCommits: true }),
  'update by statement': (db, table, rows) => db.transaction((tx) => tx.update(table, rows)),
  'upsert by statement': (db, table, rows) => db.transaction((tx) => tx.upsert(table, rows)),
  'buffered update': (db, table, rows) => db.transaction((tx) => tx.update(table, rows, { buffered: true })),
  'buffered upsert': (db, table, rows) => db.transaction((tx) => tx.upsert(table, rows, { buffered: true })),
}

/** The writes of an engine without transactions: by mutation. */
function callsIn<Call>(calls: Readonly<Record<string, Call>>, { transactions }: Traits): [string, Call][] {
  return Object.entries(calls).filter(([name]) => transactions || !/ /.test(name))
}

export const roundTrips = part([], async ({ dialect, traits, database }) => {
  const { db } = await database(defineSchema([nullable, requiredIn(traits), limited]))

  const scalars: Record<Kind, fc.Arbitrary<unknown>> = {
    ...values,
    numeric: values.numeric(dialect.values.numeric),
    json: values.json(dialect.values.json),
    text: values.textIn(traits),
    timestamp: values.timestampOf(traits.timestampDigits),
  }

  /** Rows with a value for each column; where they may, some are NULL, and with `partial` some are left out. */
  function rows(table: Table, partial: boolean): fc.Arbitrary<Row[]> {
    const orNull = (value: fc.Arbitrary<unknown>) =>
      table === 'Nullable' ? fc.option(value, { freq: 6 }) : value
    const itemsOf = (item: fc.Arbitrary<unknown>) => (traits.nullItems ? fc.option(item) : item)
    const cells = {
      ...Object.fromEntries(
        Object.entries(columns).map(([name, kind]) => [name, orNull(scalars[kind])] as const),
      ),
      ...Object.fromEntries(
        inArrays.map(
          ([name, kind]) => [`${name}s`, orNull(fc.array(itemsOf(scalars[kind]), { maxLength: 3 }))] as const,
        ),
      ),
    }
    const row = partial ? fc.record(cells, { requiredKeys: ['flag'] }) : fc.record(cells)
    return fc.array(row, { minLength: 1, maxLength: 5 })
  }

  /** A row as it is there: an empty list may be NULL, and zero may have one sign. */
  function shown(table: Table, row: Row): Row {
    const zero = (value: unknown): unknown => (traits.signedZero || value !== 0 ? value : 0)
    return Object.fromEntries(
      Object.entries(row).map(([name, value]) => {
        if (!Array.isArray(value) || !lists.has(name)) return [name, zero(value)]
        const isNull = value.length === 0 && !traits.emptyLists && table === 'Nullable'
        return [name, isNull ? null : value.map(zero)]
      }),
    )
  }

  /** By key, and with each strategy of the fan-out: all of them tell the same. */
  async function expectRows(table: Table, expected: readonly Row[]): Promise<void> {
    const moment = traits.pastReads ? ({ at: { exactStaleness: 0 } } as const) : {}
    const wanted = new Map(expected.map((row) => [row['id'], values.comparableRow(shown(table, row))]))
    const expectAll = (found: readonly (Row | undefined)[]): void => {
      expect(found).toHaveLength(wanted.size)
      for (const row of found) {
        const cells = without(values.comparableRow(row!), 'shard')
        expect(cells).toStrictEqual(wanted.get(cells['id']))
      }
    }
    const all = db.fanOut(table).where({ id: { in: expected.map((row) => row['id']) } })
    const byId = moment.at ? all.timestampBound(moment.at) : all
    expectAll(await Promise.all(expected.map(({ id }) => db.get(table, { id }, moment))))
    if (traits.transactions)
      expectAll(await db.transaction((tx) => Promise.all(expected.map(({ id }) => tx.get(table, { id })))))
    for (const strategy of traits.strategies) expectAll(await byId.strategy(strategy).all())
    expectAll((await byId.page()).rows)
  }

  const withId = (row: Row): Row => ({ ...row, id: crypto.randomUUID() })

  describe.each(['Nullable', 'Required'] as const)('values of every type in the table %s', (table) => {
    const nothing = Object.fromEntries(
      [...Object.keys(columns), ...inArrays.map(([name]) => `${name}s`)].map((name) => [name, null]),
    )

    it.each(callsIn(inserts, traits))('are read back as they were written by %s', async (_, write) => {
      await fc.assert(
        fc.asyncProperty(rows(table, table === 'Nullable'), async (input) => {
          const identified = input.map(withId)
          await write(db, table, identified)
          await expectRows(
            table,
            identified.map((row) => ({ ...nothing, ...row })),
          )
        }),
        { numRuns: 5, endOnFailure: true },
      )
    })

    it.each(callsIn(changes, traits))(
      'are read back as they were written by %s of an existing row',
      async (name, write) => {
        const partial = table === 'Nullable' || name.includes('update')
        await fc.assert(
          fc.asyncProperty(rows(table, false), rows(table, partial), async (input, changed) => {
            const before = input.map(withId)
            await db.insert(table, before, { allowMultipleCommits: true })
            const change = before.map(({ id }, at) => ({ ...changed[at % changed.length], id }))
            await write(db, table, change)
            await expectRows(
              table,
              before.map((row, at) => ({ ...row, ...change[at] })),
            )
          }),
          { numRuns: 5, endOnFailure: true },
        )
      },
    )

    it('are returned by insert() as they are read back', async () => {
      await fc.assert(
        fc.asyncProperty(rows(table, false), async (input) => {
          const inserted: Row[] = await db.insert(table, input, { allowMultipleCommits: true })
          await expectRows(
            table,
            inserted.map((row) => without(row, 'shard')),
          )
          const returned = inserted.map((row) => values.comparable(without(row, 'shard', 'id')))
          expect(returned).toStrictEqual(values.comparable(input.map((row) => shown(table, row))))
        }),
        { numRuns: 5, endOnFailure: true },
      )
    })
  })

  it('values that are longer than one message are read back whole', async () => {
    const long = 'aé\u{1F600}'.repeat(Math.floor(traits.largeCell / 7))
    const words = Array.from({ length: traits.largeCell / 10_000 }, (_, at) => `${at}-${'x'.repeat(10_000)}`)
    const input = [
      { words: long, raw: Buffer.alloc(traits.largeCell, 7), wordss: words },
      { words: 'short' },
      { wordss: traits.nullItems ? [...words, null] : words },
    ]
    const inserted = await db.insert(nullable, input, { allowMultipleCommits: true })
    const read = await db
      .fanOut(nullable)
      .where({ id: { in: inserted.map(({ id }) => id) } })
      .all()
    for (const { raw, ...each } of inserted) {
      const { raw: readRaw, ...found } = read.find(({ id }) => id === each.id)!
      expect(found).toEqual(each)
      // Byte by byte, toEqual takes seconds for three million.
      expect(raw === null ? readRaw === null : Buffer.compare(raw, readRaw!) === 0).toBe(true)
    }
  })

  it('string and bytes columns accept values up to their length, in characters and bytes, and reject longer values', async () => {
    const longest = { words: '\u{1F600}'.repeat(5), raw: Buffer.alloc(5) }
    const [row] = await db.insert(limited, [longest])
    expect(await db.get(limited, row!)).toEqual({ ...longest, id: row!.id })
    for (const tooLong of [{ words: 'x'.repeat(6) }, { raw: Buffer.alloc(6) }]) {
      await expect(db.insert(limited, [{ ...longest, ...tooLong }])).rejects.toMatchObject({
        code: 'INVALID_VALUE',
        column: Object.keys(tooLong)[0],
      })
    }
  })

  it('values given in different forms are stored in one normal form', async () => {
    const lower = '0f0e0d0c-0b0a-4908-8706-050403020100'
    const forms: [property: string, input: unknown, shown: unknown][] = [
      ['exact', '+0012.3400', '12.34'],
      ['exact', '-.50', '-0.5'],
      ['exact', '-0.0', '0'],
      ['exact', 12n, '12'],
      ['whole', 12, 12n],
      ['count', 12n, 12],
      ['single', 0.1, Math.fround(0.1)],
      ['text_id', lower.toUpperCase(), lower],
      ['pair_id', lower.toUpperCase(), lower],
      ['raw_id', lower.toUpperCase(), lower],
      ['raw', new Uint8Array([1, 2]), Buffer.of(1, 2)],
      ['moment', new Date(7), precise('1970-01-01T00:00:00.007Z')],
      [
        'document',
        { at: new Date(0), gone: undefined, list: [undefined], zero: -0, small: 5n },
        { at: '1970-01-01T00:00:00.000Z', list: [null], zero: 0, small: 5 },
      ],
    ]
    for (const [property, input, shown] of forms) {
      const [inserted] = await db.insert('Nullable', [{ [property]: input }])
      const read = await db.get('Nullable', inserted!)
      expect(values.comparable(read)).toStrictEqual(values.comparable(inserted))
      expect(values.comparable(read![property])).toStrictEqual(values.comparable(shown))
    }
  })

  it('numeric columns store the maximum number of digits of the database, and reject more digits', async () => {
    const [highest, tooMany] =
      dialect.values.numeric === 'fixed'
        ? [`${'9'.repeat(29)}.${'9'.repeat(9)}`, ['9'.repeat(30), `0.${'1'.repeat(10)}`]]
        : [`${'9'.repeat(131_072)}.${'9'.repeat(16_383)}`, ['9'.repeat(131_073), `0.${'1'.repeat(16_384)}`]]
    const [row] = await db.insert(nullable, [{ exact: highest, exacts: [highest, `-${highest}`] }])
    expect(await db.get(nullable, row!)).toEqual(row)
    for (const exact of tooMany) {
      await expect(db.insert(nullable, [{ exact }])).rejects.toMatchObject({
        code: 'INVALID_VALUE',
        column: 'exact',
      })
    }
  })
})

function without(row: Row, ...names: readonly string[]): Row {
  return Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)))
}
