import { defineSchema, defineTable } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { inPages } from '@isotherm/testing/data/paging'
import { byStatement, split } from '@isotherm/testing/data/by-statement'
import { engines } from '../../support/engines.js'
import { isCql } from '../../support/languages.js'
import { adoptedDatabase, cases, made, models, Unknown } from './adopted-tables.js'

const byText = (a: object, b: object): number => {
  const [left, right] = [a, b].map((row) => {
    const { title, userId } = row as { title?: string; userId?: bigint }
    return title === undefined ? (userId as bigint) : Buffer.from(title).toString('hex')
  }) as [string, string]
  return left < right ? -1 : 1
}

describe.each(engines)('in $name', async (engine) => {
  const { dialect, traits } = engine
  const { computedBy, pastReads, readStrategies: strategies } = traits
  const computes = computedBy.includes('database')
  const { open, insertByOther } = await adoptedDatabase(engine)
  const db = open(defineSchema(models.filter((model) => computes || model !== Unknown)))
  const statements = byStatement(db, traits)

  describe.each(cases)('a table that was there: %s', (name, { model, rows, shard, property, of, lowest }) => {
    const wanted = rows.map((row) => ({ shard: shard(row), ...row, note: null }))
    const isComputed = computes && name !== 'Written'

    it('has rows of other writers and of our own, each in the shard that its table says', async () => {
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

    it('is read as one, in order and page by page, whatever the sign of a shard', async () => {
      const sorted = wanted.toSorted(byText)
      const ordered = db.fanOut(model).orderBy(property)
      const query = pastReads ? ordered.timestampBound({ exactStaleness: 0 }) : ordered
      expect(query.explain().shards).toEqual({
        of,
        read: Array.from({ length: of }, (_, at) => lowest + at),
      })
      expect(await query.all()).toEqual(sorted)
      for (const strategy of strategies) expect(await inPages(query.strategy(strategy), 30)).toEqual(sorted)
      expect(await inPages(db.fanOut(model).orderBy(property, 'desc'), 30)).toEqual(sorted.toReversed())
      expect(await query.count()).toBe(rows.length)
      const counts = await db.fanOut(model).groupBy('shard').count()
      expect(
        counts.map((each) => each['shard']).toSorted((a, b) => Number((a as bigint) - (b as bigint))),
      ).toEqual([...new Set(wanted.map((row) => row.shard))].toSorted((a, b) => Number(a - b)))
    })

    it('is read in one shard where the filter fixes what it computes from', async () => {
      for (const row of wanted.slice(0, 20)) {
        const value = (row as Record<string, unknown>)[property]
        const query = db.fanOut(model).where({ [property]: value })
        expect(query.explain().shards).toEqual({ of, read: [Number(row.shard)] })
        expect(await query.all()).toEqual([row])
        const inShard = await db.fanOut(model).where({ shard: row.shard }).all()
        expect(inShard).toEqual(wanted.filter((each) => each.shard === row.shard).toSorted(byText))
      }
    })

    it('has rows that are got, changed and deleted without their shard', async () => {
      for (const row of wanted.slice(0, 12)) {
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
      expect(await db.fanOut(model).count()).toBe(rows.length - 12)
    })

    it('is told of a shard that is not the one', async () => {
      const row = wanted[0]!
      const wrong = row.shard === 3n ? 4n : 3n
      const error = await db.insert(model, [{ ...row, shard: wrong }]).catch((caught: unknown) => caught)
      expect(error).toMatchObject({ code: 'INVALID_VALUE', column: 'shard' })
    })
  })

  describe.each(computes ? ['database'] : [])('a table whose shard only the %s computes', () => {
    const ids = Array.from({ length: 30 }, (_, at) => BigInt(at * 3))

    it('gives the shard back with the rows', async () => {
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

    it('is read as one, and prunes nothing but a filter on the shard itself', async () => {
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

    it('is upserted: rows that exist are changed, others are new', async () => {
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

    it('finds a row by its whole key, and says what is missing', async () => {
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

  it.each(computes ? [] : ['database'])('a shard that only a %s would compute is refused', () => {
    const fix = 'Give the same as a function as well, compute: (row) => …; or leave the expression out.'
    expect(() => open(defineSchema([Unknown]))).toThrow(
      expect.objectContaining({
        code: 'UNSUPPORTED_MODEL',
        table: 'Unknown',
        column: 'shard',
        message: `Unknown.shard is computed by an SQL expression, and CQL has none. ${fix}`,
        fix,
      }),
    )
  })

  describe('what is declared of a table that was there', () => {
    // SQL, which stands in a model whatever the engine makes of it.
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

    it.each(computes ? ['the database'] : [])('must know of negative shards of %s', () => {
      const shard = { shards: 16, of: ['title'], expression, name: 'shard_id' }
      expect(opened(shard)).toThrow(
        /negative shard, where no fan-out looks\. Declare its shard with signed: true/,
      )
      expect(opened({ shards: 16, of: ['title'], signed: true, name: 'shard_id' })).not.toThrow()
    })

    it('must say its range once', () => {
      expect(opened({ shards: 16, of: ['title'], signed: true, first: 1 })).toThrow(
        'says its range in another way',
      )
      expect(opened({ shards: 16, of: ['title'], first: 0.5 })).toThrow('begins at shard 0.5')
      expect(opened({ shards: 16, of: ['title'], expression, computedBy: 'client' })).toThrow(
        'has an SQL expression, but is computed by the client',
      )
    })

    it.each([200, -1])(
      'must agree with itself: a function that leaves the range is found out at %s',
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
        const refused = { code: 'INVALID_VALUE', message: expect.stringContaining(`compute gives ${wrong}`) }
        await expect(other.insert(Wrong, [{ title: 'x' }])).rejects.toMatchObject(refused)
        await expect(other.get(Wrong, { title: 'x' })).rejects.toMatchObject(refused)
      },
    )
  })
})
