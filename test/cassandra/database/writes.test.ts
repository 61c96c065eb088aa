import { defineSchema, defineTable } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { cassandraDatabase } from '../../support/engines.js'
import { sampledDialects } from '../support/keyspace.js'

const day = defineTable(
  'Day',
  (t) => ({
    place: t.int32().key(),
    at: t.int32().key(),
    note: t.string({ nullable: true }),
    tags: t.set({ kind: 'string', length: 'max' }, { nullable: true }),
  }),
  { writesExpire: true },
)
const post = defineTable('Post', (t) => ({
  place: t.int32().key(),
  id: t.uuidV4(),
  note: t.string({ nullable: true }),
}))
const room = defineTable('Room', (t) => ({
  place: t.int32().key(),
  at: t.int32().key(),
  owner: t.string({ nullable: true, static: true }),
  note: t.string({ nullable: true }),
}))
const hits = defineTable('Hits', (t) => ({
  page: t.string().key(),
  day: t.date().key('desc'),
  seen: t.counter(),
  taken: t.counter(),
}))
const event = defineTable('Event', (t) => ({
  place: t.int32().key(),
  at: t.timeUuid({ default: 'now' }),
  note: t.string({ nullable: true }),
}))
const log = defineTable(
  'Log',
  (t) => ({
    place: t.int32().key(),
    day: t.timeBucket({ by: 'day', of: 'at' }),
    at: t.descTimestamp({ default: 'now' }),
    page: t.string({ nullable: true }),
  }),
  { ttlSeconds: 30 * 86_400 },
)
const schema = defineSchema([day, post, room, hits, event, log])

