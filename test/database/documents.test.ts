import { LosslessNumber } from 'lossless-json'
import { describe, expect, it } from 'vitest'
import { dialects, testDatabase } from '../support/spanner.js'
import { paper, papers, writingTo } from '@isotherm/testing/data/papers'

describe.each(dialects)('a JSON document in $name', async (dialect) => {
  const { db } = await testDatabase(papers, dialect)
  const { insert, refusal } = writingTo(db)

  /** The documents of all rows, as the database writes them. */
  const texts = async (): Promise<string[]> => {
    const select =
      dialect.name === 'googlesql'
        ? 'SELECT TO_JSON_STRING(document) FROM Paper'
        : 'SELECT document::text FROM "Paper"'
    const { rows } = await db.driver.run({ text: select, parameters: [] })
    return rows.map(([text]) => text as string)
  }

  it('keeps all digits of large integers that another client wrote', async () => {
    const integers = '"d": 18446744073709551615, "e": -9223372036854775808'
    const text = `{"a": 9007199254740993, "b": [-18446744073709551.25, 1.10], "c": "12345678901234567890", ${integers}}`
    const [row] = await db.insert(paper, [{}])
    await db.driver.writes.commit([
      { op: 'update', table: 'Paper', columns: ['id', 'document'], rows: [[row!.id, text]] },
    ])
    // The emulator rounds what the real GoogleSQL refuses.
    const decimal =
      dialect.name === 'googlesql' ? -18446744073709552 : new LosslessNumber('-18446744073709551.25')
    const expected = {
      a: 9007199254740993n,
      b: [decimal, 1.1],
      c: '12345678901234567890',
      d: 18446744073709551615n,
      e: -9223372036854775808n,
    }
    const { document } = (await db.get(paper, row!))!
    expect(document).toStrictEqual(expected)
    // Written back, it is still the same.
    expect(await insert(document)).toStrictEqual(expected)
    const digits = [
      '9007199254740993',
      '12345678901234567890',
      '18446744073709551615',
      '-9223372036854775808',
    ]
    // Its row, and the one that was written back.
    expect((await texts()).map((each) => digits.filter((some) => each.includes(some)))).toEqual([
      digits,
      digits,
    ])
  })

  it('rejects numbers, strings and nesting depths that the database cannot store with INVALID_VALUE', async () => {
    const own =
      dialect.name === 'googlesql'
        ? [2n ** 64n, -(2n ** 63n) - 1n, new LosslessNumber('0.1234567890123456789'), nested(81)]
        : ['a\0b', { 'a\0': 1 }, 10n ** 4932n, new LosslessNumber('1e4932'), nested(1001)]
    for (const document of own) {
      expect(await refusal(document)).toMatchObject({ code: 'INVALID_VALUE', column: 'document' })
    }
    const deepest = nested(dialect.name === 'googlesql' ? 80 : 1000)
    expect(await insert(deepest)).toStrictEqual(deepest)
  })
})

function nested(levels: number): unknown {
  let document: unknown = []
  for (let level = 1; level < levels; level++) document = level % 2 === 0 ? [document] : { a: document }
  return document
}
