import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compileWhere } from '../../src/rows/filter.js'
import { predicateOf } from '../../src/rows/predicate.js'
import { moment } from '../support/arbitraries.js'
import { dialects, logLayout } from '../support/layout.js'

type Row = Record<string, unknown>

const uuid = (digit: string) => `${digit.repeat(8)}-0000-4000-8000-000000000000`

describe.each(dialects)('predicateOf() in $name', (dialect) => {
  const { nanIsValue } = dialect
  const layout = logLayout(dialect, (t) => ({
    id: t.uuidV4(),
    page: t.string({ nullable: true }),
    count: t.int64({ nullable: true }),
    ratio: t.float64({ nullable: true }),
    small: t.float32({ nullable: true }),
    total: t.numeric({ nullable: true }),
    digest: t.bytes({ nullable: true }),
    at: t.timestamp({ nullable: true }),
    day: t.date({ nullable: true }),
    active: t.bool({ nullable: true }),
    ref: t.uuid({ nullable: true }),
    pair: t.uuid({ nullable: true, storage: 'int64-pair' }),
    raw: t.uuid({ nullable: true, storage: 'bytes' }),
    visits: t.int64({ nullable: true, as: 'number' }),
    meta: t.json({ nullable: true }),
  }))

  const EMPTY: Row = Object.fromEntries(layout.fields.map((field) => [field.column.property, null]))

  /** True, false, or null for unknown. */
  function matches(where: Row, row: Row): boolean | null {
    return predicateOf(compileWhere(layout, where), dialect)({ ...EMPTY, ...row })
  }

  describe('comparison operators', () => {
    const triples: readonly (readonly [string, unknown, unknown, unknown])[] = [
      ['page', 'a', 'b', 'c'],
      ['page', '\uD7FF', '\uFFFF', '\u{10000}'],
      ['count', -(2n ** 63n), 0n, 2n ** 63n - 1n],
      ['ratio', Number.NEGATIVE_INFINITY, 0.5, Number.POSITIVE_INFINITY],
      ['small', -1, 0, 1],
      ['total', '-10.5', '9.9', '10'],
      ['digest', Buffer.from([0x7f]), Buffer.from([0x80]), Buffer.from([0x80, 0])],
      ['at', moment(-1, 999_999), moment(0, 0), moment(0, 1)],
      ['day', '2026-01-31', '2026-02-01', '2026-10-01'],
      ['ref', uuid('0'), uuid('9'), uuid('a')],
      // Signed halves: the highest bit makes a UUID lower than those without it.
      ['pair', uuid('9'), uuid('a'), uuid('0')],
      [
        'pair',
        uuid('0').replace('-8000-', '-a000-'),
        uuid('0').replace('-8000-', '-b000-'),
        uuid('0').replace('-8000-', '-1000-'),
      ],
      ['raw', uuid('0'), uuid('9'), uuid('a')],
      ['visits', Number.MIN_SAFE_INTEGER, 0, Number.MAX_SAFE_INTEGER],
    ]

    it.each(triples)(
      'compare values of the column %s in the order of its type',
      (property, low, middle, high) => {
        const results = (op: string) =>
          [low, middle, high].map((value) => matches({ [property]: { [op]: middle } }, { [property]: value }))
        expect(results('eq')).toStrictEqual([false, true, false])
        expect(results('ne')).toStrictEqual([true, false, true])
        expect(results('lt')).toStrictEqual([true, false, false])
        expect(results('lte')).toStrictEqual([true, true, false])
        expect(results('gt')).toStrictEqual([false, false, true])
        expect(results('gte')).toStrictEqual([false, true, true])
        expect(matches({ [property]: middle }, { [property]: middle })).toBe(true)
        expect(matches({ [property]: { in: [low, middle] } }, { [property]: middle })).toBe(true)
        expect(matches({ [property]: { in: [low, middle] } }, { [property]: high })).toBe(false)
        expect(matches({ [property]: { notIn: [low, middle] } }, { [property]: high })).toBe(true)
      },
    )

    it.each(triples)('return unknown if the column %s is NULL', (property, low, middle) => {
      for (const op of ['eq', 'ne', 'lt', 'lte', 'gt', 'gte']) {
        expect(matches({ [property]: { [op]: middle } }, {})).toBeNull()
        expect(matches({ NOT: { [property]: { [op]: middle } } }, {})).toBeNull()
      }
      expect(matches({ [property]: { in: [low, middle] } }, {})).toBeNull()
      expect(matches({ [property]: { notIn: [low, middle] } }, {})).toBeNull()
    })

    it('treat different forms of one number or UUID as equal', () => {
      expect(matches({ total: '1.50' }, { total: '1.5' })).toBe(true)
      expect(matches({ total: { in: ['+01.500'] } }, { total: '1.5' })).toBe(true)
      expect(matches({ ref: uuid('A') }, { ref: uuid('a') })).toBe(true)
      expect(matches({ pair: uuid('A') }, { pair: uuid('a') })).toBe(true)
      expect(matches({ raw: { in: [uuid('A')] } }, { raw: uuid('a') })).toBe(true)
      expect(matches({ count: 7 }, { count: 7n })).toBe(true)
      expect(matches({ visits: 7n }, { visits: 7 })).toBe(true)
      expect(matches({ visits: -0 }, { visits: 0 })).toBe(true)
      expect(matches({ ratio: 0 }, { ratio: -0 })).toBe(true)
      expect(matches({ small: 0.1 }, { small: Math.fround(0.1) })).toBe(true)
    })

    describe('with NaN', () => {
      /** By `eq`, `ne`, `lt`, `lte`, `gt` and `gte`. */
      const results = (property: string, own: number, operand: number) =>
        ['eq', 'ne', 'lt', 'lte', 'gt', 'gte'].map((op) =>
          matches({ [property]: { [op]: operand } }, { [property]: own }),
        )
      const nothing = [false, true, false, false, false, false]

      it.each(['ratio', 'small'])('compare NaN in the column %s as the database does', (property) => {
        // NaN is either a value that equals itself and is the highest, or neither equal to, less nor greater than any value.
        expect(results(property, Number.NaN, Number.NaN)).toStrictEqual(
          nanIsValue ? [true, false, false, true, false, true] : nothing,
        )
        for (const number of [1, Number.POSITIVE_INFINITY]) {
          expect(results(property, number, Number.NaN)).toStrictEqual(
            nanIsValue ? [false, true, true, true, false, false] : nothing,
          )
          expect(results(property, Number.NaN, number)).toStrictEqual(
            nanIsValue ? [false, true, false, false, true, true] : nothing,
          )
        }
        const listed = { [property]: { in: [Number.NaN, 1] } }
        expect(matches(listed, { [property]: Number.NaN })).toBe(nanIsValue)
        expect(matches({ NOT: listed }, { [property]: Number.NaN })).toBe(!nanIsValue)
        expect(matches({ [property]: { notIn: [Number.NaN, 1] } }, { [property]: Number.NaN })).toBe(
          !nanIsValue,
        )
        expect(matches(listed, { [property]: 1 })).toBe(true)
        expect(matches(listed, { [property]: 2 })).toBe(false)
        expect(matches({ [property]: Number.NaN }, {})).toBeNull()
      })

      const max = '9'.repeat(200)
      const decimals: readonly (readonly [Row, string, boolean])[] = [
        [{ eq: 'NaN' }, 'NaN', true],
        [{ gt: max }, 'NaN', true],
        [{ lt: 'NaN' }, max, true],
        [{ lt: 'NaN' }, 'NaN', false],
        [{ in: [max, 'NaN'] }, 'NaN', true],
      ]
      // Decimals of the other dialect have no NaN, and fewer digits.
      it.each(nanIsValue ? decimals : [])(
        'compare by %j with the decimal %s to the result %s',
        (operator, total, expected) => {
          expect(matches({ total: operator }, { total })).toBe(expected)
        },
      )
    })
  })

  describe('conditions with null', () => {
    it.each(['page', 'count', 'meta', 'digest'])(
      'match NULL in %s by null and { eq: null }, and exclude NULL by { ne: null }',
      (property) => {
        const filled = { page: 'a', count: 1n, meta: {}, digest: Buffer.from('a') }
        for (const where of [{ [property]: null }, { [property]: { eq: null } }]) {
          expect(matches(where, {})).toBe(true)
          expect(matches(where, filled)).toBe(false)
        }
        expect(matches({ [property]: { ne: null } }, {})).toBe(false)
        expect(matches({ [property]: { ne: null } }, filled)).toBe(true)
        expect(matches({ NOT: { [property]: null } }, {})).toBe(false)
      },
    )
  })

  describe('the operators in and notIn', () => {
    it('return false for an empty in and true for an empty notIn, also if the column is NULL', () => {
      expect(matches({ page: { in: [] } }, { page: 'a' })).toBe(false)
      expect(matches({ page: { in: [] } }, {})).toBe(false)
      expect(matches({ page: { notIn: [] } }, { page: 'a' })).toBe(true)
      expect(matches({ page: { notIn: [] } }, {})).toBe(true)
    })

    it('in returns true if and only if the list contains the value of the column', () => {
      fc.assert(
        fc.property(fc.array(fc.bigInt(-20n, 20n)), fc.bigInt(-20n, 20n), (values, count) => {
          expect(matches({ count: { in: values } }, { count })).toBe(values.includes(count))
        }),
      )
    })

    it('in makes fewer than 15 comparisons per row on average in a list of 4,000 values', () => {
      const field = layout.byProperty.get('count')!
      let compared = 0
      const counting = {
        ...field,
        compare(...pair: Parameters<typeof field.compare>) {
          compared++
          return field.compare(...pair)
        },
      }
      const values = Array.from({ length: 4_000 }, (_, n) => BigInt(2 * n))
      const isListed = predicateOf({ kind: 'in', field: counting, values, wires: [] }, dialect)
      compared = 0
      expect(values.filter((value) => isListed({ ...EMPTY, count: value + 1n }))).toEqual([])
      expect(compared).toBeLessThan(4_000 * 15)
    })
  })

  describe('the operator startsWith', () => {
    it('matches the exact prefix, treats % as plain text, and is unknown for NULL', () => {
      expect(matches({ page: { startsWith: '/do' } }, { page: '/docs' })).toBe(true)
      expect(matches({ page: { startsWith: '/docs' } }, { page: '/docs' })).toBe(true)
      expect(matches({ page: { startsWith: '/docs/' } }, { page: '/docs' })).toBe(false)
      expect(matches({ page: { startsWith: '' } }, { page: '' })).toBe(true)
      expect(matches({ page: { startsWith: '%' } }, { page: '/docs' })).toBe(false)
      expect(matches({ page: { startsWith: '' } }, {})).toBeNull()
    })
  })

  describe('AND, OR and NOT', () => {
    // One column that makes each of SQL's three values: true, false and unknown.
    const [yes, no, unknown] = [{ count: 1 }, { count: 2 }, { page: 'a' }]
    const row = { count: 1n }
    const three = [
      [yes, true],
      [no, false],
      [unknown, null],
    ] as const

    it('follow the three-valued truth tables of SQL', () => {
      for (const [left, a] of three) {
        expect(matches({ NOT: left }, row)).toBe(a === null ? null : !a)
        for (const [right, b] of three) {
          const and = a === false || b === false ? false : a === null || b === null ? null : true
          const or = a === true || b === true ? true : a === null || b === null ? null : false
          expect(matches({ AND: [left, right] }, row)).toBe(and)
          expect(matches({ OR: [left, right] }, row)).toBe(or)
          expect(matches({ NOT: { AND: [left, right] } }, row)).toBe(and === null ? null : !and)
          expect(matches({ NOT: { OR: [left, right] } }, row)).toBe(or === null ? null : !or)
        }
      }
    })

    it('an empty AND and an empty filter are true, and an empty OR is false', () => {
      expect(matches({ AND: [] }, row)).toBe(true)
      expect(matches({ OR: [] }, row)).toBe(false)
      expect(matches({}, row)).toBe(true)
      expect(matches({ AND: [{}] }, row)).toBe(true)
      expect(matches({ NOT: { OR: [] } }, row)).toBe(true)
      expect(matches({ count: { in: [] } }, row)).toBe(false)
      expect(matches({ count: { notIn: [] } }, row)).toBe(true)
    })

    it('a filter combines properties, and operators on one property, by AND', () => {
      expect(matches({ count: { gte: 1, lt: 5 }, page: 'a' }, { count: 3n, page: 'a' })).toBe(true)
      expect(matches({ count: { gte: 1, lt: 3 }, page: 'a' }, { count: 3n, page: 'a' })).toBe(false)
      expect(matches({ count: { gte: 1, lt: 5 }, page: 'a' }, { count: 3n, page: 'b' })).toBe(false)
    })

    it('NOT inverts the result of any filter, and keeps unknown as unknown', () => {
      const leaf = fc.oneof(
        fc
          .record({ op: fc.constantFrom('eq', 'ne', 'lt', 'gte'), value: fc.integer({ min: 0, max: 3 }) })
          .map(({ op, value }): Row => ({ count: { [op]: value } })),
        fc.constantFrom<Row>(
          { count: null },
          { page: 'a' },
          { page: { in: ['a', 'b'] } },
          { page: { ne: null } },
        ),
      )
      const { where } = fc.letrec<{ where: Row }>((tie) => ({
        where: fc.oneof(
          { depthSize: 'small' },
          leaf,
          fc.record({ AND: fc.array(tie('where'), { minLength: 1, maxLength: 3 }) }),
          fc.record({ OR: fc.array(tie('where'), { maxLength: 3 }) }),
          fc.record({ NOT: tie('where') }),
        ),
      }))
      const record = fc.record({
        count: fc.option(fc.bigInt({ min: 0n, max: 3n })),
        page: fc.option(fc.constantFrom('a', 'b', 'c')),
      })
      fc.assert(
        fc.property(where, record, (filter, values) => {
          const result = matches(filter, values)
          expect(matches({ NOT: filter }, values)).toBe(result === null ? null : !result)
        }),
        { numRuns: 500 },
      )
    })
  })
})
