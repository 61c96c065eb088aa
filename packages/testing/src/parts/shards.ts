import { defineSchema } from '@isotherm/core'
import { type Hashable, shardOf } from '@isotherm/core/keys'
import { describe, expect, it } from 'vitest'
import { inPages } from '../data/paging.js'
import { byStatement, split } from '../data/by-statement.js'
import { part } from '../part.js'
import { cut } from '../data/precise.js'
import {
  SHARDS,
  types,
  names,
  Given,
  GivenPart,
  GivenToClient,
  variantsBy,
  hashTables,
} from '../data/hashed-tables.js'

export const shards = part([], async ({ dialect, traits, database, when, sample }) => {
  const { computedBy, nullKeys, readStrategies: strategies, timestampDigits } = traits
  const tested = sample(variantsBy(computedBy), 4)
  const { db } = await database(
    defineSchema([...hashTables(tested, computedBy, nullKeys), ...(traits.interleaving ? [GivenPart] : [])]),
  )
  const statements = byStatement(db, traits)
  /** Times to the last digit that is kept. */
  const valuesOf = (name: string) =>
    types[name]!.values.map((value) => (value instanceof Date ? cut(value, timestampDigits) : value))

  describe.each(tested)('a shard computed from %s by the %s', (name, by) => {
    const table = `Of_${name}_by_${by}`
    const values: readonly Hashable[] = [...valuesOf(name), ...(nullKeys ? [null] : [])]
    const input = values.map((value, at) => ({ value, id: BigInt(at) }))
    const wanted = input.map((row) => ({
      ...row,
      shard: BigInt(shardOf(row.value, SHARDS, { dialect })),
      note: null,
    }))

    it('equals shardOf() in the stored rows and in the rows that insert() returns', async () => {
      expect(await db.insert(table, input, split)).toEqual(wanted)
      expect(await db.fanOut(table).orderBy('id').all()).toEqual(wanted)
    })

    it('is not needed to get, update, upsert and delete rows', async () => {
      const rows = input.map((row) => ({ ...row, id: row.id + 100n }))
      await db.insert(table, rows, split)
      for (const { value, id } of rows) {
        const key = { value, id }
        const shard = BigInt(shardOf(value, SHARDS, { dialect }))
        expect(await db.get(table, key)).toEqual({ shard, ...key, note: null })
        await db.update(table, { ...key, note: 'a' })
        await db.upsert(table, [{ ...key, note: 'b' }])
        expect(await db.get(table, key)).toEqual({ shard, ...key, note: 'b' })
      }
      await statements(async (tx) => {
        const key = { value: rows[0]!.value, id: rows[0]!.id }
        expect(await tx.get(table, key)).toMatchObject({ note: 'b' })
        await tx.update(table, { ...key, note: 'c' })
        await tx.upsert(table, [{ ...key, note: 'd' }])
        expect(await tx.get(table, key)).toMatchObject({ note: 'd' })
        await tx.insert(table, [{ ...key, id: 200n }])
        expect(await tx.get(table, { ...key, id: 200n })).toBeDefined()
        await tx.delete(table, [key, { ...key, id: 200n }])
        expect(await tx.get(table, key)).toBeUndefined()
      })
      await db.delete(table, rows.slice(1), split)
      expect(await db.fanOut(table).all()).toHaveLength(input.length)
    })

    it('limits a fan-out to one shard when the filter names the hashed value', async () => {
      for (const row of wanted) {
        const query = db.fanOut(table).where({ value: row.value })
        expect(query.explain().shards).toEqual({ of: SHARDS, read: [Number(row.shard)] })
        expect(await query.all()).toEqual([row])
        expect(await query.count()).toBe(1)
      }
      const [first, second] = wanted as [(typeof wanted)[0], (typeof wanted)[0]]
      const both = db
        .fanOut(table)
        .where({ value: { in: [first.value, second.value] } })
        .orderBy('id')
      const shards = [...new Set([first.shard, second.shard].map(Number))].toSorted((a, b) => a - b)
      expect(both.explain().shards?.read).toEqual(shards)
      expect(await both.all()).toEqual([first, second])
      for (const strategy of strategies) expect(await both.strategy(strategy).all()).toEqual([first, second])
    })

    it('is rejected in rows and keys if it differs from the computed shard', async () => {
      const [{ value }] = input as [(typeof input)[0]]
      const right = BigInt(shardOf(value, SHARDS, { dialect }))
      const wrong = (right + 1n) % BigInt(SHARDS)
      const [row] = await db.insert(table, [{ shard: right, value, id: 300n }])
      expect(await db.get(table, { shard: right, value, id: 300n })).toEqual(row)
      await db.delete(table, row!)
      const refused = {
        code: 'INVALID_VALUE',
        column: 'shard',
        message: expect.stringContaining(`look in ${right}`),
      }
      await expect(db.insert(table, [{ shard: wrong, value, id: 301n }])).rejects.toMatchObject(refused)
      await expect(
        statements((tx) => tx.insert(table, [{ shard: wrong, value, id: 301n }])),
      ).rejects.toMatchObject(refused)
      const key = { shard: wrong, value, id: 0n }
      const calls = [
        () => db.get(table, key),
        () => db.update(table, { ...key, note: 'a' }),
        () => db.delete(table, [key]),
        () => statements((tx) => tx.get(table, key)),
        () => statements((tx) => tx.update(table, { ...key, note: 'a' })),
        () => statements((tx) => tx.delete(table, key)),
      ]
      for (const call of calls) {
        await expect(call()).rejects.toMatchObject({
          code: 'INVALID_VALUE',
          column: 'shard',
          message: expect.stringContaining(`but such a row can only be in ${right}`),
        })
      }
      expect(await db.fanOut(table).where(key).all()).toEqual([])
    })
  })

  describe.each(computedBy)('a shard computed from columns of every type by the %s', (by) => {
    const table = `Composite_by_${by}`
    const parts = names.filter((name) => !types[name]!.split)
    const rows = Array.from({ length: 40 }, (_, at) => ({
      ...Object.fromEntries(
        parts.map((name, position) => {
          const values = valuesOf(name)
          const value = values[(at * (position + 3)) % (values.length + 1)]
          return [name, value ?? (nullKeys ? null : values[0])]
        }),
      ),
      id: BigInt(at),
    })) as ({ id: bigint } & Record<string, Hashable>)[]

    it('equals shardOf(), and get() and fan-outs find the rows', async () => {
      const wanted = rows.map((row) => ({
        shard: BigInt(
          shardOf(
            parts.map((name) => row[name]!),
            SHARDS,
            { dialect },
          ),
        ),
        ...row,
      }))
      expect(await db.insert(table, rows, split)).toEqual(wanted)
      expect(await inPages(db.fanOut(table).orderBy('id'), 9)).toEqual(wanted)
      for (const [at, row] of rows.entries()) expect(await db.get(table, row)).toEqual(wanted[at])
      const query = db.fanOut(table).where(Object.fromEntries(parts.map((name) => [name, rows[7]![name]])))
      expect(query.explain().shards?.read).toEqual([Number(wanted[7]!.shard)])
      expect(await query.all()).toContainEqual(wanted[7])
    })
  })

  describe('a shard computed from an immutable column outside the key', () => {
    it('requires the hashed column in get() and update(), and update() with another value throws NOT_FOUND', async () => {
      const [row, other] = await db.insert(Given, [{ id: 1n, region: 'eu' }, { id: 2n }], split)
      expect([row!.shard, other!.shard]).toEqual(
        [shardOf(['eu', 1n], 7, { dialect }), shardOf([null, 2n], 7, { dialect })].map(BigInt),
      )
      expect(await db.get(Given, { id: 1n, region: 'eu' })).toEqual(row)
      expect(await db.get(Given, { id: 2n, region: null })).toEqual(other)
      expect(await db.get(Given, { shard: row!.shard, id: 1n })).toEqual(row)
      await expect(db.get(Given, { id: 1n })).rejects.toMatchObject({
        code: 'KEY_INCOMPLETE',
        column: 'region',
      })
      await expect(db.update(Given, { id: 1n, note: 'x' })).rejects.toMatchObject({ code: 'KEY_INCOMPLETE' })
      await db.update(Given, { id: 1n, region: 'eu', note: 'outside' })
      await statements((tx) => tx.update(Given, { id: 2n, region: null, note: 'inside' }))
      expect(await db.fanOut(Given).where({ region: 'eu', id: 1n }).all()).toEqual([
        { ...row, note: 'outside' },
      ])
      expect(await db.fanOut(Given).where({ region: null }).all()).toEqual([{ ...other, note: 'inside' }])
      // Another value with the same shard would be another row, which does not exist.
      const elsewhere = Array.from({ length: 200 }, (_, at) => `r${at}`).find(
        (region) => shardOf([region, 1n], 7, { dialect }) === shardOf(['eu', 1n], 7, { dialect }),
      )!
      const missing = { code: 'NOT_FOUND', fix: 'Insert it.' }
      const change = { id: 1n, region: elsewhere, note: 'lost' }
      await expect(db.update(Given, change)).rejects.toMatchObject(missing)
      await expect(statements((tx) => tx.update(Given, change))).rejects.toMatchObject(missing)
      expect(await db.get(Given, { id: 1n, region: 'eu' })).toEqual({ ...row, note: 'outside' })
      await expect(db.insert(Given, [{ id: 1n, region: 'eu' }], split)).rejects.toMatchObject({
        code: 'ALREADY_EXISTS',
        fix: 'Use update for rows that are there.',
      })
      await expect(db.upsert(Given, [{ id: 1n, region: 'us' }])).rejects.toMatchObject({
        code: 'UNSUPPORTED_WRITE',
      })
      await db.delete(Given, [{ id: 1n, region: 'eu' }, other!], split)
      expect(await db.fanOut(Given).count()).toBe(0)
    })

    when('interleaving', 'in the key of a parent', () => {
      it("is not computed for a child from the child's own column of the same name", async () => {
        const [parent] = await db.insert(Given, [{ id: 50n, region: 'eu' }])
        const { shard } = parent!
        const region = Array.from({ length: 20 }, (_, at) => `r${at}`).find(
          (each) => BigInt(shardOf([each, 50n], 7, { dialect })) !== shard,
        )!
        const key = { shard, id: 50n, part: 1n }
        const [row] = await db.insert(GivenPart, [{ ...key, region }])
        expect(row).toEqual({ ...key, region, note: null })
        await db.update(GivenPart, { ...key, note: 'a' })
        await db.update(GivenPart, { ...key, region: 'eu' })
        await db.upsert(GivenPart, [{ ...key, region, note: 'b' }])
        await statements((tx) => tx.update(GivenPart, { ...key, note: 'c' }))
        expect(await db.get(GivenPart, key)).toEqual({ ...key, region, note: 'c' })
        expect(await db.fanOut(GivenPart).where({ region, id: 50n }).all()).toEqual([
          { ...key, region, note: 'c' },
        ])
        const expectedError = {
          column: 'shard',
          fix: 'Take shard from the row of Given: it is computed from region, id there, which GivenPart does not inherit.',
        }
        const { shard: _, ...rest } = { ...key, region }
        await expect(db.insert('GivenPart', [rest])).rejects.toMatchObject({
          code: 'INVALID_VALUE',
          ...expectedError,
        })
        await expect(db.get('GivenPart', rest)).rejects.toMatchObject({
          code: 'KEY_INCOMPLETE',
          ...expectedError,
        })
        await db.delete(GivenPart, key)
        await db.delete(Given, { shard, id: 50n })
      })
    })

    when('transactions', 'in a transaction', () => {
      it('update() checks all rows first, and changes no row if one row is missing', async () => {
        await db.insert(
          Given,
          ['eu', 'us'].map((region, at) => ({ id: BigInt(10 + at), region })),
        )
        const change = { id: 10n, region: 'eu', note: 'changed' }
        const missing = db.update(Given, [change, { id: 12n, region: 'us', note: 'changed' }])
        await expect(missing).rejects.toMatchObject({ code: 'NOT_FOUND' })
        expect(await db.get(Given, { id: 10n, region: 'eu' })).toMatchObject({ note: null })
        await db.update(Given, [change, { id: 11n, region: 'us', note: 'b' }, { ...change, note: 'last' }])
        const rows = await db
          .fanOut(Given)
          .where({ id: { gte: 10n } })
          .orderBy('id')
          .all()
        expect(rows.map(({ region, note }) => [region, note])).toEqual([
          ['eu', 'last'],
          ['us', 'b'],
        ])
      })

      it('a buffered update throws UNSUPPORTED_WRITE if the database computes the shard', async () => {
        const buffered = db.transaction((tx) =>
          tx.update(Given, { id: 3n, region: 'eu', note: 'x' }, { buffered: true }),
        )
        await expect(buffered).rejects.toMatchObject({
          code: 'UNSUPPORTED_WRITE',
          column: 'region',
          message: expect.stringContaining('Updates of Given cannot be buffered') as string,
        })
        await db.transaction((tx) => tx.update(Given, [], { buffered: true }))
      })

      it('a buffered update is accepted if the client computes the shard', async () => {
        await db.insert(GivenToClient, [{ id: 1n, region: 'eu' }, { id: 2n }])
        await db.transaction((tx) =>
          tx.update(
            GivenToClient,
            [
              { id: 1n, region: 'eu', note: 'a' },
              { id: 2n, region: null, note: 'b' },
            ],
            { buffered: true },
          ),
        )
        const rows = await db.fanOut(GivenToClient).orderBy('id').all()
        expect(rows.map(({ region, note }) => [region, note])).toEqual([
          ['eu', 'a'],
          [null, 'b'],
        ])
      })
    })
  })
})
