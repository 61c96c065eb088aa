import { defineSchema, defineTable, type Dialect } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { type Traits, part } from '../part.js'
import { precise } from '../data/precise.js'
import { comparableRow } from '../data/values.js'

/** A table with a column of every type that something can be computed of. */
const measurements = (shards: number) =>
  defineTable(
    `Measurement${shards}`,
    (t) => ({
      shard: t.shardKey({ shards, of: ['id'] }),
      id: t.int64().key(),
      kind: t.string({ length: 20, nullable: true }),
      big: t.int64({ nullable: true }),
      small: t.int64({ as: 'number', nullable: true }),
      ratio: t.float64({ nullable: true }),
      single: t.float32({ nullable: true }),
      price: t.numeric({ nullable: true }),
      ok: t.bool({ nullable: true }),
      raw: t.bytes({ nullable: true }),
      day: t.date({ nullable: true }),
      at: t.timestamp({ nullable: true }),
      text: t.uuid({ nullable: true }),
      pair: t.uuid({ storage: 'int64-pair', nullable: true }),
      bytes: t.uuid({ storage: 'bytes', nullable: true }),
      info: t.json({ nullable: true }),
    }),
    {
      suppress:
        shards === 1
          ? [{ rule: 'monotonic-first-key', reason: 'One shard is a boundary case of the reader.' }]
          : [],
    },
  )

/** One column is called as its table, and one as what is counted. */
const clashing = defineTable('Clash', (t) => ({
  shard: t.shardKey({ shards: 3, of: ['id'] }),
  id: t.uuidV4(),
  note: t.string(),
  n: t.int64(),
  Clash: t.int64(),
  count: t.int64(),
}))

const MAX = 2n ** 63n - 1n
const uuid = (digit: string): string => `${digit.repeat(8)}-0000-4000-8000-000000000000`

/** Before 1970 by so many of the smallest steps that an engine keeps, counted from a hundred of them. */
const momentAt = (n: number, { timestampDigits }: Traits): string =>
  `1969-12-31T23:59:59.${'9'.repeat(timestampDigits - 2)}${String(n).padStart(2, '0')}Z`

/** A row as a text that is the same for the same row only. */
const textOf = (row: object): string =>
  JSON.stringify(comparableRow(row), (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value))

/** The greatest decimal, or a very large one; nineteen tenths less, so that a sum of it fits. */
function greatestIn({ values: { numeric } }: Dialect): string {
  const [whole, fraction] = numeric === 'fixed' ? [28, 9] : [400, 300]
  return `${'9'.repeat(whole)}.${'9'.repeat(fraction)}`
}

/** Twenty times the greatest integer, and the extremes of every other type. */
function rowsOf(dialect: Dialect, traits: Traits) {
  const greatestDecimal = greatestIn(dialect)
  const extremes = Array.from({ length: 20 }, (_, n) => ({
    id: BigInt(n),
    kind: 'extreme',
    big: MAX,
    small: Number.MAX_SAFE_INTEGER,
    ratio: n % 2 === 0 ? 2 ** 1000 : -(2 ** 1000),
    single: Math.fround(3.4028234663852886e38),
    price: n === 0 ? greatestDecimal : '0.1',
    ok: n % 2 === 0,
    raw: Buffer.of(255 - n, n),
    day: n === 0 ? '0001-01-01' : '9999-12-31',
    at: precise(momentAt(n, traits)),
    text: uuid('abcdef'[n % 6]!),
    pair: uuid('1278f'[n % 5]!),
    bytes: uuid('09f'[n % 3]!),
  }))
  return [
    ...extremes,
    { id: 100n, kind: 'nothing' },
    { id: 101n, kind: 'nothing' },
    { id: 102n, kind: 'odd', big: -3n, small: 2, ratio: NaN, single: NaN, price: '-1.50', ok: false },
    { id: 103n, kind: 'odd', big: 1n, small: -1, ratio: 0.5, single: 0.5, price: '-1.5', ok: false },
    { id: 104n, kind: null, big: -MAX - 1n, ratio: Infinity, single: -Infinity, price: '0', at: new Date(0) },
  ]
}

