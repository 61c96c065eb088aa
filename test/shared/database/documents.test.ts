import { describe, expect, it } from 'vitest'
import { engines } from '../../support/engines.js'
import * as values from '../../support/values.js'
import { papers, writingTo } from './papers.js'

describe.each(engines)('a document in $name', async ({ database }) => {
  const { db } = await database(papers)
  const { insert, refusal } = writingTo(db)

  it('keeps the digits of whole numbers beyond 2^53', async () => {
    const ids = { id: 9007199254740993n, ids: [-(2n ** 63n), 2n ** 64n - 1n, 2n ** 53n], safe: 2 ** 53 - 1 }
    expect(await insert(ids)).toStrictEqual(ids)
    expect(await insert(2n ** 63n)).toBe(2n ** 63n)
    expect(await insert([5n, -5n])).toStrictEqual([5, -5])
  })

  it('keeps doubles that are whole doubles', async () => {
    const doubles = [2 ** 53, 2 ** 60, -1e20, 6.02e23, Number.MAX_VALUE, 5e-324, 0.1 + 0.2, 1e-7]
    expect(await insert(doubles)).toStrictEqual(doubles)
  })

  it('writes bigints as numbers, even where somebody has taught them to be text', async () => {
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

  it('takes `toJSON` once, as JSON.stringify does', async () => {
    const self = { a: 1, toJSON: () => self }
    expect(await insert({ self, money: { toJSON: () => 12345678901234567890n } })).toStrictEqual({
      self: { a: 1 },
      money: 12345678901234567890n,
    })
  })

  // Node 20 has none.
  it.each('rawJSON' in JSON ? ['raw JSON'] : [])('takes %s for what it says', async () => {
    const { rawJSON } = JSON as unknown as { rawJSON: (text: string) => unknown }
    expect(await insert({ id: rawJSON('9007199254740993') })).toStrictEqual({ id: 9007199254740993n })
  })

  it('has names that mean something to JavaScript', async () => {
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
    ['itself', circular(), 'or the document holds itself.'],
    ['a function', () => 1, 'takes a JSON document, not a function.'],
    ['what its toJSON throws', { toJSON: () => expect.unreachable('no') }, 'no'],
  ])('refuses %s by name', async (_, document, message) => {
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
