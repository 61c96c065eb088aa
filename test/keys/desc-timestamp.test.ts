import { PreciseDate } from '@google-cloud/precise-date'
import { compileDdl, defineSchema, defineTable, openDatabase, type TableModel } from '@isotherm/core'
import { spanner } from '@isotherm/core/spanner'
import { beforeAll, describe, expect, it } from 'vitest'
import { precise } from '../support/precise.js'
import { dialects, sharedEmulator, testDatabase } from '../support/spanner.js'
import { byOtherWriter, inPages, strategies } from './support.js'

const Given = defineTable('Given', (t) => ({
  sensor: t.string({ length: 20 }).key(),
  at: t.descTimestamp(),
  id: t.int64().key(),
  note: t.string({ nullable: true }),
}))
const Now = defineTable('Now', (t) => ({
  sensor: t.string({ length: 20 }).key(),
  seen: t.descTimestamp({ default: 'now', name: 'seen_at' }),
  id: t.int64().key(),
}))
/** Rows of one microsecond lie in all shards. */
const Sharded = defineTable('Sharded', (t) => ({
  shard: t.shardKey({ shards: 4, of: ['id'] }),
  at: t.descTimestamp(),
  id: t.int64().key(),
}))
/** The shard itself is computed from the time that descends. */
const Hashed = defineTable('Hashed', (t) => ({
  shard: t.shardKey({ shards: 4, of: ['at', 'id'] }),
  at: t.descTimestamp(),
  id: t.int64().key(),
}))
const Committed = defineTable('Committed', (t) => ({
  sensor: t.string({ length: 20 }).key(),
  at: t.descTimestamp({ default: 'commit' }),
  id: t.int64().key(),
}))

const common = defineSchema([Given, Now, Sharded, Hashed])

const columns = {
  googlesql: [
    '`at` TIMESTAMP NOT NULL,',
    'PRIMARY KEY (`sensor`, `at` DESC, `id`)',
    '`seen_at` TIMESTAMP NOT NULL DEFAULT (CURRENT_TIMESTAMP()),',
    'PRIMARY KEY (`shard`, `at` DESC, `id`)',
  ],
  'spanner-postgresql': [
    '"at_desc" bigint NOT NULL GENERATED ALWAYS AS ((-(EXTRACT(epoch FROM "at") * 1000000))::bigint) STORED,\n  "at" timestamptz NOT NULL,',
    'PRIMARY KEY ("sensor", "at_desc", "at", "id")',
    '"seen_at_desc" bigint NOT NULL GENERATED ALWAYS AS ((-(EXTRACT(epoch FROM "seen_at") * 1000000))::bigint) STORED,\n  "seen_at" timestamptz NOT NULL DEFAULT (CURRENT_TIMESTAMP),',
    'PRIMARY KEY ("shard", "at_desc", "at", "id")',
  ],
}

