import { inspect } from 'node:util'
import { defineSchema, defineTable, jsonNull } from '@isotherm/core'
import { expect, it } from 'vitest'
import { part } from '../part.js'
import * as values from '../data/values.js'
import { papers, writingTo } from '../data/papers.js'

const note = defineTable('Note', (t) => ({
  shard: t.shardKey({ shards: 3, of: ['id'] }),
  id: t.string({ length: 10 }).key(),
  body: t.json({ nullable: true }),
  bodies: t.array({ kind: 'json' }, { nullable: true }),
}))

const ids = (rows: readonly { readonly id: string }[]): string[] => rows.map(({ id }) => id)

const byId = <Row extends { readonly id: string }>(rows: readonly Row[]): Row[] =>
  rows.toSorted((one, other) => (one.id < other.id ? -1 : 1))

export const documents = part([], async ({ database, traits }) => {
  const { db } = await database(papers)
  const { insert, refusal } = writingTo(db)
  const both = async (document: object, write: 'insert' | 'upsert') => {
    const [row] = await db[write]('Paper', [{ id: crypto.randomUUID(), document }])
    return { written: row!['document'], read: (await db.get('Paper', { id: row!['id'] }))!['document'] }
  }

  it('a JSON document keeps the digits of whole numbers beyond 2^53', async () => {
    const ids = { id: 9007199254740993n, ids: [-(2n ** 63n), 2n ** 64n - 1n, 2n ** 53n], safe: 2 ** 53 - 1 }
    expect(await insert(ids)).toStrictEqual(ids)
    expect(await insert(2n ** 63n)).toBe(2n ** 63n)
    expect(await insert([5n, -5n])).toStrictEqual([5, -5])
  })

  it.each<[string, object]>([
    ['names of different lengths', { bb: 1, a: 1, c: 1, B: 0, '': 2, aa: 0 }],
    ['names in other alphabets', { '\u{1F600}': 1, '\uFFFF': 2, é: 3, e: 4, z: 5, zz: 6 }],
    ['names that are numbers', { 10: 1, 9: 2, b: 4, 1: 3, a: 5, '01': 6 }],
    ['nested objects', { b: { d: 1, c: [{ f: 1, e: 2 }] }, a: [] }],
    ['numbers', { z: [1.5, 1e21, 1e-7, 100, 1.0, 12345678901234567890n, -0, 5e-324, 0.1], a: 2n ** 60n }],
  ])(
    'insert() and upsert() return a JSON document exactly as get() reads it, with %s',
    async (_, document) => {
      for (const write of ['insert', 'upsert'] as const) {
        const { written, read } = await both(document, write)
        // Equality of objects says nothing about their order.
        expect(inspect(written, { depth: 9 })).toBe(inspect(read, { depth: 9 }))
      }
    },
  )

  it('a JSON document returns doubles as the same doubles, not as bigints', async () => {
    const doubles = [2 ** 53, 2 ** 60, -1e20, 6.02e23, Number.MAX_VALUE, 5e-324, 0.1 + 0.2, 1e-7]
    expect(await insert(doubles)).toStrictEqual(doubles)
  })

  it('distinguishes the JSON document null from NULL in writes, reads and filters, with every strategy', async () => {
    const notes = await database(defineSchema([note]))
    const rows = [
      {
        id: 'document',
        body: jsonNull,
        bodies: [jsonNull, ...(traits.nullItems ? [null] : []), { a: null }],
      },
      { id: 'none', body: null, bodies: null },
      { id: 'within', body: { a: null, b: [null] }, bodies: [[null]] },
      { id: 'made', body: { toJSON: () => null }, bodies: null },
    ]
    const shown = [{ ...rows[0] }, { id: 'made', body: jsonNull, bodies: null }, rows[1], rows[2]]
    const inserted = await notes.db.insert(note, rows as never, traits.unchecked)
    expect(byId(inserted)).toMatchObject(shown)
    const all = notes.db.fanOut(note).orderBy('id')
    for (const query of [all, ...traits.strategies.map((strategy) => all.strategy(strategy))]) {
      const found = await query.all()
      expect(found).toMatchObject(shown)
      expect(found.map(({ body }) => body === jsonNull)).toEqual([true, true, false, false])
      expect(ids(await query.where({ body: null }).all())).toEqual(['none'])
      expect(await query.where({ body: null }).count()).toBe(1)
      expect(ids(await query.where({ body: { ne: null } }).all())).toEqual(['document', 'made', 'within'])
      expect(await query.where({ body: { ne: null } }).count()).toBe(3)
    }
    // What was read is written back, and is what it was.
    for (const each of await all.all()) await notes.db.upsert(note, [each])
    expect(await all.all()).toMatchObject(shown)
    await notes.db.update(note, [{ id: 'document', body: null }])
    await notes.db.update(note, [{ id: 'none', body: jsonNull }])
    expect(ids(await all.where({ body: null }).all())).toEqual(['document'])
    expect(() => all.where({ body: jsonNull } as never)).toThrow('Only null and { ne: null } apply to it.')
  })

  it('insert() writes bigints in a JSON document as numbers even if BigInt.prototype.toJSON returns text', async () => {
    const prototype = BigInt.prototype as { toJSON?: () => string }
    prototype.toJSON = function (this: bigint) {
      return String(this)
    }
    try {
      expect(await insert({ id: 2n ** 60n })).toStrictEqual({ id: 2n ** 60n })
    } finally {
      delete prototype.toJSON
    }
  })

  it('calls toJSON once for each value of a JSON document, as JSON.stringify does', async () => {
    const self = { a: 1, toJSON: () => self }
    expect(await insert({ self, money: { toJSON: () => 12345678901234567890n } })).toStrictEqual({
      self: { a: 1 },
      money: 12345678901234567890n,
    })
  })

  // Node 20 does not have JSON.rawJSON.
  it.each('rawJSON' in JSON ? ['raw JSON'] : [])(
    'insert() keeps all digits of a number that is given as %s',
    async () => {
      const { rawJSON } = JSON as unknown as { rawJSON: (text: string) => unknown }
      expect(await insert({ id: rawJSON('9007199254740993') })).toStrictEqual({ id: 9007199254740993n })
    },
  )

  it('a JSON document keeps property names such as __proto__ and constructor without changing a prototype', async () => {
    const document = JSON.parse(
      '{"__proto__": {"polluted": true}, "constructor": {"prototype": {"polluted": 1}}, "toString": "x", "": 0}',
    ) as object
    const long = { ...document, id: 2n ** 60n }
    for (const each of [document, Object.assign(Object.create(null), document), long]) {
      const read = (await insert(each)) as object
      expect(Object.getPrototypeOf(read)).toBe(Object.prototype)
      expect(values.comparable(read)).toStrictEqual(values.comparable(each))
    }
    expect('polluted' in {}).toBe(false)
  })

  it.each([
    ['NaN', { a: [NaN] }, '"0" in it is NaN, which JSON does not have.'],
    ['an infinity', -Infinity, 'It is -Infinity'],
    ['half of a surrogate pair', ['\uD83D'], 'half of a surrogate pair'],
    ['half of a surrogate pair in a name', { '\uD83D': 1 }, 'half of a surrogate pair'],
    ['a reference to itself', circular(), 'or the document contains itself.'],
    ['a function', () => 1, 'takes a JSON document, not a function.'],
    ['a promise', { a: Promise.resolve(1) }, '"a" in it is a promise, which JSON does not have. Await it.'],
    ['a Map', new Map([['a', 1]]), 'It is a Map, which JSON does not have. Pass Object.fromEntries(map).'],
    ['a Set', { a: new Set([1]) }, '"a" in it is a Set, which JSON does not have. Pass [...set].'],
    ['a regular expression', [/a/], '"0" in it is a regular expression'],
    ['an Error', { a: new Error('x') }, '"a" in it is an Error, which JSON does not have. Pass its message.'],
    ['a toJSON that throws', { toJSON: () => expect.unreachable('no') }, 'no'],
  ])('throws INVALID_VALUE for %s in a JSON document, with the reason', async (_, document, message) => {
    expect(await refusal(document)).toMatchObject({
      code: 'INVALID_VALUE',
      column: 'document',
      message: expect.stringContaining(message),
    })
  })
})

function circular(): object {
  const document: Record<string, unknown> = {}
  document['self'] = [document]
  return document
}