export const aggregates = part([], async ({ dialect, traits, database }) => {
  const greatestDecimal = greatestIn(dialect)
  const tables = [1, 7, 16].map(measurements)
  const { db } = await database(defineSchema([...tables, clashing]))

  describe.each(tables.map((table, at) => [[1, 7, 16][at]!, table] as const))(
    'a fan-out over %i shards',
    (_, table) => {
      const all = db.fanOut(table)
      const extreme = all.where({ kind: 'extreme' })
      const odd = all.where({ kind: 'odd' })

      it('returns count 0, no groups, and NULL as sum, average and minimum for an empty table', async () => {
        expect(await all.count()).toBe(0)
        expect(await all.countDistinct('kind')).toBe(0)
        expect(await all.sum('big')).toBeNull()
        expect(await all.avg('big')).toBeNull()
        expect(await all.min('at')).toBeNull()
        expect(
          await all
            .groupBy('kind')
            .select({ sum: { sum: 'big' } })
            .all(),
        ).toEqual([])
        await db.insert(table, rowsOf(dialect, traits), traits.unchecked)
      })

      it('returns NULL as sum, average, minimum and maximum of columns that are NULL in all rows', async () => {
        const nothing = all.where({ kind: 'nothing' })
        expect(await nothing.count()).toBe(2)
        const [group] = await nothing
          .groupBy('kind')
          .select({
            rows: { count: true },
            big: { sum: 'big' },
            small: { avg: 'small' },
            ratio: { sum: 'ratio' },
            price: { sum: 'price' },
            mean: { avg: 'price' },
            lowest: { min: 'price' },
            at: { max: 'at' },
            float: { min: 'ratio' },
            pairs: { countDistinct: 'pair' },
          })
          .all()
        const none = {
          big: null,
          small: null,
          ratio: null,
          price: null,
          mean: null,
          lowest: null,
          at: null,
          float: null,
        }
        expect(group).toEqual({ kind: 'nothing', rows: 2, ...none, pairs: 0 })
        expect(await nothing.max('at')).toBeNull()
        // No shard is left that could hold a row: the database is not asked.
        expect(await all.where({ id: { in: [] } }).sum('big')).toBeNull()
        expect(await all.where({ id: { in: [] } }).countDistinct('big')).toBe(0)
      })

      it('computes exact sums, also beyond 64 bits', async () => {
        expect(await extreme.sum('big')).toBe(20n * MAX)
        expect(await all.sum('big')).toBe(19n * MAX - 3n)
        expect(await extreme.sum('small')).toBe(20n * BigInt(Number.MAX_SAFE_INTEGER))
        expect(await extreme.sum('ratio')).toBe(0)
        expect(await extreme.sum('single')).toBe(20 * Math.fround(3.4028234663852886e38))
        const [whole, fraction] = greatestDecimal.split('.')
        const digits = BigInt(whole! + fraction!) + 19n * 10n ** BigInt(fraction!.length - 1)
        const sum = String(digits)
        expect(await extreme.sum('price')).toBe(
          `${sum.slice(0, -fraction!.length)}.${sum.slice(-fraction!.length)}`,
        )
        expect(await odd.sum('price')).toBe('-3')
        expect(await odd.sum('ratio')).toBeNaN()
      })

      it('returns averages as numbers, and as decimal text for numeric columns', async () => {
        expect(await extreme.avg('big')).toBe(Number(MAX))
        expect(await odd.avg('big')).toBe(-1)
        expect(await odd.avg('small')).toBe(0.5)
        // Floats are added one by one: what is left of their digits depends on the order.
        expect(Math.abs((await extreme.avg('ratio'))!) / 2 ** 1000).toBeLessThan(1e-12)
        expect(await extreme.avg('single')).toBeCloseTo(3.4028234663852886e38, -26)
        expect(await odd.avg('price')).toBe('-1.5')
        expect(await odd.avg('single')).toBeNaN()
      })

      it("returns minimum and maximum as values of their column's type", async () => {
        expect(await all.min('big')).toBe(-MAX - 1n)
        expect(await all.max('small')).toBe(Number.MAX_SAFE_INTEGER)
        expect(await all.max('price')).toBe(greatestDecimal)
        expect(await all.min('price')).toBe('-1.5')
        expect(await all.min('day')).toBe('0001-01-01')
        expect(await all.max('kind')).toBe('odd')
        const moments = [await all.min('at'), await extreme.max('at')]
        expect(moments.map((each) => precise(each!.toISOString()).toISOString())).toEqual(
          [0, 19].map((n) => precise(momentAt(n, traits)).toISOString()),
        )
        expect(await all.max('text')).toBe(uuid('f'))
        expect(await all.max('ratio')).toBeNaN()
        expect(await odd.min('ratio')).toBe(dialect.values.nan === 'lowest' ? NaN : 0.5)
        expect(await all.where({ kind: null }).max('single')).toBe(-Infinity)
      })

      it('counts distinct values of every column type and UUID storage', async () => {
        const counts = await Promise.all(
          (['kind', 'big', 'ratio', 'price', 'ok', 'raw', 'day', 'at', 'text', 'pair', 'bytes'] as const).map(
            (property) => all.countDistinct(property),
          ),
        )
        expect(counts).toEqual([3, 4, 5, 4, 2, 20, 2, 21, 6, 5, 3])
      })

      it('returns grouped and measured values in the same form as the values of rows', async () => {
        const groups = await extreme
          .where({ id: { lt: 6n } })
          .groupBy('pair', 'bytes', 'at', 'raw', 'price', 'ratio')
          .select({ small: { max: 'small' }, big: { min: 'big' } })
          .orderBy('price')
          .orderBy('pair', 'desc')
          .all()
        const expected = (
          await extreme
            .where({ id: { lt: 6n } })
            .orderBy('pair', 'desc')
            .all()
        )
          .map(({ pair, bytes, at, raw, price, ratio, small, big }) => ({
            pair,
            bytes,
            at,
            raw,
            price,
            ratio,
            small,
            big,
          }))
          .toSorted((a, b) => Number(a.price === greatestDecimal) - Number(b.price === greatestDecimal))
        // Two have the same pair: the other properties decide between them.
        expect(new Set(groups.map(textOf))).toEqual(new Set(expected.map(textOf)))
        expect(groups.map(({ pair }) => pair)).toEqual(expected.map(({ pair }) => pair))
      })

      it('returns each value once for groups without measures', async () => {
        const kinds = all
          .where({ kind: { ne: null } })
          .groupBy('kind')
          .select({})
        expect(await kinds.orderBy('kind', 'desc').all()).toEqual(
          ['odd', 'nothing', 'extreme'].map((kind) => ({ kind })),
        )
        expect(await kinds.having({}).limit(2).all()).toEqual([{ kind: 'extreme' }, { kind: 'nothing' }])
        expect(await odd.groupBy('price').select({}).all()).toEqual([{ price: '-1.5' }])
        expect(
          await all
            .where({ id: { in: [] } })
            .groupBy('kind')
            .select({})
            .all(),
        ).toEqual([])
      })

      it('puts decimals with equal values but different text into one group', async () => {
        const groups = await odd.groupBy('price').count()
        expect(groups).toEqual([{ price: '-1.5', count: 2 }])
      })
    },
  )

  it('a fan-out accepts measures named like the table or with quotes, and rejects count() of groups by a column count', async () => {
    await db.insert(
      clashing,
      [1n, 2n, 3n].map((n) => ({ note: n === 3n ? 'b' : 'a', n, Clash: n, count: -n })),
      traits.unchecked,
    )
    const query = db.fanOut(clashing)
    const groups = await query
      .groupBy('note')
      .select({ _0: { sum: 'Clash' }, 'a `"\\\' b': { max: 'n' }, Clash: { min: 'count' } })
      .having({ _0: { gte: 3n } })
      .orderBy('_0', 'desc')
      .orderBy('Clash')
      .all()
    expect(groups).toEqual([
      { note: 'b', _0: 3n, 'a `"\\\' b': 3n, Clash: -3n },
      { note: 'a', _0: 3n, 'a `"\\\' b': 2n, Clash: -2n },
    ])
    expect(await query.groupBy('Clash', 'n').count()).toHaveLength(3)
    await expect(query.groupBy('count').count()).rejects.toMatchObject({ code: 'INVALID_QUERY' })
  })
})
