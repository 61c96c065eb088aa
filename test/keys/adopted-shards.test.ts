import { defineSchema, defineTable, openDatabase, type SqlDialect, type TableModel } from '@isotherm/core'
import { fingerprint } from '@isotherm/core/keys'
import { spanner } from '@isotherm/core/spanner'
import { describe, expect, it } from 'vitest'
import { dialects, sharedEmulator } from '../support/spanner.js'
import { byOtherWriter, inPages, strategies } from './support.js'

// Tables that were there before, each with a shard of its own kind: made by hand here, as somebody once made them.

interface Made {
  /** The key after the shard. */
  readonly of: 'title' | 'user_id'
  readonly shard: string
}

const made: Readonly<Record<SqlDialect, Readonly<Record<string, Made>>>> = {
  googlesql: {
    FromOne: { of: 'title', shard: 'INT64 NOT NULL AS (1 + ABS(MOD(FARM_FINGERPRINT(title), 200))) STORED' },
    Signed: { of: 'title', shard: 'INT64 NOT NULL AS (MOD(FARM_FINGERPRINT(title), 16)) STORED' },
    ByUser: { of: 'user_id', shard: 'INT64 NOT NULL AS (MOD(user_id, 10)) STORED' },
    Unknown: { of: 'user_id', shard: 'INT64 NOT NULL AS (MOD(user_id, 10)) STORED' },
    Written: { of: 'title', shard: 'INT64 NOT NULL' },
  },
  'spanner-postgresql': {
    FromOne: {
      of: 'title',
      shard:
        'bigint NOT NULL GENERATED ALWAYS AS (1 + abs(mod(spanner.farm_fingerprint(title), 200))) STORED',
    },
    Signed: {
      of: 'title',
      shard: 'bigint NOT NULL GENERATED ALWAYS AS (mod(spanner.farm_fingerprint(title), 16)) STORED',
    },
    ByUser: { of: 'user_id', shard: 'bigint NOT NULL GENERATED ALWAYS AS (mod(user_id, 10)) STORED' },
    Unknown: { of: 'user_id', shard: 'bigint NOT NULL GENERATED ALWAYS AS (mod(user_id, 10)) STORED' },
    Written: { of: 'title', shard: 'bigint NOT NULL' },
  },
}

const columnTypes = {
  googlesql: { title: 'STRING(100)', user_id: 'INT64', note: 'STRING(MAX)' },
  'spanner-postgresql': { title: 'varchar(100)', user_id: 'bigint', note: 'varchar' },
}

function ddlOf(dialect: SqlDialect): string[] {
  const types = columnTypes[dialect]
  return Object.entries(made[dialect]).map(([table, { shard, of }]) => {
    const columns = `shard_id ${shard}, ${of} ${types[of]} NOT NULL, note ${types.note}`
    const key = `PRIMARY KEY (shard_id, ${of})`
    return dialect === 'googlesql'
      ? `CREATE TABLE ${table} (${columns}) ${key}`
      : `CREATE TABLE "${table}" (${columns}, ${key})`
  })
}

const FromOne = defineTable('FromOne', (t) => ({
  shard: t.shardKey({ shards: 200, first: 1, of: ['title'], name: 'shard_id' }),
  title: t.string({ length: 100 }).key(),
  note: t.string({ nullable: true }),
}))
const Signed = defineTable('Signed', (t) => ({
  shard: t.shardKey({ shards: 16, signed: true, of: ['title'], name: 'shard_id' }),
  title: t.string({ length: 100 }).key(),
  note: t.string({ nullable: true }),
}))
/** Users may be negative, and then their shards are. */
const byUser = { googlesql: 'MOD(user_id, 10)', 'spanner-postgresql': 'mod(user_id, 10)' }
const ByUser = defineTable('ByUser', (t) => ({
  shard: t.shardKey({
    shards: 19,
    first: -9,
    of: ['userId'],
    expression: byUser,
    compute: ({ userId }) => (userId as bigint) % 10n,
    name: 'shard_id',
  }),
  userId: t.int64({ name: 'user_id' }).key(),
  note: t.string({ nullable: true }),
}))
const Unknown = defineTable('Unknown', (t) => ({
  shard: t.shardKey({ shards: 10, of: ['userId'], expression: byUser, name: 'shard_id' }),
  userId: t.int64({ name: 'user_id' }).key(),
  note: t.string({ nullable: true }),
}))
/** Nothing in the database computes it: the application always has, and in its own way. */
const Written = defineTable('Written', (t) => ({
  shard: t.shardKey({
    shards: 200,
    first: 1,
    of: ['title'],
    compute: ({ title }) => 1 + Buffer.byteLength(title as string),
    name: 'shard_id',
  }),
  title: t.string({ length: 100 }).key(),
  note: t.string({ nullable: true }),
}))

