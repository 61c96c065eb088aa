import { defineSchema, defineTable } from '@isotherm/core'
import { hashOf } from '@isotherm/core/keys'
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { byStatement, split, splitByStatement } from '../data/by-statement.js'
import { part } from '../part.js'
import { cut, precise } from '../data/precise.js'
import { variantsBy, before, alone, TwoOutside, urls, expectedHash } from '../data/hash-tables.js'

/** Bytes, a time and NULL in one digest; two columns outside the key, which only the client may hash; a child of it. */
const Mixed = defineTable('Mixed', (t) => ({
  digest: t.hashKey({ of: ['raw', 'at', 'note'], algorithm: 'sha256' }),
  raw: t.bytes({ length: 50 }).key(),
  at: t.timestamp().key(),
  note: t.string({ length: 50, nullable: true, immutable: true }),
}))

const Visit = defineTable('Visit', (t) => ({ digest: t.parentKey<Uint8Array>(), visitId: t.uuidV4() }), {
  interleaveIn: () => TwoOutside,
  onDelete: 'cascade',
})

export const hashKeys = part([], async ({ traits, database, when, sample }) => {
  const variants = sample(variantsBy(traits.computedBy), 2).map(([algorithm, by]) => ({
    algorithm,
    by,
    Before: before(algorithm, by),
    Alone: alone(algorithm, by),
  }))
  const { db } = await database(
    defineSchema([
      ...variants.flatMap(({ Before, Alone }) => [Before, Alone]),
      Mixed,
      TwoOutside,
      ...(traits.interleaving ? [Visit] : []),
    ]),
  )
  const statements = byStatement(db, traits)

  describe.each(variants)(
    'a $algorithm hash as a key, computed by the $by',
    ({ algorithm, Before, Alone }) => {
      it('equals the hash of the joined column values in stored rows and in rows that insert() returns', async () => {
        const input = urls.map((url, at) => ({ tenant: BigInt(at - 20), url }))
        const wanted = input.map((row) => ({
          hash: expectedHash(algorithm, `${row.tenant}|${row.url}`),
          ...row,
          hits: null,
        }))
        expect(await db.insert(Before, input, split)).toEqual(wanted)
        for (const row of wanted)
          expect(await db.get(Before, { tenant: row.tenant, url: row.url })).toEqual(row)
        expect(wanted.map(({ hash }) => hash)).toEqual(
          input.map(({ tenant, url }) => hashOf([tenant, url], algorithm)),
        )
      })

      it('is not needed to get, update, upsert and delete rows when the hashed columns follow in the key', async () => {
        const key = { tenant: 99n, url: '/x' }
        const [row] = await db.insert(Before, [{ ...key, hits: 1n }])
        expect(await db.get(Before, key)).toEqual(row)
        await db.update(Before, { ...key, hits: 2n })
        await db.upsert(
          Before,
          [
            { ...key, hits: 3n },
            { tenant: 100n, url: '/x' },
          ],
          split,
        )
        expect(await db.get(Before, key)).toEqual({ ...row, hits: 3n })
        expect(await db.fanOut(Before).where(key).all()).toEqual([{ ...row, hits: 3n }])
        expect(await db.fanOut(Before).where({ hash: row!.hash }).all()).toEqual([{ ...row, hits: 3n }])
        await statements(async (tx) => {
          await tx.update(Before, { ...key, hits: 4n })
          await tx.upsert(
            Before,
            [
              { ...key, hits: 5n },
              { tenant: 101n, url: '/x' },
            ],
            splitByStatement(traits),
          )
          expect(await tx.get(Before, key)).toEqual({ ...row, hits: 5n })
          const [inside] = await tx.insert(Before, [{ tenant: 102n, url: '/x' }])
          expect(await tx.get(Before, { tenant: 102n, url: '/x' })).toEqual(inside)
          await tx.delete(
            Before,
            [100n, 101n, 102n].map((tenant) => ({ tenant, url: '/x' })),
            splitByStatement(traits),
          )
        })
        await expect(db.insert(Before, [key])).rejects.toMatchObject({ code: 'ALREADY_EXISTS' })
        await db.delete(Before, key)
        for (const tenant of [99n, 100n, 101n, 102n])
          expect(await db.fanOut(Before).where({ tenant, url: '/x' }).count()).toBe(0)
      })

      it('finds a row by the hashed column or by the hash, and keeps the column unique, when the hash is the whole key', async () => {
        const [row] = await db.insert(Alone, [{ url: '/y' }])
        expect(row).toEqual({ digest: expectedHash(algorithm, '/y'), url: '/y', hits: null })
        expect(await db.get(Alone, { url: '/y' })).toEqual(row)
        expect(await db.get(Alone, { digest: row!.digest })).toEqual(row)
        await expect(db.get(Alone, {})).rejects.toMatchObject({ code: 'KEY_INCOMPLETE' })
        await expect(db.insert(Alone, [{ url: '/y' }])).rejects.toMatchObject({ code: 'ALREADY_EXISTS' })
        await db.update(Alone, { url: '/y', hits: 1n })
        await statements((tx) => tx.update(Alone, { url: '/y', hits: 2n }))
        expect(await db.get(Alone, { url: '/y' })).toEqual({ ...row, hits: 2n })
        await db.delete(Alone, { url: '/y' })
        expect(await db.get(Alone, { url: '/y' })).toBeUndefined()
      })

      it('is rejected with INVALID_VALUE if a row gives a hash that differs from the computed hash', async () => {
        const [row] = await db.insert(Alone, [{ url: '/z', digest: expectedHash(algorithm, '/z') as never }])
        expect(await db.get(Alone, { url: '/z' })).toEqual(row)
        const wrong = { url: '/zz', digest: row!.digest }
        const refused = {
          code: 'INVALID_VALUE',
          column: 'digest',
          message: expect.stringContaining('reads would look in'),
        }
        await expect(db.insert(Alone, [wrong])).rejects.toMatchObject(refused)
        await expect(statements((tx) => tx.insert(Alone, [wrong]))).rejects.toMatchObject(refused)
      })
    },
  )

  describe('a hash of several columns', () => {
    it('is computed from bytes, a timestamp and NULL, and get() finds the rows by these values', async () => {
      const at = cut(precise('1969-12-31T23:59:59.999999499Z'), traits.timestampDigits)
      const micros = at.getTime() * 1000 + at.getMicroseconds()
      const rows = await db.insert(
        Mixed,
        [
          { raw: Buffer.from('ff7c00', 'hex'), at, note: 'ß' },
          { raw: Buffer.alloc(0), at, note: null },
        ],
        split,
      )
      const hashed = [
        Buffer.concat([Buffer.from('ff7c00', 'hex'), Buffer.from(`|${micros}|ß`)]),
        Buffer.from(`|${micros}|\\N`),
      ]
      expect(rows.map(({ digest }) => digest)).toEqual(hashed.map((text) => expectedHash('sha256', text)))
      for (const row of rows) {
        const { raw, note } = row
        expect(await db.get(Mixed, { raw, at, note })).toEqual(row)
      }
      const both = { digest: { in: rows.map(({ digest }) => digest) } }
      expect(await db.fanOut(Mixed).where(both).orderBy('raw').all()).toEqual(rows.toReversed())
    })

    it('is computed by the client when the columns are outside the key', async () => {
      const town = { region: 'eu', city: 'Zürich' }
      const [row] = await db.insert(TwoOutside, [town])
      expect(row!.digest).toEqual(createHash('sha512').update('eu|Zürich').digest())
      expect(await db.get(TwoOutside, town)).toEqual(row)
    })
  })

  when('interleaving', 'a hash key of a parent', () => {
    it('is inherited by a child, and the child is deleted with its parent', async () => {
      const town = { region: 'eu', city: 'Bern' }
      const [row] = await db.insert(TwoOutside, [town])
      const [visit] = await db.insert(Visit, [{ digest: row!.digest }])
      expect(await db.get(Visit, visit!)).toEqual(visit)
      await db.delete(TwoOutside, town)
      expect(await db.fanOut(Visit).where({ digest: row!.digest }).count()).toBe(0)
    })
  })
})