const nanos = (of: Date): bigint => {
  const time = of as PreciseDate
  return (
    BigInt(time.getTime()) * 1_000_000n +
    BigInt(time.getMicroseconds()) * 1000n +
    BigInt(time.getNanoseconds())
  )
}
const newestFirst = (a: { at: Date; id: bigint }, b: { at: Date; id: bigint }): number => {
  const difference = nanos(b.at) - nanos(a.at) || a.id - b.id
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

// 32 nanoseconds of one microsecond, a few of those beside it, and the ends of what there is; before 1970, where the
// microsecond of a time is easily taken for the one after it.
const times = [
  ...Array.from(
    { length: 36 },
    (_, at) => `1969-12-31T23:59:59.123456${String((at * 353) % 1000).padStart(3, '0')}Z`,
  ),
  '1969-12-31T23:59:59.123455999Z',
  '1969-12-31T23:59:59.123457000Z',
  '0001-01-01T00:00:00.000000000Z',
  '0001-01-01T00:00:00.000000001Z',
  '1969-12-31T23:59:59.999999999Z',
  '1970-01-01T00:00:00.000000000Z',
  '1970-01-01T00:00:00.000000999Z',
  '2026-11-21T12:00:00.123456789Z',
  '9999-12-31T23:59:59.999999998Z',
  '9999-12-31T23:59:59.999999999Z',
].map(precise)

for (const dialect of dialects) {
  const own = await testDatabase(common, dialect)
  const { db } = own

  it(`a descending timestamp in ${dialect} is a key part of its own, or an ascending mirror before it`, () => {
    const ddl = compileDdl(common, { dialect }).join('\n')
    for (const column of columns[dialect]) expect(ddl).toContain(column)
  })

  describe(`rows that differ in nanoseconds only, in ${dialect}`, () => {
    // In no order, one key but for the time.
    const shuffled = times.toSorted(
      (a, b) => ((a.getNanoseconds() * 7919) % 1000) - ((b.getNanoseconds() * 7919) % 1000),
    )

    beforeAll(async () => {
      await db.insert(
        Given,
        shuffled.map((at) => ({ sensor: 'a', at, id: 1n })),
      )
      await db.insert(Given, [{ sensor: 'b', at: times[0]!, id: 1n }])
      for (const model of [Sharded, Hashed])
        await db.insert(
          model,
          shuffled.map((at, id) => ({ at, id: BigInt(id % 11) })),
        )
    })

    it('are rows of their own, got by the exact value alone', async () => {
      expect(await db.fanOut(Given).where({ sensor: 'a' }).count()).toBe(times.length)
      for (const at of times) {
        const row = await db.get(Given, { sensor: 'a', at, id: 1n })
        expect(row).toEqual({ sensor: 'a', at, id: 1n, note: null })
        expect(row!.at.toISOString()).toBe(at.toISOString())
      }
      const lost = new Date(precise('2026-11-21T12:00:00.123456789Z').getTime())
      expect(await db.get(Given, { sensor: 'a', at: lost, id: 1n })).toBeUndefined()
      await expect(db.insert(Given, [{ sensor: 'a', at: times[3]!, id: 1n }])).rejects.toMatchObject({
        code: 'ALREADY_EXISTS',
      })
    })

    const readers: [string, TableModel<{ at: Date; id: bigint }>, object, number[]][] = [
      ['one key', Given as never, { sensor: 'a' }, [1, 3, 7]],
      ['shards', Sharded as never, {}, [1, 3, 7]],
      ['shards of the time', Hashed as never, {}, [7]],
    ]

    describe.each(readers)('in %s', (_, model, where, sizes) => {
      const query = db.fanOut(model).readAt({ exactStaleness: 0 }).where(where)
      const ways = strategies.map((via) => query.via(via))

      it.each(sizes)('are in exact order, both ways, in pages of %d, by each strategy', async (size) => {
        const rows = (await query.all()).toSorted(newestFirst)
        expect(rows).toHaveLength(times.length)
        // Pages of one row of the one microsecond.
        const one = size === 1 ? { at: { gte: times[0]!, lt: precise('1969-12-31T23:59:59.123457Z') } } : {}
        const micro = (at: Date): string => at.toISOString().slice(0, 26)
        const wanted = size === 1 ? rows.filter((row) => micro(row.at) === micro(times[0]!)) : rows
        expect(wanted.length).toBeGreaterThanOrEqual(32)
        for (const way of ways) {
          expect(await inPages(way.where(one), size)).toEqual(wanted)
          const ascending = way.where(one).orderBy('at', 'asc').orderBy('id', 'desc')
          expect(await inPages(ascending, size)).toEqual(wanted.toReversed())
          expect(await way.where(one).orderBy('at', 'desc').all()).toEqual(wanted)
        }
      })

      it('are in exact order when they are streamed, and where a filter or a limit cuts them', async () => {
        const wanted = (await query.all()).toSorted(newestFirst)
        const at = wanted.map((row) => nanos(row.at))
        const [from, to] = [wanted[4]!.at, wanted[30]!.at]
        const filters: [object, (time: bigint) => boolean][] = [
          [{ lte: from }, (time) => time <= nanos(from)],
          [{ lt: from }, (time) => time < nanos(from)],
          [{ gte: to }, (time) => time >= nanos(to)],
          [{ gt: to }, (time) => time > nanos(to)],
          [{ gt: to, lte: from }, (time) => time > nanos(to) && time <= nanos(from)],
          [{ eq: to }, (time) => time === nanos(to)],
          [{ ne: to }, (time) => time !== nanos(to)],
          [
            { in: [from, to, precise('2026-11-21T12:00:00.123456788Z')] },
            (time) => [from, to].some((each) => nanos(each) === time),
          ],
          [{ notIn: [from, to] }, (time) => ![from, to].some((each) => nanos(each) === time)],
        ]
        for (const way of [query, ...ways]) {
          for (const [filter, matches] of filters) {
            const left = wanted.filter((_, place) => matches(at[place]!))
            const found = way.where({ at: filter })
            expect(await found.all(), `at ${JSON.stringify(filter)}`).toEqual(left)
            expect(await found.limit(5).all()).toEqual(left.slice(0, 5))
            expect(
              (
                await found
                  .limit(5)
                  .after((await found.limit(2).page()).next)
                  .page()
              ).rows,
            ).toEqual(left.slice(left.length > 2 ? 2 : 0, 7))
            expect(await found.count()).toBe(left.length)
          }
          const streamed = []
          for await (const row of way.limit(33)) streamed.push(row)
          expect(streamed).toEqual(wanted.slice(0, 33))
        }
      })
    })

    it('are changed, upserted and deleted one by one', async () => {
      const [one, other] = [times[10]!, times[11]!]
      await db.update(Given, { sensor: 'a', at: one, id: 1n, note: 'outside' })
      await db.transaction(async (tx) => {
        await tx.update(Given, { sensor: 'a', at: other, id: 1n, note: 'inside' })
        await tx.upsert(Given, [{ sensor: 'b', at: one, id: 1n, note: 'new' }])
        await tx.upsert(Given, [{ sensor: 'b', at: one, id: 1n, note: 'newer' }])
        expect(await tx.get(Given, { sensor: 'b', at: one, id: 1n })).toMatchObject({ note: 'newer' })
        expect(await tx.get(Given, { sensor: 'b', at: other, id: 1n })).toBeUndefined()
      })
      const notes = await db
        .fanOut(Given)
        .where({ note: { ne: null } })
        .orderBy('note')
        .all()
      expect(notes).toEqual([
        { sensor: 'a', at: other, id: 1n, note: 'inside' },
        { sensor: 'b', at: one, id: 1n, note: 'newer' },
        { sensor: 'a', at: one, id: 1n, note: 'outside' },
      ])
      await db.delete(Given, { sensor: 'b', at: one, id: 1n })
      await db.transaction((tx) => tx.delete(Given, { sensor: 'b', at: times[0]!, id: 1n }))
      expect(await db.fanOut(Given).where({ sensor: 'b' }).count()).toBe(0)
      expect(await db.fanOut(Given).where({ sensor: 'a' }).count()).toBe(times.length)
    })
  })

  describe(`who sets a descending timestamp, in ${dialect}`, () => {
    it('given: the caller, and nobody else', async () => {
      await expect(db.insert(Given, [{ sensor: 'c', id: 1n } as never])).rejects.toMatchObject({
        code: 'INVALID_VALUE',
        message: expect.stringContaining('Given.at of row 0 has no value'),
      })
    })

    it('now: the clock here, or the caller, or the clock of the database for other writers', async () => {
      const before = Date.now()
      const [made, given] = await db.insert(Now, [
        { sensor: 'c', id: 1n },
        { sensor: 'c', id: 2n, seen: times[2]! },
      ])
      expect(made!.seen).toBeInstanceOf(PreciseDate)
      expect(made!.seen.getTime()).toBeGreaterThanOrEqual(before)
      expect(made!.seen.getTime()).toBeLessThanOrEqual(Date.now())
      expect(given!.seen).toEqual(times[2])
      await byOtherWriter(own, "INSERT INTO `Now` (`sensor`, `id`) VALUES ('c', 3)")
      const rows = await db.fanOut(Now).where({ sensor: 'c' }).all()
      expect(rows.map(({ id }) => id)).toEqual([3n, 1n, 2n])
      for (const row of rows) expect(await db.get(Now, row)).toEqual(row)
    })
  })

  describe(`the column behind a descending timestamp, in ${dialect}`, () => {
    it('is no part of a row, of what explain shows, or of what an insert takes', async () => {
      const at = times[20]!
      const rows = await db.fanOut(Given).where({ at }).all()
      expect(Object.keys(rows[0]!)).toEqual(['sensor', 'at', 'id', 'note'])
      const plan = db
        .fanOut(Given)
        .where({ sensor: 'a', at: { gte: at } })
        .orderBy('at', 'desc')
        .explain()
      expect(plan.filter).toEqual(['and', ['sensor', 'eq', 'a'], ['at', 'gte', at.toISOString()]])
      expect(plan.order.map(({ property }) => property)).toEqual(['at', 'sensor', 'id'])
      expect(String(plan)).not.toContain('at_desc')
      const refused = { code: 'INVALID_VALUE', message: expect.stringContaining('no property "at_desc"') }
      await expect(
        db.insert(Given, [{ sensor: 'd', at, id: 1n, at_desc: 1n } as never]),
      ).rejects.toMatchObject(refused)
      expect(() => db.fanOut(Given).where({ at_desc: 1n } as never)).toThrow(
        'Choose from sensor, at, id, note.',
      )
      expect(() => db.fanOut(Given).orderBy('at_desc' as never)).toThrow('Choose from sensor, at, id, note.')
    })

    it('is what a bound on the time is looked up by', () => {
      const since = precise('2026-11-21T12:00:00.123456789Z')
      const query = db.fanOut(Given).where({ sensor: 'a', at: { gte: since } })
      const micros = String(-nanos(since) / 1000n)
      const { statement, range } = {
        googlesql: {
          statement: ' WHERE (`sensor` = @p1 AND `at` >= @p2) ORDER BY `at` DESC, ',
          range: { start: ['a'], end: ['a', since.toISOString()] },
        },
        'spanner-postgresql': {
          statement: ' WHERE ("sensor" = $1 AND ("at_desc" <= $3 AND "at" >= $2)) ORDER BY "at" DESC, ',
          range: { start: ['a'], end: ['a', micros] },
        },
      }[dialect]
      const [pushed] = query.via('push-down').orderBy('at', 'desc').explain().calls
      expect(pushed).toMatchObject({ statement: { text: expect.stringContaining(statement) } })
      const [read] = query.via('merge-shards').explain().calls
      expect(read).toMatchObject({ kind: 'read', ranges: [{ ...range, startOpen: false, endOpen: false }] })
    })

    it('is no part of an error', async () => {
      await expect(db.get(Given, { sensor: 'd', id: 1n })).rejects.toThrow('Its key is sensor, at, id;')
      const missing = { sensor: 'd', at: times[0]!, id: 1n, note: 'x' }
      await expect(db.transaction((tx) => tx.update(Given, missing))).rejects.toThrow(
        'Given has no row with the key (d, 1969-12-31T23:59:59.123456000Z, 1).',
      )
    })
  })
}

describe('a descending commit timestamp', async () => {
  const { db } = await testDatabase(defineSchema([Committed]), 'googlesql')
  const schema = defineSchema([Committed])

  it('is what the commit says, to the microsecond, and newest first, in GoogleSQL', async () => {
    expect(compileDdl(schema, { dialect: 'googlesql' })[0]).toContain(
      '`at` TIMESTAMP NOT NULL OPTIONS (allow_commit_timestamp = true),',
    )
    const inserted = []
    for (const id of [1n, 2n, 3n]) inserted.push(...(await db.insert(Committed, [{ sensor: 'a', id }])))
    const inside = await db.transaction((tx) =>
      tx.insert(Committed, [
        { sensor: 'a', id: 4n },
        { sensor: 'a', id: 5n },
      ]),
    )
    expect(inside[0]!.at).toEqual(inside[1]!.at)
    for (const row of [...inserted, ...inside]) expect(await db.get(Committed, row)).toEqual(row)
    const wanted = [...inserted, ...inside].toSorted(newestFirst)
    expect(wanted.map(({ id }) => id)).toEqual([4n, 5n, 3n, 2n, 1n])
    for (const size of [1, 2]) expect(await inPages(db.fanOut(Committed), size)).toEqual(wanted)
  })

  it('is refused by name in PostgreSQL, where no generated column may read it', async () => {
    const emulator = await sharedEmulator()
    const driver = spanner(await emulator.database({ dialect: 'spanner-postgresql' }))
    const refused = expect.objectContaining({
      code: 'UNSUPPORTED',
      table: 'Committed',
      column: 'at',
      message: expect.stringContaining('Committed.at is a descending commit timestamp'),
    })
    expect(() => compileDdl(schema, { dialect: 'spanner-postgresql' })).toThrow(refused)
    expect(() => openDatabase({ driver, schema })).toThrow(refused)
  })
})