const models = [FromOne, Signed, ByUser, Unknown, Written]
const schema = defineSchema(models)

const titles = Array.from({ length: 120 }, (_, at) => `タイトル ${at}`)
const users = Array.from({ length: 60 }, (_, at) => BigInt(at * 7) - 200n)

interface Case {
  readonly model: TableModel<Record<string, unknown>> & { readonly name: string }
  readonly rows: readonly Readonly<Record<string, unknown>>[]
  readonly shard: (row: Readonly<Record<string, unknown>>) => bigint
  readonly property: 'title' | 'userId'
  readonly of: number
  readonly lowest: number
}

const ofTitles = titles.map((title) => ({ title }))
const absolute = (value: bigint): bigint => (value < 0n ? -value : value)
const cases: readonly [name: string, of: Case][] = [
  [
    'FromOne',
    {
      model: FromOne as never,
      rows: ofTitles,
      shard: ({ title }) => 1n + absolute(fingerprint(title as string) % 200n),
      property: 'title',
      of: 200,
      lowest: 1,
    },
  ],
  [
    'Signed',
    {
      model: Signed as never,
      rows: ofTitles,
      shard: ({ title }) => fingerprint(title as string) % 16n,
      property: 'title',
      of: 31,
      lowest: -15,
    },
  ],
  [
    'ByUser',
    {
      model: ByUser as never,
      rows: users.map((userId) => ({ userId })),
      shard: ({ userId }) => (userId as bigint) % 10n,
      property: 'userId',
      of: 19,
      lowest: -9,
    },
  ],
  [
    'Written',
    {
      model: Written as never,
      rows: ofTitles,
      shard: ({ title }) => BigInt(1 + Buffer.byteLength(title as string)),
      property: 'title',
      of: 200,
      lowest: 1,
    },
  ],
]

const byText = (a: object, b: object): number => {
  const [left, right] = [a, b].map((row) => {
    const { title, userId } = row as { title?: string; userId?: bigint }
    return title === undefined ? (userId as bigint) : Buffer.from(title).toString('hex')
  }) as [string, string]
  return left < right ? -1 : 1
}

