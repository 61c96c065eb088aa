import { describe, expect, it } from 'vitest'
import { compileWhere } from '../../src/rows/filter.js'
import { describeCondition } from '../../src/read/plan/cursor.js'
import { dialects, logLayout } from '../support/layout.js'
import { refusal } from '../support/refusal.js'

/** An error message begins with the table. */
const SENTENCE = /^Log (cannot|has|takes) /

type Where = Record<string, unknown>

/** A list with a hole at its end. */
function sparse(...items: readonly unknown[]): unknown[] {
  const list = [...items]
  list.length++
  return list
}

function nested(levels: number, junction: 'AND' | 'OR' | 'NOT'): Where {
  let where: Where = { count: 1 }
  for (let level = 0; level < levels; level++) where = { [junction]: junction === 'NOT' ? where : [where] }
  return where
}

describe.each(dialects)('compileWhere() in $name', (dialect) => {
  const layout = logLayout(dialect, (t) => ({
    id: t.uuidV4(),
    page: t.string({ nullable: true, length: 5 }),
    count: t.int64(),
    at: t.timestamp(),
    meta: t.json({ nullable: true }),
    tags: t.array({ kind: 'string', length: 'max' }),
  }))

  const compiled = (where: Where) => describeCondition(compileWhere(layout, where))
  const refused = (where: unknown) => refusal(() => compileWhere(layout, where as Where))

  describe('compileWhere() with a valid filter', () => {
    it('returns conditions with the values in their stored form', () => {
      expect(compiled({ page: 'a' })).toStrictEqual(['page', 'eq', 'a'])
      expect(compiled({ count: { gte: 1, lt: 5n } })).toStrictEqual([
        'and',
        ['count', 'gte', '1'],
        ['count', 'lt', '5'],
      ])
      expect(compiled({ at: new Date(0) })).toStrictEqual(['at', 'eq', '1970-01-01T00:00:00.000000000Z'])
      expect(compiled({ page: { in: ['a', 'b'] } })).toStrictEqual(['page', 'in', ['a'], ['b']])
      expect(compiled({ page: { notIn: ['a'] } })).toStrictEqual(['not', ['page', 'in', ['a']]])
      expect(compiled({ page: { startsWith: 'a' } })).toStrictEqual(['page', 'starts with', 'a'])
      expect(compiled({ page: null })).toStrictEqual(['page', 'is null'])
      expect(compiled({ page: { ne: null } })).toStrictEqual(['not', ['page', 'is null']])
      expect(compiled({ meta: null })).toStrictEqual(['meta', 'is null'])
      expect(compiled({})).toStrictEqual(['and'])
      expect(compiled({ OR: [{ page: 'a' }, { NOT: { count: 1 } }], AND: [{ count: 2 }] })).toStrictEqual([
        'and',
        ['or', ['page', 'eq', 'a'], ['not', ['count', 'eq', '1']]],
        ['and', ['count', 'eq', '2']],
      ])
    })

    it('accepts an object of operators that has no prototype', () => {
      const operators = Object.assign(Object.create(null) as object, { gte: 1 })
      expect(compiled({ count: operators })).toStrictEqual(['count', 'gte', '1'])
    })

    it('reads inherited, getter and non-enumerable properties of a filter, as an insert does', () => {
      class OfClass {
        get count() {
          return 1
        }
      }
      const byPrototype = Object.create({ count: 1 }) as Where
      const hidden = Object.defineProperty({}, 'count', { value: 1, enumerable: false }) as Where
      for (const where of [
        new OfClass() as unknown as Where,
        byPrototype,
        hidden,
        {
          get count() {
            return 1
          },
        },
      ])
        expect(compiled(where)).toStrictEqual(['count', 'eq', '1'])
      expect(compiled(Object.create({ OR: [{ count: 1 }] }) as Where)).toStrictEqual([
        'or',
        ['count', 'eq', '1'],
      ])
    })

    it('accepts an empty object at the top level and in AND, and compiles the object to no condition', () => {
      expect(compiled({})).toStrictEqual(['and'])
      expect(compiled(Object.create(null) as Where)).toStrictEqual(['and'])
      expect(compiled({ AND: [{}, { count: 1 }] })).toStrictEqual(['and', ['and'], ['count', 'eq', '1']])
      expect(compiled({ AND: [] })).toStrictEqual(['and'])
    })

    it('compiles OR: [] and in: [] to a condition that matches no row, and notIn: [] to the negation', () => {
      expect(compiled({ OR: [] })).toStrictEqual(['or'])
      expect(compiled({ page: { in: [] } })).toStrictEqual(['page', 'in'])
      expect(compiled({ page: { notIn: [] } })).toStrictEqual(['not', ['page', 'in']])
    })

    it.each(['AND', 'OR', 'NOT'] as const)(
      'compiles a filter of 100 levels of %s, and rejects 101 levels',
      (junction) => {
        let condition: unknown = ['count', 'eq', '1']
        for (let level = 0; level < 100; level++) condition = [junction.toLowerCase(), condition]
        expect(compiled(nested(100, junction))).toStrictEqual(condition)
        expect(refused(nested(101, junction)).message).toContain('has a filter of more than 100 levels')
      },
    )

    it('accepts a startsWith prefix that is longer than the column, but not a value', () => {
      expect(compiled({ page: { startsWith: 'longer than five' } })).toStrictEqual([
        'page',
        'starts with',
        'longer than five',
      ])
      expect(refused({ page: 'longer than five' })).toMatchObject({
        code: 'INVALID_VALUE',
        column: 'page',
        message: 'Log.page takes a string of up to 5 characters, not "longer than five".',
      })
    })
  })

  describe('compileWhere() with an invalid filter', () => {
    it.each<[string, Where]>([
      ['page', { page: undefined }],
      ['page', { count: 1, page: undefined }],
      ['page.eq', { page: { eq: undefined } }],
      ['page.lt', { page: { gte: 'a', lt: undefined } }],
      ['page.in', { page: { in: undefined } }],
      ['page.notIn', { page: { notIn: undefined } }],
      ['page.startsWith', { page: { startsWith: undefined } }],
      ['page.in[1]', { page: { in: ['a', undefined] } }],
      ['page.in[0]', { page: { in: sparse() } }],
      ['page.notIn[1]', { page: { notIn: sparse('a') } }],
      ['AND', { AND: undefined }],
      ['OR', { OR: undefined, count: 1 }],
      ['NOT', { NOT: undefined }],
      ['AND[1]', { AND: [{ count: 1 }, undefined] }],
      ['OR[0]', { OR: sparse().concat({ count: 1 }) }],
      ['OR[1].NOT.AND[0].page', { OR: [{ count: 1 }, { NOT: { AND: [{ page: undefined }] } }] }],
      ['meta', { meta: undefined }],
      ['page', Object.create({ page: undefined }) as Where],
    ])('rejects undefined as a value and reports the path of the value: %s', (path, where) => {
      const error = refused(where)
      expect(error).toMatchObject({ code: 'INVALID_QUERY', table: 'Log' })
      expect(error.message).toBe(
        `Log has undefined for ${path} in its filter. ` +
          'Leave the property out for no condition; null is for IS NULL.',
      )
      const [property] = /page|meta/.exec(path) ?? []
      expect(error.column).toBe(property)
    })

    it.each<[string, Where]>([
      ['page', { page: {} }],
      ['AND[0].page', { AND: [{ page: {} }] }],
      ['meta', { meta: Object.create(null) as object }],
    ])('rejects an object without operators: %s', (path, where) => {
      const error = refused(where)
      expect(error).toMatchObject({ code: 'INVALID_QUERY', table: 'Log' })
      expect(error.message).toMatch(
        new RegExp(`^Log has no condition for ${path.replaceAll(/[[\]]/g, '\\$&')}: the object is empty`),
      )
    })

    it.each<[string, Where]>([
      ['NOT', { NOT: {} }],
      ['OR[1]', { OR: [{ count: 1 }, {}] }],
      ['OR[0]', { OR: [{ AND: [] }] }],
      ['NOT', { NOT: { AND: [{}, { AND: [] }] } }],
      ['AND[0].OR[0]', { AND: [{ OR: [{}] }] }],
    ])('rejects an empty filter for %s, which would match every row', (path, where) => {
      expect(refused(where).message).toBe(
        `Log has an empty filter for ${path}, which would match every row. Leave it out, or give it a condition.`,
      )
    })

    it.each<[string, object]>([
      ['a Map', new Map([['count', 1]])],
      ['a Date', new Date(0)],
      ['a Set', new Set([1])],
      ['a promise', Promise.resolve({ count: 1 })],
      ['an instance without a property of the table', new (class Other {})()],
    ])('rejects %s, which has no property of the table', (_, where) => {
      expect(refused(where)).toMatchObject({ code: 'INVALID_QUERY', table: 'Log' })
      expect(refused({ AND: [where] })).toMatchObject({ code: 'INVALID_QUERY', table: 'Log' })
    })

    it('rejects a symbol as a property or an operator', () => {
      expect(refused({ [Symbol('count')]: 1 }).message).toContain(
        'has no property Symbol(count) to filter by',
      )
      expect(refused({ count: { [Symbol('gt')]: 1 } }).message).toContain(
        'has no operator Symbol(gt) for count',
      )
    })

    it.each(['AND', 'OR', 'NOT'] as const)('rejects a filter of 20,000 levels of %s', (junction) => {
      const error = refused(nested(20_000, junction))
      expect(error).toMatchObject({ code: 'INVALID_QUERY', table: 'Log' })
      expect(error.message).toBe(
        'Log has a filter of more than 100 levels. AND and OR take lists of any length: put conditions side by side.',
      )
    })

    it('rejects a filter that contains itself', () => {
      const where: Where = {}
      where['AND'] = [where]
      expect(refused(where).message).toContain('has a filter of more than 100 levels')
    })

    it('rejects an unknown property, also inside OR, NOT and AND', () => {
      for (const where of [
        { colour: 1 },
        { colour: null },
        { OR: [{ colour: 1 }] },
        { NOT: { AND: [{ colour: 1 }] } },
      ]) {
        const error = refused(where)
        expect(error).toMatchObject({ code: 'INVALID_QUERY', table: 'Log', column: 'colour' })
        expect(error.message).toBe(
          'Log has no property "colour" to filter by. Choose from id, page, count, at, meta, tags.',
        )
      }
    })

    it.each(['toString', '__proto__', 'constructor', 'and', 'Or', 'not'])(
      'rejects the unknown property %j',
      (name) => {
        const where = Object.fromEntries([[name, 1]])
        expect(refused(where)).toMatchObject({ code: 'INVALID_QUERY', column: name })
      },
    )

    it.each(['between', 'like', 'EQ', 'toString', '__proto__', 'constructor'])(
      'rejects the unknown operator %j',
      (name) => {
        const error = refused({ count: Object.fromEntries([[name, 1]]) })
        expect(error).toMatchObject({ code: 'INVALID_QUERY', table: 'Log', column: 'count' })
        expect(error.message).toBe(
          `Log has no operator ${JSON.stringify(name)} for count. ` +
            'Use eq, ne, lt, lte, gt, gte, in, notIn, startsWith.',
        )
      },
    )

    it.each(['in', 'notIn'])(
      'rejects a NULL in the list of %s, because the NULL would match no row',
      (operator) => {
        const error = refused({ page: { [operator]: ['a', null] } })
        expect(error).toMatchObject({ code: 'INVALID_QUERY', table: 'Log', column: 'page' })
        expect(error.message).toBe(
          'Log has a NULL in the list for page, which no comparison matches. ' +
            'Write OR: [{ page: { in: [...] } }, { page: null }].',
        )
      },
    )

    it.each(['a', 7, null, { 0: 'a' }, new Set(['a'])])(
      'rejects %j as the value of in, which requires an array',
      (list) => {
        const error = refused({ page: { in: list } })
        expect(error).toMatchObject({ code: 'INVALID_QUERY', column: 'page' })
        expect(error.message).toBe('Log takes an array for page: { in }. Write { in: [...] }.')
      },
    )

    it('rejects startsWith on an int64 column', () => {
      const error = refused({ count: { startsWith: '1' } })
      expect(error).toMatchObject({ code: 'INVALID_QUERY', column: 'count' })
      expect(error.message).toBe('Log cannot use startsWith on count, of type int64. It is for strings.')
    })

    it.each([7, null, '\uD83D', ['a']])(
      'rejects %j as the value of startsWith, which requires well-formed text',
      (prefix) => {
        expect(refused({ page: { startsWith: prefix } })).toMatchObject({
          code: 'INVALID_QUERY',
          column: 'page',
        })
      },
    )

    it.each(['lt', 'lte', 'gt', 'gte'])('rejects a comparison with NULL by %s', (operator) => {
      const error = refused({ page: { [operator]: null } })
      expect(error).toMatchObject({ code: 'INVALID_QUERY', column: 'page' })
      expect(error.message).toBe(
        `Log cannot compare page with NULL by ${operator}. NULL is neither more nor less: use null, or { ne: null }.`,
      )
    })

    it.each<[string, string, Where]>([
      ['meta', 'json', { meta: 'a' }],
      ['meta', 'json', { meta: 7 }],
      ['meta', 'json', { meta: ['a'] }],
      ['meta', 'json', { meta: { eq: { a: 1 } } }],
      ['meta', 'json', { meta: { in: [{ a: 1 }] } }],
      ['meta', 'json', { meta: { lt: 1 } }],
      ['tags', 'array of string', { tags: ['a'] }],
      ['tags', 'array of string', { tags: { ne: ['a'] } }],
      ['tags', 'array of string', { tags: { in: [['a']] } }],
    ])('rejects a comparison of the column %s of type %s: %j', (property, type, where) => {
      const error = refused(where)
      expect(error).toMatchObject({ code: 'INVALID_QUERY', table: 'Log', column: property })
      expect(error.message).toBe(
        `Log cannot compare ${property}, of type ${type}. Only null and { ne: null } apply to it.`,
      )
    })

    it('rejects a value of the wrong type and reports the column', () => {
      const error = refused({ count: { gte: 1.5 } })
      expect(error).toMatchObject({ code: 'INVALID_VALUE', table: 'Log', column: 'count' })
      expect(error.message).toBe('Log.count takes a 64-bit integer, not 1.5. Pass a bigint.')
      expect(refused({ at: { in: [new Date(0), '2026-01-01'] } })).toMatchObject({
        code: 'INVALID_VALUE',
        column: 'at',
      })
      expect(refused({ id: 'no uuid' })).toMatchObject({ code: 'INVALID_VALUE', column: 'id' })
    })

    it.each([null, undefined, 7, 'page', [{ page: 'a' }]])('rejects %j as a filter', (where) => {
      const error = refused(where)
      expect(error).toMatchObject({ code: 'INVALID_QUERY', table: 'Log' })
      expect(error.message).toMatch(SENTENCE)
      expect(error.fix).toBe('Write where({ property: value }).')
    })

    it.each(['AND', 'OR'])('rejects %s with a value that is not an array of filters', (junction) => {
      const error = refused({ [junction]: { page: 'a' } })
      expect(error).toMatchObject({ code: 'INVALID_QUERY' })
      expect(error.message).toMatch(SENTENCE)
      expect(error.message).toContain(junction)
      expect(error.fix).toBe(`Write ${junction}: [...].`)
      expect(refused({ [junction]: [null] })).toMatchObject({ code: 'INVALID_QUERY' })
    })

    it('rejects NOT with a list or null instead of a filter', () => {
      expect(refused({ NOT: [{ page: 'a' }] })).toMatchObject({ code: 'INVALID_QUERY' })
      expect(refused({ NOT: null })).toMatchObject({ code: 'INVALID_QUERY' })
    })
  })
})
