import { customType, int64, spannerTable, string } from '@isotherm/drizzle-adapter'
import { googlesql } from '@isotherm/spanner'
import { and, between, eq, gte, inArray, like, ne, notBetween, sql, type SQL } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { compileParameters } from '../../src/session/prepared.js'
import { refusal } from '../../../core/test/support/refusal.js'
import { built } from './support/built.js'

const users = spannerTable('users', {
  id: int64(),
  age: int64({ mode: 'number' }),
  name: string({ length: 9 }),
})

function bound(query: SQL, values?: Record<string, unknown>) {
  return compileParameters(built(query), googlesql)(values)
}

function inferred(value: unknown) {
  const [parameter] = bound(sql`select ${sql.param(value)}`)
  return parameter
}

describe('compileParameters()', () => {
  it.each([
    [5, 'int64', '5'],
    [-(2n ** 63n), 'int64', '-9223372036854775808'],
    [1.5, 'float64', 1.5],
    [-0, 'float64', -0],
    [1e300, 'float64', 1e300],
    [Number.NaN, 'float64', 'NaN'],
    ['text', 'string', 'text'],
    [true, 'bool', true],
    [new Date(1), 'timestamp', '1970-01-01T00:00:00.001000000Z'],
    [new Uint8Array([1, 2]), 'bytes', 'AQI='],
    [Buffer.from([255]), 'bytes', '/w=='],
  ])('infers the type of %o without a column: %s', (value, kind, wire) => {
    expect(inferred(value)).toMatchObject({ name: 'p1', type: { kind }, value: wire })
  })

  it.each([
    [[1, null, 2n], 'int64', ['1', null, '2']],
    [[1, 2.5], 'float64', [1, 2.5]],
    [['a', 'b'], 'string', ['a', 'b']],
  ])('infers the element type of the array %o: %s', (value, kind, wire) => {
    expect(inferred(value)).toStrictEqual({
      name: 'p1',
      type: { kind: 'array', of: expect.objectContaining({ kind }) },
      value: wire,
    })
  })

  it.each([[{}], [[]], [[null]], [[1, 'a']], [[1n, 2.5]], [Symbol('s')], [() => {}]])(
    'rejects %o without a type with INVALID_VALUE',
    (value) => {
      expect(refusal(() => inferred(value))).toMatchObject({ code: 'INVALID_VALUE' })
    },
  )

  it('gives a parameter the type of the column beside it, also for NULL', () => {
    const name = users.name
    expect(bound(sql`select ${sql.param(null, name)} where ${eq(users.age, 3)}`)).toStrictEqual([
      { name: 'p1', type: { kind: 'string', length: 9 }, value: null },
      { name: 'p2', type: { kind: 'int64', as: 'number' }, value: '3' },
    ])
  })

  it('binds the values of placeholders anew in each call', () => {
    const bind = compileParameters(
      built(sql`select ${'fixed'}, ${sql.placeholder('free')} where ${eq(users.id, sql.placeholder('id'))}`),
      googlesql,
    )
    const values = (input: Record<string, unknown>) =>
      bind(input).map(({ type, value }) => [type.kind, value])
    const first = bind({ free: 1.5, id: 7n })
    expect(values({ free: 'text', id: null })).toStrictEqual([
      ['string', 'fixed'],
      ['string', 'text'],
      ['int64', null],
    ])
    expect(first.map(({ value }) => value)).toStrictEqual(['fixed', 1.5, '7'])
  })

  it('gives a placeholder the type of the column that it is compared with', () => {
    const [a, b] = [sql.placeholder('a'), sql.placeholder('b')]
    const kinds = (query: SQL, values: Record<string, unknown> = { a: 1, b: 2 }) =>
      bound(query, values).map(({ type, value }) => [type.kind, value])
    const both = [
      ['int64', '1'],
      ['int64', '2'],
    ]
    expect(kinds(between(users.id, a, b))).toStrictEqual(both)
    expect(kinds(notBetween(users.id, a, b))).toStrictEqual(both)
    expect(kinds(inArray(users.id, [a, b]))).toStrictEqual(both)
    expect(kinds(and(ne(users.id, a), gte(users.age, b))!)).toStrictEqual(both)
    expect(kinds(like(users.name, a), { a: null })).toStrictEqual([['string', null]])
    // Other expressions beside a parameter do not determine its type.
    expect(kinds(sql`${users.id} = ${1} and ${b}`, { b: true })).toStrictEqual([
      ['int64', '1'],
      ['bool', true],
    ])
    expect(kinds(sql`${users.id} + ${a} = ${1} and ${b}`, { a: 'x', b: true })).toStrictEqual([
      ['string', 'x'],
      ['int64', '1'],
      ['bool', true],
    ])
  })

  it('rejects a placeholder without a value, and NULL without a type', () => {
    const typed = sql`${eq(users.id, sql.placeholder('id'))}`
    for (const values of [undefined, {}, { id: undefined }, { other: 1n }]) {
      expect(refusal(() => bound(typed, values))).toMatchObject({
        code: 'INVALID_VALUE',
        message: expect.stringContaining('"id"'),
      })
    }
    const untyped = sql`select ${sql.placeholder('any')}`
    expect(refusal(() => bound(untyped, { any: null }))).toMatchObject({ code: 'INVALID_VALUE' })
  })

  it("binds a placeholder for a list as an array of the column's type", () => {
    const among = inArray(users.id, sql.placeholder('ids'))
    expect(bound(among, { ids: [1n, null, 2] })).toStrictEqual([
      { name: 'p1', type: { kind: 'array', of: { kind: 'int64' } }, value: ['1', null, '2'] },
    ])
    expect(bound(sql`${1} in ${sql.placeholder('ids')}`, { ids: [1] })[1]).toMatchObject({ value: ['1'] })
    expect(refusal(() => bound(among, { ids: 1n }))).toMatchObject({ code: 'INVALID_VALUE' })
    expect(refusal(() => bound(among, { ids: ['seven'] }))).toMatchObject({ column: 'id' })
    const made = customType<{ data: number }>({ dataType: () => 'INT64', toDriver: () => sql`next()` })
    const own = spannerTable('own', { it: made() }).it
    expect(refusal(() => bound(inArray(own, sql.placeholder('ids')), { ids: [1] }))).toMatchObject({
      code: 'INVALID_VALUE',
      message: expect.stringContaining('would become SQL'),
    })
    expect(built(inArray(own, [1, 2])).sql).toBe('`own`.`it` in (next(), next())')
  })

  it('rejects an invalid value of a placeholder with the name of its column', () => {
    const query = sql`${eq(users.id, sql.placeholder('id'))}`
    expect(refusal(() => bound(query, { id: 'seven' }))).toMatchObject({
      code: 'INVALID_VALUE',
      column: 'id',
    })
  })

  it('rejects a placeholder whose encoder returns SQL', () => {
    const encoder = { mapToDriverValue: () => sql`now()` }
    const query = sql`select ${sql.param(sql.placeholder('x'), encoder as never)}`
    expect(refusal(() => bound(query, { x: 1 }))).toMatchObject({ code: 'INVALID_VALUE' })
  })
})