for (const dialect of dialects) {
  const emulator = await sharedEmulator()
  const client = await emulator.database({ dialect, ddl: ddlOf(dialect) })
  const db = openDatabase({ driver: spanner(client), schema })
  const own = { client, dialect }

  describe.each(cases)(
    `a table that was there, ${dialect}: %s`,
    (name, { model, rows, shard, property, of, lowest }) => {
      const wanted = rows.map((row) => ({ shard: shard(row), ...row, note: null }))
      const written = name === 'Written'

      it('has rows of other writers and of our own, each in the shard that its table says', async () => {
        const [theirs, ours] = [rows.slice(0, rows.length / 2), rows.slice(rows.length / 2)]
        const values = theirs.map((row) => {
          const value =
            typeof row[property] === 'bigint' ? String(row[property]) : `'${String(row[property])}'`
          return written ? `(${shard(row)}, ${value})` : `(${value})`
        })
        const column = property === 'title' ? 'title' : 'user_id'
        await byOtherWriter(
          own,
          `INSERT INTO \`${name}\` (${written ? 'shard_id, ' : ''}${column}) VALUES ${values.join(', ')}`,
        )
        expect(await db.insert(model, ours)).toEqual(wanted.slice(rows.length / 2))
        const shards = new Set(wanted.map((row) => row.shard))
        expect([...shards].some((each) => each < 0n)).toBe(lowest < 0)
        expect([...shards].every((each) => each >= lowest && each < lowest + of)).toBe(true)
      })

      it('is read as one, in order and page by page, whatever the sign of a shard', async () => {
        const sorted = wanted.toSorted(byText)
        const query = db.fanOut(model).readAt({ exactStaleness: 0 }).orderBy(property)
        expect(query.explain().shards).toEqual({
          of,
          read: Array.from({ length: of }, (_, at) => lowest + at),
        })
        expect(await query.all()).toEqual(sorted)
        for (const via of strategies) expect(await inPages(query.via(via), 30)).toEqual(sorted)
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
          await db.transaction(async (tx) => {
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
    },
  )

  describe(`a table whose shard only the database computes, ${dialect}`, () => {
    const ids = Array.from({ length: 30 }, (_, at) => BigInt(at * 3))

    it('gives the shard back with the rows', async () => {
      const inserted = await db.insert(
        Unknown,
        ids.map((userId) => ({ userId })),
      )
      expect(inserted).toEqual(ids.map((userId) => ({ shard: userId % 10n, userId, note: null })))
      const [inside] = await db.transaction((tx) => tx.insert(Unknown, [{ userId: 1000n, note: 'inside' }]))
      expect(inside).toEqual({ shard: 0n, userId: 1000n, note: 'inside' })
      await db.delete(Unknown, inside!)
    })

    it('is read as one, and prunes nothing but a filter on the shard itself', async () => {
      const wanted = ids.map((userId) => ({ shard: userId % 10n, userId, note: null }))
      for (const via of strategies) expect(await inPages(db.fanOut(Unknown).via(via), 7)).toEqual(wanted)
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
      await db.upsert(Unknown, rows)
      expect(await db.get(Unknown, { shard: 2n, userId: 12n })).toEqual({ shard: 2n, ...rows[0] })
      expect(await db.get(Unknown, { shard: 0n, userId: 2000n })).toEqual({ shard: 0n, ...rows[1] })
      await db.transaction((tx) => tx.upsert(Unknown, [{ userId: 12n, note: null }]))
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
      await db.transaction((tx) => tx.update(Unknown, { ...key, note: 'again' }))
      expect(await db.get(Unknown, key)).toEqual({ ...key, note: 'again' })
      await db.delete(Unknown, key)
      expect(await db.get(Unknown, key)).toBeUndefined()
    })
  })

  describe(`what is declared of a table that was there, ${dialect}`, () => {
    const expression = made[dialect]['Signed']!.shard.replace(/^.* AS \((.*)\) STORED$/, '$1')
    const open = (shard: Parameters<Parameters<Parameters<typeof defineTable>[1]>[0]['shardKey']>[0]) => () =>
      openDatabase({
        driver: spanner(client),
        schema: defineSchema([
          defineTable('Signed', (t) => ({
            shard: t.shardKey(shard),
            title: t.string({ length: 100 }).key(),
          })),
        ]),
      })

    it('must know of negative shards', () => {
      const shard = { shards: 16, of: ['title'], expression, name: 'shard_id' }
      expect(open(shard)).toThrow(/declare its shard with signed: true.*\(signed-shard\)/)
      expect(open({ shards: 16, of: ['title'], signed: true, name: 'shard_id' })).not.toThrow()
    })

    it('must say its range once', () => {
      expect(open({ shards: 16, of: ['title'], signed: true, first: 1 })).toThrow(
        'says its range in another way',
      )
      expect(open({ shards: 16, of: ['title'], first: 0.5 })).toThrow('begins at shard 0.5')
      expect(open({ shards: 16, of: ['title'], expression, computedBy: 'client' })).toThrow(
        'has an SQL expression, but is computed by the client',
      )
    })

    it('must agree with itself: a function that leaves the range is found out', async () => {
      const Wrong = defineTable('FromOne', (t) => ({
        shard: t.shardKey({
          shards: 200,
          of: ['title'],
          expression: made[dialect]['FromOne']!.shard.replace(/^.* AS \((.*)\) STORED$/, '$1'),
          compute: () => 200,
          name: 'shard_id',
        }),
        title: t.string({ length: 100 }).key(),
      }))
      const other = openDatabase({ driver: spanner(client), schema: defineSchema([Wrong]) })
      const refused = { code: 'INVALID_VALUE', message: expect.stringContaining('compute gives 200') }
      await expect(other.insert(Wrong, [{ title: 'x' }])).rejects.toMatchObject(refused)
      await expect(other.get(Wrong, { title: 'x' })).rejects.toMatchObject(refused)
    })
  })
}
