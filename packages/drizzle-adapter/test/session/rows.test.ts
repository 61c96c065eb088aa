import { int64, spannerTable, string } from '@isotherm/drizzle-adapter'
import { aliasedTable, sql, Subquery, type Column, type SQL } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { rowMapper, type SelectedField } from '../../src/session/rows.js'

const users = spannerTable('users', { id: int64({ mode: 'number' }).notNull(), name: string() })
const pets = spannerTable('pets', { id: int64().notNull(), owner: int64(), name: string() })

const field = (path: string, of: Column | SQL | SQL.Aliased | Subquery): SelectedField => ({
  path: path.split('.'),
  field: of,
})

describe('rowMapper()', () => {
  it('decodes cells with the decoders of columns and expressions, in the order of the selection', () => {
    const map = rowMapper(
      [
        field('name', users.name),
        field('id', users.id),
        field('raw', sql`1`),
        field('upper', sql<string>`upper(x)`.mapWith((value: string) => value.toUpperCase()).as('u')),
        field('typed', sql`max(id)`.mapWith(users.id)),
        field('sub', new Subquery(sql`select 1`, { only: users.id }, 'sub')),
      ],
      undefined,
    )
    const row = map(['ann', 7n, 3n, 'x', 9n, 5n])
    expect(row).toStrictEqual({ name: 'ann', id: 7, raw: 3n, upper: 'X', typed: 9, sub: 5 })
    expect(Object.keys(row)).toStrictEqual(['name', 'id', 'raw', 'upper', 'typed', 'sub'])
  })

  it('keeps NULL without calling a decoder', () => {
    const never = (): never => {
      throw new Error('decoded')
    }
    const map = rowMapper([field('a', users.id), field('b', sql`x`.mapWith(never))], undefined)
    expect(map([null, null])).toStrictEqual({ a: null, b: null })
  })

  it('nests objects by the paths of the selected fields', () => {
    const map = rowMapper(
      [field('a.b.c', users.id), field('x', sql`1`), field('a.d', users.name), field('a.b.e', sql`2`)],
      undefined,
    )
    expect(map([1n, 'x', 'd', 'e'])).toStrictEqual({ a: { b: { c: 1, e: 'e' }, d: 'd' }, x: 'x' })
  })

  const joined = [
    field('users.id', users.id),
    field('users.name', users.name),
    field('pets.name', pets.name),
    field('pets.id', pets.id),
    field('pets.owner', pets.owner),
  ]

  it('returns null for an outer-joined table whose columns are all NULL', () => {
    const map = rowMapper(joined, { users: true, pets: false })
    expect(map([1n, null, null, null, null])).toStrictEqual({ users: { id: 1, name: null }, pets: null })
    // A row that was found stays, though its first column is NULL.
    expect(map([1n, 'a', null, 5n, null])).toStrictEqual({
      users: { id: 1, name: 'a' },
      pets: { name: null, id: 5n, owner: null },
    })
  })

  it('returns an object of NULL columns for an inner join, and without joins', () => {
    const empty = { users: { id: null, name: null }, pets: { name: null, id: null, owner: null } }
    for (const joins of [{ users: true, pets: true }, undefined]) {
      expect(rowMapper(joined, joins)([null, null, null, null, null])).toStrictEqual(empty)
    }
  })

  it('returns null for outer-joined nullable columns only if all of them are NULL', () => {
    const map = rowMapper([field('pet.name', pets.name), field('pet.owner', pets.owner)], { pets: false })
    expect(map([null, null])).toStrictEqual({ pet: null })
    expect(map([null, 2n])).toStrictEqual({ pet: { name: null, owner: 2n } })
  })

  it('returns an object of NULL cells where columns of several tables share the object', () => {
    const map = rowMapper([field('both.a', pets.id), field('both.b', users.id)], {
      pets: false,
      users: false,
    })
    expect(map([null, null])).toStrictEqual({ both: { a: null, b: null } })
  })

  it('maps the columns of an aliased table to the name of the alias', () => {
    const second = aliasedTable(pets, 'second')
    const map = rowMapper([field('second.id', second.id), field('second.name', second.name)], {
      second: false,
    })
    expect(map([null, null])).toStrictEqual({ second: null })
    expect(map([3n, 'x'])).toStrictEqual({ second: { id: 3n, name: 'x' } })
  })

  it('decodes cells with the decoders of another dialect if a function for them is passed', () => {
    const map = rowMapper([field('id', users.id)], undefined, (column) => ({
      decode: (cell) => `${column.name} ${String(cell)}`,
    }))
    expect(map([3n])).toStrictEqual({ id: 'id 3' })
  })
})