describe.each(sampledDialects)('writes in $name', async (dialect) => {
  const { db, handle: client } = await cassandraDatabase(schema, dialect)
  const cellsOf = async (text: string) => (await client.execute(text)).rows.map((row) => row.values())

  describe('writes of several commits', () => {
    it('throw PARTLY_WRITTEN with the committed rows if one row exists already', async () => {
      const rows = Array.from({ length: 100 }, (_, at) => ({ place: at % 10, at }))
      await db.insert(day, [{ ...rows[50]!, note: 'there' }])
      const error = await db
        .insert(day, rows, { allowMultipleCommits: true })
        .catch((caught: unknown) => caught)
      expect(error).toMatchObject({ code: 'PARTLY_WRITTEN', cause: { code: 'ALREADY_EXISTS', table: 'Day' } })
      const { rows: failed } = error as { rows: { place: number; at: number }[] }
      const found = await Promise.all(rows.map((row) => db.get(day, row)))
      expect(found.flatMap((row) => (row && row.note === null ? [row.at] : []))).toEqual(
        failed.map(({ at }) => at),
      )
      expect(found[50]).toMatchObject({ note: 'there' })
    })

    it('insert new rows with one commit and one write time for each partition', async () => {
      const input = Array.from({ length: 60 }, (_, at) => ({ place: at % 3, note: `${at}` }))
      const rows = await db.insert(post, input, { allowMultipleCommits: true })
      expect(rows.commits).toBe(3)
      for (const row of rows.slice(0, 3)) expect(await db.get(post, row)).toEqual(row)
      const written = await cellsOf('SELECT "place", writetime("note") FROM "Post"')
      expect(written).toHaveLength(60)
      expect(new Set(written.map((cells) => cells.join())).size).toBe(3)
    })

    it('upsert and delete rows of several partitions', async () => {
      const rows = Array.from({ length: 40 }, (_, at) => ({ place: 1_000 + (at % 4), at, note: 'a' }))
      await db.upsert(day, rows, { allowMultipleCommits: true })
      expect(await Promise.all(rows.map((row) => db.get(day, row)))).toEqual(
        rows.map((row) => ({ ...row, tags: null })),
      )
      await db.delete(day, rows, { allowMultipleCommits: true })
      expect(new Set(await Promise.all(rows.map((row) => db.get(day, row))))).toEqual(new Set([undefined]))
    })
  })

  describe('writes with options', () => {
    it('insert over existing rows and update missing rows with conditional: false', async () => {
      const key = { place: 101, at: 1 }
      await db.insert(day, [{ ...key, note: 'a', tags: new Set(['x']) }])
      await db.insert(day, [{ ...key, note: 'b' }], { conditional: false })
      // What an insert leaves out is not there, and it does not look.
      expect(await db.get(day, key)).toEqual({ ...key, note: 'b', tags: new Set(['x']) })
      await db.update(day, { place: 101, at: 2, note: 'made' }, { conditional: false })
      expect(await db.get(day, { place: 101, at: 2 })).toMatchObject({ note: 'made' })
    })

    it('set the time to live of ttlSeconds, with and without a check', async () => {
      await db.insert(day, [{ place: 102, at: 1, note: 'a' }], { ttlSeconds: 3_600 })
      await db.insert(day, [{ place: 102, at: 2, note: 'a' }], { ttlSeconds: 3_600, conditional: false })
      await db.upsert(day, [{ place: 102, at: 3, note: 'a' }], { ttlSeconds: 3_600 })
      await db.update(day, { place: 102, at: 3, note: 'b' }, { ttlSeconds: 7_200 })
      const left = await cellsOf('SELECT ttl("note") FROM "Day" WHERE "place" = 102')
      expect(left.map(([seconds]) => Math.ceil((seconds as number) / 3_600))).toEqual([1, 1, 2])
    })

    it('set the time to live of the table, unless ttlSeconds overrides it', async () => {
      const [row] = await db.insert(log, [{ place: 1, page: '/' }])
      await db.update(log, { ...row!, page: '/b' })
      await db.upsert(log, [{ place: 2, page: '/' }], { ttlSeconds: 3_600 })
      const left = await cellsOf('SELECT "place", ttl("page") FROM "Log"')
      expect(
        new Map(left.map(([place, seconds]) => [place, Math.ceil((seconds as number) / 3_600)])),
      ).toEqual(
        new Map([
          [1, 720],
          [2, 1],
        ]),
      )
    })

    it('keep the value with the later writeTime', async () => {
      const key = { place: 103, at: 1 }
      await db.upsert(day, [{ ...key, note: 'later' }], { writeTime: 2_000n })
      await db.upsert(day, [{ ...key, note: 'earlier' }], { writeTime: 1_000n })
      expect(await db.get(day, key)).toMatchObject({ note: 'later' })
      await db.delete(day, key, { writeTime: 1_500n })
      expect(await db.get(day, key)).toMatchObject({ note: 'later' })
      await db.delete(day, key, { writeTime: 2_500n })
      expect(await db.get(day, key)).toBeUndefined()
    })

    it('accept a consistency, and get() accepts a consistency but rejects exactStaleness', async () => {
      const key = { place: 104, at: 1 }
      await db.upsert(day, [{ ...key, note: 'a' }], { consistency: 'local-quorum' })
      expect(await db.get(day, key, { consistency: 'one' })).toMatchObject({ note: 'a' })
      await expect(db.get(day, key, { at: { exactStaleness: 0 } })).rejects.toMatchObject({
        code: 'UNSUPPORTED_FEATURE',
      })
    })
  })

  it('a static column has one value for all rows of its partition', async () => {
    await db.insert(room, [{ place: 1, at: 1, owner: 'Ada', note: 'a' }])
    await db.insert(room, [{ place: 1, at: 2, owner: 'Bea', note: 'b' }])
    expect(await db.get(room, { place: 1, at: 1 })).toEqual({ place: 1, at: 1, owner: 'Bea', note: 'a' })
  })

  describe('counters', () => {
    it('add up concurrent increments, negative amounts and increments of several rows', async () => {
      const key = { page: '/', day: '2026-11-22' }
      await Promise.all(Array.from({ length: 40 }, () => db.increment(hits, { ...key, seen: 2n })))
      await db.increment(hits, { ...key, seen: -1n, taken: 5n })
      expect(await db.get(hits, key)).toEqual({ ...key, seen: 79n, taken: 5n })
      const others = ['2026-11-20', '2026-11-21'].map((each) => ({ page: '/', day: each, seen: 1n }))
      await db.increment(hits, others, { allowMultipleCommits: true })
      const rows = await db.fanOut(hits).where({ page: '/' }).all()
      expect(rows.map(({ day: at, seen }) => [at, seen])).toEqual([
        ['2026-11-22', 79n],
        ['2026-11-21', 1n],
        ['2026-11-20', 1n],
      ])
    })

    it('accept an increment whose key and amounts are properties and getters of a class', async () => {
      class Seen {
        page = '/inherited'
        day = '2026-11-22'
        get seen(): bigint {
          return 3n
        }
      }
      await db.increment(hits, Object.assign(new Seen(), { taken: 2n }))
      const key = { page: '/inherited', day: '2026-11-22' }
      expect(await db.get(hits, key)).toEqual({ ...key, seen: 3n, taken: 2n })
    })

    it('are deleted with their row', async () => {
      const key = { page: '/gone', day: '2026-11-22' }
      await db.increment(hits, { ...key, seen: 1n })
      await db.delete(hits, key)
      expect(await db.get(hits, key)).toBeUndefined()
    })
  })

  it('time UUIDs of one insert are generated in the order of the rows', async () => {
    const rows = await db.insert(
      event,
      Array.from({ length: 20 }, (_, at) => ({ place: 1, note: `${at}` })),
    )
    expect(rows.commits).toBe(1)
    const found = await db.fanOut(event).where({ place: 1 }).all()
    expect(found).toEqual([...rows])
    expect(await db.get(event, { place: 1, at: rows[7]!.at })).toEqual(rows[7])
  })
})
