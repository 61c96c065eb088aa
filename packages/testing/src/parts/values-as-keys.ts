import { createHash } from 'node:crypto'
import { compileDdl, defineSchema, defineTable, type Database } from '@isotherm/core'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Traits } from '../part.js'
import { part } from '../part.js'
import { matches, sortRows, type Cell, type ReferenceRow } from '../data/reference.js'
import * as values from '../data/values.js'

interface Row extends Record<string, unknown> {
  readonly value: unknown
  readonly n: bigint
  readonly note: string | null
}

interface KeyType {
  readonly arbitrary: fc.Arbitrary<unknown>
  /** What sorts as the value does, for the reference. */
  readonly sortable?: (value: never, traits: Traits) => Cell
  /** Not every engine's keys can hold it. */
  readonly isNarrow?: true
  /** Where keys cannot descend, these have a mirror. */
  readonly mirrored?: true
  readonly hashable?: false
}

/** Nine digits after the point. */
function unscaled(decimal: string): bigint {
  const [whole, fraction = ''] = decimal.replace('-', '').split('.')
  const digits = BigInt(whole + fraction.padEnd(9, '0'))
  return decimal.startsWith('-') ? -digits : digits
}

/** As two signed 64-bit integers. */
function pair(uuid: string): bigint {
  const hex = uuid.replaceAll('-', '')
  const half = (digits: string): bigint => BigInt.asIntN(64, BigInt(`0x${digits}`))
  return half(hex.slice(0, 16)) * 2n ** 64n + half(hex.slice(16)) + 2n ** 63n
}

/** The digit of the version before all others, where that comes first. */
function versioned(uuid: string, { uuidOrder }: Traits): string {
  return uuidOrder === 'version-first' ? uuid[14]! + uuid : uuid
}

// A key has room for 8 KiB.
const short = (text: fc.Arbitrary<string>): fc.Arbitrary<string> => text.filter((each) => each.length < 1000)
const bytes = values.bytes.filter((each) => each.length < 1000)
// Zero is one key, whatever its sign: see below.
const unsigned = (float: fc.Arbitrary<number>) => float.map((each) => (each === 0 ? 0 : each))

const types = {
  bool: { arbitrary: values.bool },
  int64: { arbitrary: values.int64, mirrored: true },
  int53: { arbitrary: values.int53, mirrored: true },
  float32: { arbitrary: unsigned(values.float32), isNarrow: true, hashable: false },
  float64: { arbitrary: unsigned(values.float64), hashable: false },
  numeric: { arbitrary: values.numeric('fixed'), sortable: unscaled, isNarrow: true, hashable: false },
  string: { arbitrary: short(values.text) },
  bytes: { arbitrary: bytes },
  date: { arbitrary: values.day, mirrored: true },
  timestamp: { arbitrary: values.timestamp, mirrored: true },
  // Cassandra orders UUIDs of version 1 by their time, and Isotherm rejects them as first key parts.
  uuid: { arbitrary: values.uuid.filter((each) => each[14] !== '1'), sortable: versioned },
  uuidPair: { arbitrary: values.uuid, sortable: pair },
  uuidBytes: { arbitrary: values.uuid },
} as const satisfies Record<string, KeyType>

type TypeName = keyof typeof types

/** A key of three parts: a shard, the value, and a number, so that values may repeat. */
function keyed(type: TypeName, order: 'asc' | 'desc', nullable: boolean) {
  const { hashable = true } = types[type] as KeyType
  const name = `Keyed_${type}_${order}${nullable ? '_nullable' : ''}`
  return defineTable(name, (t) => {
    const columns = {
      bool: t.bool({ nullable }),
      int64: t.int64({ nullable }),
      int53: t.int64({ nullable, as: 'number' }),
      float32: t.float32({ nullable }),
      float64: t.float64({ nullable }),
      numeric: t.numeric({ nullable }),
      string: t.string({ nullable }),
      bytes: t.bytes({ nullable }),
      date: t.date({ nullable }),
      timestamp: t.timestamp({ nullable }),
      uuid: t.uuid({ nullable }),
      uuidPair: t.uuid({ nullable, storage: 'int64-pair' }),
      uuidBytes: t.uuid({ nullable, storage: 'bytes' }),
    }
    return {
      shard: t.shardKey({ shards: 3, of: hashable ? ['value', 'n'] : ['n'] }),
      value: columns[type].key(order) as never,
      n: t.int64().key(),
      note: t.string({ nullable: true }),
    }
  })
}

