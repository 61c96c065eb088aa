import { defineSchema, defineTable } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { inPages } from '@isotherm/testing/data/paging'
import { byStatement, split } from '@isotherm/testing/data/by-statement'
import { engines } from '../../support/engines.js'
import { someCases } from '../../support/runs.js'
import { isCql } from '../../support/languages.js'
import { adoptedDatabase, cases, made, models, Unknown } from './adopted-tables.js'

const byText = (a: object, b: object): number => {
  const [left, right] = [a, b].map((row) => {
    const { title, userId } = row as { title?: string; userId?: bigint }
    return title === undefined ? (userId as bigint) : Buffer.from(title).toString('hex')
  }) as [string, string]
  return left < right ? -1 : 1
}

describe.each(engines)('existing tables with shards in $name', async (engine) => {
  const { dialect, traits } = engine
  const { computedBy, pastReads, readStrategies: strategies } = traits
  const computes = computedBy.includes('database')
  const { open, insertByOther } = await adoptedDatabase(engine)
  const db = open(defineSchema(models.filter((model) => computes || model !== Unknown)))
  const statements = byStatement(db, traits)

  describe.each(cases)('the existing table %s', (name, { model, rows, shard, property, of, lowest }) => {
    const wanted = rows.map((row) => ({ shard: shard(row), ...row, note: null }))
    const isComputed = computes && name !== 'Written'

    it('contains rows of other writers and of Isotherm, each in the shard that the table defines', async () => {
      const [theirs, ours] = [rows.slice(0, rows.length / 2), rows.slice(rows.length / 2)]
      const values = theirs.map((row) => {
        const value = typeof row[property] === 'bigint' ? String(row[property]) : `'${String(row[property])}'`
        return isComputed ? [value] : [String(shard(row)), value]
      })
      const column = property === 'title' ? 'title' : 'user_id'
      await insertByOther(name, isComputed ? [column] : ['shard_id', column], values)
      expect(await db.insert(model, ours, split)).toEqual(wanted.slice(rows.length / 2))
      const shards = new Set(wanted.map((row) => row.shard))
      expect([...shards].some((each) => each < 0n)).toBe(lowest < 0)
      expect([...shards].every((each) => each >= lowest && each < lowest + of)).toBe(true)
    })

    it('is read in order and page by page over all shards, including negative shards', async () => {
      const sorted = wanted.toSorted(byText)
      const ordered = db.fanOut(model).orderBy(property)
      const query = pastReads ? ordered.timestampBound({ exactStaleness: 0 }) : ordered
      expect(query.explain().shards).toEqual({
        of,
        read: Array.from({ length: of }, (_, at) => lowest + at),
      })
      expect(await query.all()).toEqual(sorted)
      for (const strategy of someCases(strategies, 2))
        expect(await inPages(query.strategy(strategy), 30)).toEqual(sorted)
      expect(await inPages(db.fanOut(model).orderBy(property, 'desc'), 30)).toEqual(sorted.toReversed())
      expect(await query.count()).toBe(rows.length)
      const counts = await db.fanOut(model).groupBy('shard').count()
      expect(
        counts.map((each) => each['shard']).toSorted((a, b) => Number((a as bigint) - (b as bigint))),
      ).toEqual([...new Set(wanted.map((row) => row.shard))].toSorted((a, b) => Number(a - b)))
    })

    it('is read in one shard when the filter fixes the hashed column', async () => {
      for (const row of someCases(wanted.slice(0, 20), 5)) {
        const value = (row as Record<string, unknown>)[property]
        const query = db.fanOut(model).where({ [property]: value })
        expect(query.explain().shards).toEqual({ of, read: [Number(row.shard)] })
        expect(await query.all()).toEqual([row])
        const inShard = await db.fanOut(model).where({ shard: row.shard }).all()
        expect(inShard).toEqual(wanted.filter((each) => each.shard === row.shard).toSorted(byText))
      }
    })

    it('finds rows for get, update, upsert and delete without their shard', async () => {
      const some = someCases(wanted.slice(0, 12), 3)
      for (const row of some) {
        const value = (row as Record<string, unknown>)[property]
        const key = { [property]: value }
        expect(await db.get(model, key)).toEqual(row)
        await db.update(model, { ...key, note: 'a' })
        await db.upsert(model, [{ ...key, note: 'b' }])
        await statements(async (tx) => {
          expect(await tx.get(model, key)).toEqual({ ...row, note: 'b' })
          await tx.update(model, { ...key, note: 'c' })
          await tx.upsert(model, [{ ...key, note: 'd' }])
        })
        expect(await db.get(model, key)).toEqual({ ...row, note: 'd' })
        await db.delete(model, key)
        expect(await db.get(model, key)).toBeUndefined()
      }
      expect(await db.fanOut(model).count()).toBe(rows.length - some.length)
    })

    it('rejects a given shard that differs from the computed shard with INVALID_VALUE', async () => {
      const row = wanted[0]!
      const wrong = row.shard === 3n ? 4n : 3n
      const error = await db.insert(model, [{ ...row, shard: wrong }]).catch((caught: unknown) => caught)
      expect(error).toMatchObject({ code: 'INVALID_VALUE', column: 'shard' })
    })
  })

  describe.each(computes ? ['database'] : [])('a table whose shard only the %s computes', () => {
    const ids = Array.from({ length: 30 }, (_, at) => BigInt(at * 3))

    it('returns the shard of inserted rows', async () => {
      const inserted = await db.insert(
        Unknown,
        ids.map((userId) => ({ userId })),
        split,
      )
      expect(inserted).toEqual(ids.map((userId) => ({ shard: userId % 10n, userId, note: null })))
      const [inside] = await statements((tx) => tx.insert(Unknown, [{ userId: 1000n, note: 'inside' }]))
      expect(inside).toEqual({ shard: 0n, userId: 1000n, note: 'inside' })
      await db.delete(Unknown, inside!)
    })

    it('is read in all shards, except with a filter on the shard itself', async () => {
      const wanted = ids.map((userId) => ({ shard: userId % 10n, userId, note: null }))
      for (const strategy of strategies)
        expect(await inPages(db.fanOut(Unknown).strategy(strategy), 7)).toEqual(wanted)
      const one = db.fanOut(Unknown).where({ userId: 9n })
      expect(one.explain().shards).toEqual({ of: 10, read: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] })
      expect(await one.all()).toEqual([wanted[3]])
      const inShard = db.fanOut(Unknown).where({ shard: 9n })
      expect(inShard.explain().shards).toEqual({ of: 10, read: [9] })
      expect(await inShard.all()).toEqual(wanted.filter((row) => row.shard === 9n))
    })

    it('changes existing rows and inserts new rows in an upsert without the shard', async () => {
      const rows = [
        { userId: 12n, note: 'changed' },
        { userId: 2000n, note: 'new' },
      ]
      await db.upsert(Unknown, rows, split)
      expect(await db.get(Unknown, { shard: 2n, userId: 12n })).toEqual({ shard: 2n, ...rows[0] })
      expect(await db.get(Unknown, { shard: 0n, userId: 2000n })).toEqual({ shard: 0n, ...rows[1] })
      await statements((tx) => tx.upsert(Unknown, [{ userId: 12n, note: null }]))
      expect(await db.get(Unknown, { shard: 2n, userId: 12n })).toMatchObject({ note: null })
      await db.delete(Unknown, { shard: 0n, userId: 2000n })
    })

    it('finds a row by its whole key, and throws KEY_INCOMPLETE without the shard', async () => {
      const key = { shard: 6n, userId: 6n }
      expect(await db.get(Unknown, key)).toEqual({ ...key, note: null })
      await expect(db.get(Unknown, { userId: 6n })).rejects.toMatchObject({
        code: 'KEY_INCOMPLETE',
        column: 'shard',
      })
      await db.update(Unknown, { ...key, note: 'changed' })
      await statements((tx) => tx.update(Unknown, { ...key, note: 'again' }))
      expect(await db.get(Unknown, key)).toEqual({ ...key, note: 'again' })
      await db.delete(Unknown, key)
      expect(await db.get(Unknown, key)).toBeUndefined()
    })
  })

  it.each(computes ? [] : ['database'])(
    'a shard that only a %s can compute is rejected with UNSUPPORTED_MODEL',
    () => {
      const fix = 'Add the same as a function, compute: (row) => …, or remove the expression.'
      expect(() => open(defineSchema([Unknown]))).toThrow(
        expect.objectContaining({
          code: 'UNSUPPORTED_MODEL',
          table: 'Unknown',
          column: 'shard',
          message: `Unknown.shard is computed by an SQL expression, which CQL does not support. ${fix}`,
          fix,
        }),
      )
    },
  )

  describe('the shard declaration of an existing table', () => {
    // SQL in a model, also for engines that do not support the expression.
    const expressionOf = (table: string) =>
      made[isCql(dialect) ? 'googlesql' : dialect.name][table]!.shard.replace(/^.* AS \((.*)\) STORED$/, '$1')
    const expression = expressionOf('Signed')
    const opened =
      (shard: Parameters<Parameters<Parameters<typeof defineTable>[1]>[0]['shardKey']>[0]) => () =>
        open(
          defineSchema([
            defineTable('Signed', (t) => ({
              shard: t.shardKey(shard),
              title: t.string({ length: 100 }).key(),
            })),
          ]),
        )

    it.each(computes ? ['the database'] : [])(
      'is rejected without signed: true when the expression of %s gives negative shards',
      () => {
        const shard = { shards: 16, of: ['title'], expression, name: 'shard_id' }
        expect(opened(shard)).toThrow(
          /negative shard, where no fan-out looks\. Declare its shard with signed: true/,
        )
        expect(opened({ shards: 16, of: ['title'], signed: true, name: 'shard_id' })).not.toThrow()
      },
    )

    it('is rejected with two ranges, with a fractional first shard and with an expression on the client', () => {
      expect(opened({ shards: 16, of: ['title'], signed: true, first: 1 })).toThrow(
        'has first or expression, which sets the range as well',
      )
      expect(opened({ shards: 16, of: ['title'], first: 0.5 })).toThrow('begins at shard 0.5')
      expect(opened({ shards: 16, of: ['title'], expression, computedBy: 'client' })).toThrow(
        'has an SQL expression, but is computed by the client',
      )
    })

    it.each([200, -1])(
      'makes insert() and get() throw INVALID_VALUE when its function returns %s, outside the range',
      async (wrong) => {
        const Wrong = defineTable('FromOne', (t) => ({
          shard: t.shardKey({
            shards: 200,
            of: ['title'],
            expression: expressionOf('FromOne'),
            compute: () => wrong,
            name: 'shard_id',
          }),
          title: t.string({ length: 100 }).key(),
        }))
        const other = open(defineSchema([Wrong]))
        const refused = {
          code: 'INVALID_VALUE',
          message: expect.stringContaining(`compute returned ${wrong}`),
        }
        await expect(other.insert(Wrong, [{ title: 'x' }])).rejects.toMatchObject(refused)
        await expect(other.get(Wrong, { title: 'x' })).rejects.toMatchObject(refused)
      },
    )
  })
})
