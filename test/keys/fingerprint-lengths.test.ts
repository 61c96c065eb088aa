import { defineSchema, defineTable } from '@isotherm/core'
import { fingerprint, shardOf } from '@isotherm/core/keys'
import { describe, expect, it } from 'vitest'
import { dialects, testDatabase } from '../support/spanner.js'

// The hash processes its input in blocks, and a mistake at their edges shows for some lengths only.
const LENGTHS = Array.from({ length: 1101 }, (_, length) => length)
const texts = LENGTHS.map((length) =>
  Array.from({ length }, (_, at) => String.fromCodePoint(33 + ((at * 31 + length) % 90))).join(''),
)

const long = defineTable('Long', (t) => ({
  shard: t.shardKey({ shards: 8000, of: ['text'] }),
  text: t.string({ length: 2000 }).key(),
}))

for (const dialect of dialects) {
  const { db, client } = await testDatabase(defineSchema([long]), dialect)

  describe(`hashes of strings of 0 to 1,100 characters in ${dialect.name}`, () => {
    it('fingerprint() equals the function of the database for every length', async () => {
      const sql =
        dialect.name === 'googlesql'
          ? 'SELECT FARM_FINGERPRINT(v) AS fingerprint FROM UNNEST(@p1) AS v WITH OFFSET AS place ORDER BY place'
          : 'SELECT spanner.farm_fingerprint(v) AS fingerprint FROM unnest($1) WITH ORDINALITY AS u(v, place) ORDER BY place'
      const [rows] = await client.run({
        sql,
        params: { p1: texts },
        types: { p1: { type: 'array', child: 'string' } },
      })
      const hashes = (rows as unknown as { value: { value: string } }[][]).map((row) =>
        BigInt(row[0]!.value.value),
      )
      expect(texts.map((text) => fingerprint(text))).toEqual(hashes)
    })

    it('shardOf() equals the stored shard for every length, and get() finds the rows by their string', async () => {
      await db.insert(
        long,
        texts.map((text) => ({ text })),
      )
      const stored = await db.fanOut(long).all()
      expect(stored.length).toBe(texts.length)
      expect(stored.map((row) => Number(row.shard))).toEqual(stored.map((row) => shardOf(row.text, 8000)))
      const whole = texts.filter((text) => text.length > 0 && text.length % 64 === 0)
      for (const text of whole) expect(await db.get(long, { text })).toMatchObject({ text })
    })
  })
}
