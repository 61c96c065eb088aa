import { defineSchema, defineTable } from '@isotherm/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { precise } from '../support/precise.js'
import { testDatabase } from '../support/spanner.js'

const everything = defineTable('Everything', (t) => ({
  id: t.uuidV4(),
  flag: t.bool({ nullable: true }),
  whole: t.int64({ nullable: true }),
  single: t.float32({ nullable: true }),
  double: t.float64({ nullable: true }),
  exact: t.numeric({ nullable: true }),
  text: t.string({ nullable: true }),
  raw: t.bytes({ nullable: true }),
  day: t.date({ nullable: true }),
  moment: t.timestamp({ nullable: true }),
  document: t.json({ nullable: true }),
  other: t.uuid({ nullable: true }),
  words: t.array({ kind: 'string', length: 'max' }, { nullable: true }),
  moments: t.array({ kind: 'timestamp' }, { nullable: true }),
  numbers: t.array({ kind: 'float64' }, { nullable: true }),
}))

const { db } = await testDatabase(defineSchema([everything]))

const text = fc.string({ unit: 'binary', maxLength: 50 })
const moment = fc
  .tuple(
    fc.date({
      min: new Date('0001-01-01T00:00:00Z'),
      max: new Date('9999-12-31T23:59:59.999Z'),
      noInvalidDate: true,
    }),
    fc.nat(999_999),
  )
  .map(([date, below]) => precise(date.toISOString().replace('Z', `${String(below).padStart(6, '0')}Z`)))
const extremes = fc.constantFrom(
  precise('0001-01-01T00:00:00.000000000Z'),
  precise('1969-12-31T23:59:59.999999999Z'),
  precise('1969-12-31T23:59:59.000000001Z'),
  precise('9999-12-31T23:59:59.999999999Z'),
)
const double = fc.oneof(
  fc.double(),
  fc.constantFrom(NaN, Infinity, -Infinity, 1, -0.5, Number.MAX_VALUE, 5e-324),
)
// As JSON text has it, which knows no negative zero; NULL as a document is not NULL as a value.
const document = fc
  .jsonValue({ noUnicodeString: false, maxDepth: 2 })
  .map((value) => JSON.parse(JSON.stringify(value)) as unknown)
  .filter((value) => value !== null)
const row = fc.record({
  flag: fc.option(fc.boolean()),
  whole: fc.option(
    fc.oneof(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), fc.constant(-(2n ** 63n))),
  ),
  single: fc.option(fc.oneof(fc.float(), fc.constantFrom(NaN, Infinity))),
  double: fc.option(double),
  exact: fc.option(
    fc.constantFrom('0', '-1.5', '99999999999999999999999999999.999999999', '0.000000001', '-12'),
  ),
  text: fc.option(text),
  raw: fc.option(fc.uint8Array().map((bytes) => Buffer.from(bytes))),
  day: fc.option(fc.constantFrom('0001-01-01', '1969-12-31', '2024-02-29', '9999-12-31')),
  moment: fc.option(fc.oneof(moment, extremes)),
  document: fc.option(document),
  other: fc.option(fc.uuid()),
  words: fc.option(fc.array(fc.option(text), { maxLength: 4 })),
  moments: fc.option(fc.array(fc.option(moment), { maxLength: 3 })),
  numbers: fc.option(fc.array(fc.option(double), { maxLength: 3 })),
})

function hasNegativeZero(value: unknown): boolean {
  return Array.isArray(value) ? value.some(hasNegativeZero) : Object.is(value, -0)
}

describe('every value', () => {
  it('comes back as it was stored, extremes included', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 20 }), async (rows) => {
        const given = rows.map((each) =>
          Object.fromEntries(
            Object.entries(each).map(([name, value]) => [name, hasNegativeZero(value) ? null : value]),
          ),
        )
        const inserted = await db.insert(everything, given as never)
        for (const [at, each] of inserted.entries()) {
          expect(await db.get(everything, { id: each.id }, { at: { exactStaleness: 0 } })).toEqual(each)
          expect(each).toMatchObject(given[at]!)
        }
        const updated = await db.transaction(async (tx) => {
          await tx.update(
            everything,
            inserted.map(({ id }, at) => ({ id, ...given[(at + 1) % given.length] })),
          )
          return tx.get(everything, { id: inserted[0]!.id })
        })
        expect(updated).toMatchObject(given[1 % given.length]!)
      }),
      { numRuns: 40 },
    )
  })

  it('comes back whole when it is too long for one message', async () => {
    const long = 'aé\u{1F600}'.repeat(400_000)
    const words = Array.from({ length: 300 }, (_, at) => `${at}-${'x'.repeat(10_000)}`)
    const inserted = await db.insert(everything, [
      { text: long, raw: Buffer.alloc(3_000_000, 7), words },
      { text: 'short' },
      { words: [...words, null] },
    ])
    const read = await db
      .fanOut(everything)
      .where({ id: { in: inserted.map(({ id }) => id) } })
      .all()
    for (const { raw, ...each } of inserted) {
      const { raw: readRaw, ...found } = read.find(({ id }) => id === each.id)!
      expect(found).toEqual(each)
      // Byte by byte, toEqual takes seconds for three million.
      expect(raw === null ? readRaw === null : Buffer.compare(raw, readRaw!) === 0).toBe(true)
    }
  })
})