export const valuesAsKeys = part([], async ({ dialect, traits, database, when, sample }) => {
  const { readStrategies: strategies } = traits
  const shapes = Object.keys(types).flatMap((name) => {
    const type = name as TypeName
    const { isNarrow, mirrored } = types[type] as KeyType
    if (isNarrow && !traits.narrowKeys) return []
    const descends = traits.descendingKeys || mirrored === true
    return [
      { type, order: 'asc' as const, nullable: false },
      ...(traits.nullKeys
        ? (['asc', 'desc'] as const).map((order) => ({ type, order, nullable: true }))
        : descends
          ? [{ type, order: 'desc' as const, nullable: false }]
          : []),
    ]
  })
  const tested = sample(shapes, 6)
  /** Tests below use the tables of these types by name. */
  const named = shapes.filter(
    ({ type, nullable }) => !nullable && ['float64', 'string', 'bytes'].includes(type),
  )
  const schema = defineSchema(
    [...new Set([...tested, ...named])].map(({ type, order, nullable }) => keyed(type, order, nullable)),
  )
  const { db, empty } = await database(schema)
  const at = traits.pastReads ? { at: { exactStaleness: 0 } } : {}
  const many = { allowMultipleCommits: true } as const
  // A transaction is one commit.
  const manyByStatement: object | undefined = traits.transactions ? undefined : many
  /** By statement in a transaction where there is one, so that both ways are tried. */
  const byStatement = <Result>(
    work: (on: Pick<Database, 'insert' | 'update' | 'upsert' | 'delete' | 'get'>) => Promise<Result>,
  ) => (traits.transactions ? db.transaction((tx) => work(tx as never)) : work(db))

  function rowsOf(type: TypeName, nullable: boolean): fc.Arbitrary<Row[]> {
    const own: Partial<Record<TypeName, fc.Arbitrary<unknown>>> = {
      timestamp: values.timestampOf(traits.timestampDigits),
      string: short(values.textIn(traits)),
    }
    const arbitrary = own[type] ?? types[type].arbitrary
    const value = traits.nanKeys ? arbitrary : arbitrary.filter((each) => !Number.isNaN(each))
    return fc
      .array(nullable ? fc.option(value, { freq: 6 }) : value, { minLength: 2, maxLength: 6 })
      .map((input) =>
        // Each value twice.
        [...input, ...input].map((each, position) => ({
          value: each,
          n: BigInt(position),
          note: `note ${position}`,
        })),
      )
  }

  async function expectOrdered(
    query: ReturnType<Database['fanOut']>,
    expected: readonly Row[],
  ): Promise<void> {
    expect((await query.all()).map((row) => row['n'])).toEqual(expected.map(({ n }) => n))
  }

  /** The same page by page. */
  async function expectPages(query: ReturnType<Database['fanOut']>, expected: readonly Row[]): Promise<void> {
    const found: unknown[] = []
    let next: string | undefined
    do {
      const page = await query.limit(7).after(next).page()
      found.push(...page.rows.map((row) => row['n']))
      next = page.next
    } while (next !== undefined)
    expect(found).toEqual(expected.map(({ n }) => n))
  }

  it.each(tested)(
    'rows are found, ordered, updated and deleted by keys of type $type, $order, nullable: $nullable',
    async ({ type, order, nullable }) => {
      const table = keyed(type, order, nullable).name
      const { sortable } = types[type] as KeyType
      const reference = (row: Row): ReferenceRow => ({
        value: row.value === null ? null : (sortable?.(row.value as never, traits) ?? (row.value as Cell)),
        n: row.n,
      })
      const sorted = (rows: readonly Row[], direction: 'asc' | 'desc'): Row[] => {
        const byNumber = new Map(rows.map((row) => [row.n, row]))
        const terms = [
          { property: 'value', direction },
          { property: 'n', direction: 'asc' as const },
        ]
        return sortRows(rows.map(reference), terms, dialect).map((row) => byNumber.get(row['n'] as bigint)!)
      }
      await fc.assert(
        fc.asyncProperty(rowsOf(type, nullable), fc.constantFrom(...strategies), async (rows, strategy) => {
          await empty(table)
          const [first, second] = [rows.slice(0, rows.length / 2), rows.slice(rows.length / 2)]
          await db.insert(table, first, many)
          await byStatement((on) => on.insert(table, second, manyByStatement))

          // By key, its shard computed.
          const keyOf = ({ value, n }: Row) => ({ value, n })
          const got = await Promise.all(rows.map((row) => db.get(table, keyOf(row), at)))
          for (const [position, row] of rows.entries()) {
            const { shard: _, ...found } = got[position]!
            expect(values.comparable(found)).toStrictEqual(values.comparable(row))
          }
          await byStatement(async (on) => {
            const found = await Promise.all(rows.map((row) => on.get(table, keyOf(row))))
            expect(found.map((row) => row!['n'])).toEqual(rows.map((row) => row.n))
          })

          // In order: that of the key, and the other way round.
          const query = (at.at ? db.fanOut(table).timestampBound(at.at) : db.fanOut(table)).strategy(strategy)
          await expectOrdered(query, sorted(rows, order))
          await expectPages(query, sorted(rows, order))
          const back = order === 'asc' ? 'desc' : 'asc'
          const backwards = query.orderBy('value', back).orderBy('n')
          await expectOrdered(backwards, sorted(rows, back))
          await expectPages(backwards, sorted(rows, back))

          // From one value on, and that value alone.
          const { value } = rows.at(-1)!
          for (const where of [{ value }, ...(value === null ? [] : [{ value: { gte: value } }])]) {
            const own = reference({ value, n: 0n, note: null })['value']
            const matched = rows.filter(
              (row) =>
                matches(
                  reference(row),
                  { value: 'gte' in Object(where.value) ? { gte: own } : own },
                  dialect,
                ) === true,
            )
            await expectOrdered(query.where(where), sorted(matched, order))
          }

          // Changed and deleted by key, by mutation and by statement.
          const changes = rows.map((row) => ({ ...keyOf(row), note: `new ${row.n}` }))
          await db.update(table, changes.slice(0, 3), many)
          await byStatement((on) => on.update(table, changes.slice(3), manyByStatement))
          expect(new Set((await query.all()).map((row) => row['note']))).toEqual(
            new Set(changes.map((change) => change.note)),
          )
          await db.delete(table, first.map(keyOf), many)
          expect(await query.count()).toBe(second.length)
          await byStatement((on) => on.delete(table, second.map(keyOf), manyByStatement))
          expect(await query.count()).toBe(0)
        }),
        { numRuns: 10, endOnFailure: true },
      )
    },
  )

  it.each(traits.signedZeroKeys ? [] : [0, -0])(
    '0 and -0 are the same key, and %s finds rows inserted with either',
    async (zero) => {
      const table = 'Keyed_float64_asc'
      await empty(table)
      await db.insert(table, [{ value: 0, n: 1n }])
      await byStatement((on) => on.insert(table, [{ value: -0, n: 2n }]))
      for (const n of [1n, 2n]) {
        expect(await db.get(table, { value: zero, n })).toMatchObject({ n })
        expect(await byStatement((on) => on.get(table, { value: zero, n }))).toMatchObject({ n })
      }
      for (const strategy of strategies)
        await expectOrdered(db.fanOut(table).where({ value: zero }).strategy(strategy), [
          { value: 0, n: 1n, note: null },
          { value: 0, n: 2n, note: null },
        ])
      await expect(db.insert(table, [{ value: -zero, n: 1n }])).rejects.toMatchObject({
        code: 'ALREADY_EXISTS',
      })
    },
  )

  when('signedZeroKeys', 'the keys 0 and -0', () => {
    it.each(['asc', 'desc'] as const)('are different keys and are read in their order, %s', async (order) => {
      const table = `Keyed_float64_${order}`
      const row = (value: number, n: bigint) => ({
        value,
        n,
        note: `${Object.is(value, -0) ? '-0' : value}, ${n}`,
      })
      const zeros = [row(-0, 1n), row(-0, 2n), row(0, 1n), row(0, 2n)]
      const rows = [row(-1, 1n), ...zeros, row(1, 1n)]
      await empty(table)
      await db.insert(table, rows.toReversed(), many)
      for (const { value, n, note } of zeros)
        expect(await db.get(table, { value, n })).toMatchObject({ value, note })

      const rank = ({ value }: { value: number }) => rows.findIndex((each) => Object.is(each.value, value))
      const sorted = rows.toSorted(
        (a, b) => (order === 'asc' ? 1 : -1) * (rank(a) - rank(b)) || Number(a.n - b.n),
      )
      const notes = (found: readonly object[]) => found.map((each) => (each as Row).note)
      for (const strategy of strategies) {
        const query = db.fanOut(table).strategy(strategy)
        const of = async (value: unknown) => notes(await query.where({ value }).all())
        expect(notes(await query.all())).toEqual(notes(sorted))
        const found: object[] = []
        for (let next: string | undefined; ;) {
          const page = await query.limit(1).after(next).page()
          found.push(...page.rows)
          if ((next = page.next) === undefined) break
        }
        expect(notes(found)).toEqual(notes(sorted))
        expect(await of(0)).toEqual(['0, 1', '0, 2'])
        expect(await of(-0)).toEqual(['-0, 1', '-0, 2'])
        expect(await of({ in: [0, -0] })).toHaveLength(4)
        expect(new Set(await of({ gte: 0 }))).toEqual(new Set(['0, 1', '0, 2', '1, 1']))
        expect(new Set(await of({ lt: 0 }))).toEqual(new Set(['-0, 1', '-0, 2', '-1, 1']))
      }

      const [first, second] = zeros
      await db.update(table, { value: first!.value, n: first!.n, note: 'changed' })
      await db.delete(table, { value: second!.value, n: second!.n })
      expect(notes(await db.fanOut(table).where({ value: -0 }).all())).toEqual(['changed'])
      expect(notes(await db.fanOut(table).where({ value: 0 }).all())).toEqual(['0, 1', '0, 2'])
    })
  })

  when('nanKeys', 'rows with NaN in the key', () => {
    it('are found by get, update, upsert and delete', async () => {
      const table = 'Keyed_float64_asc'
      const keys = [1n, 2n, 3n].map((n) => ({ value: NaN, n }))
      await empty(table)
      await db.insert(table, keys, many)
      await byStatement(async (on) => {
        await on.update(table, { ...keys[0], note: 'changed' })
        expect(await on.get(table, keys[0]!)).toMatchObject({ note: 'changed' })
        await on.upsert(table, [{ ...keys[1], note: 'changed' }])
        await on.delete(table, keys[2]!)
      })
      expect((await db.fanOut(table).all()).map(({ n, note }) => [n, note])).toEqual([
        [1n, 'changed'],
        [2n, 'changed'],
      ])
    })
  })

  // Of digests, so that no engine can make it shorter.
  const long = Buffer.concat(
    Array.from({ length: 300 }, (_, at) => createHash('sha256').update(String(at)).digest()),
  )
  const tooMuch: (readonly [type: TypeName, value: unknown])[] = [
    ...(traits.longKeys
      ? []
      : ([
          ['string', long.toString('base64')],
          ['bytes', long],
        ] as const)),
    ...(traits.nanKeys ? [] : ([['float64', Number.NaN]] as const)),
  ]

  it.each(tooMuch)(
    'insert() throws an IsothermError for a key of type %s with a value that keys of the engine cannot hold',
    async (type, value) => {
      const [table, row] = [`Keyed_${type}_asc`, { value, n: 1n }]
      await expect(db.insert(table, [row])).rejects.toMatchObject({ name: 'IsothermError' })
      await expect(byStatement((on) => on.insert(table, [row]))).rejects.toMatchObject({
        name: 'IsothermError',
      })
    },
  )

  const { narrowKeys, descendingKeys, nullKeys } = traits
  const noKeys = Object.entries(types).flatMap(([name, type]) => {
    const { isNarrow, mirrored } = type as KeyType
    return [
      ...(nullKeys ? [] : [{ type: name as TypeName, order: 'asc' as const, nullable: true }]),
      ...(isNarrow && !narrowKeys
        ? [{ type: name as TypeName, order: 'asc' as const, nullable: false }]
        : []),
      ...(mirrored || descendingKeys
        ? []
        : [{ type: name as TypeName, order: 'desc' as const, nullable: false }]),
    ]
  })

  it.each(noKeys)(
    'compileDdl() throws UNSUPPORTED_MODEL for an unsupported key of type $type, $order, nullable: $nullable',
    ({ type, order, nullable }) => {
      const schema = defineSchema([keyed(type, order, nullable)])
      const severity = { 'cassandra/low-cardinality-partition': 'off' } as const
      expect(() => compileDdl(schema, { dialect, severity })).toThrow(
        expect.objectContaining({ code: 'UNSUPPORTED_MODEL' }),
      )
    },
  )
})
