import { defineSchema, defineTable, defineUserType, openDatabase } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { sampledDialects, testKeyspace } from '../support/keyspace.js'

const Path = defineTable(
  'Path',
  (t) => ({
    points: t.array({ kind: 'float64' }, { frozen: true }).key(),
    tags: t.set({ kind: 'ascii' }, { frozen: true }).key(),
    span: t.tuple([{ kind: 'int32' }, { kind: 'date' }]).key(),
    names: t.map({ kind: 'ascii' }, { kind: 'int32' }, { frozen: true }).key(),
    note: t.string({ nullable: true }),
  }),
  { partitionKey: ['points', 'tags', 'span', 'names'] },
)
const Point = defineUserType('point', (t) => ({ x: t.int32(), y: t.int32() }))
const Spot = defineTable('Spot', (t) => ({ at: t.udt(Point, { frozen: true }).key(), name: t.string() }))
const Span = defineUserType('span', (t) => ({ from: t.udt(Point), length: t.duration({ nullable: true }) }))
const Trip = defineTable('Trip', (t) => ({
  id: t.string().key(),
  span: t.udt(Span, { frozen: true, nullable: true }),
}))
const schema = defineSchema([Path, Spot, Trip])

describe.each(sampledDialects)('keys of collections, tuples and user types in $name', async (dialect) => {
  const { driver } = await testKeyspace(schema, dialect)
  const db = openDatabase({ driver, schema })

  it('identify rows by lists, sets, tuples and maps in get, update, upsert and delete', async () => {
    const keys = [-0, 0, 1].map((point) => ({
      points: [point, 2.5],
      tags: new Set(['b', 'a']),
      span: [1, '2026-11-27'] as const,
      names: new Map([['x', 1]]),
    }))
    await db.insert(Path, keys, { allowMultipleCommits: true })
    for (const [at, key] of keys.entries()) {
      expect(await db.get(Path, key)).toMatchObject({ points: key.points, note: null })
      await db.update(Path, { ...key, note: `${at}` })
    }
    const notes = () => Promise.all(keys.map(async (key) => (await db.get(Path, key))?.note))
    expect(await notes()).toEqual(['0', '1', '2'])
    await db.delete(Path, keys[0]!)
    await db.upsert(Path, [{ ...keys[1]!, note: 'new' }])
    expect(await notes()).toEqual([undefined, 'new', '2'])
  })

  it('a user type that contains a duration can be written and read, but not compared, ordered or grouped', async () => {
    const span = { from: { x: 1, y: 2 }, length: '1d' }
    await db.upsert(Trip, [{ id: 'a', span }])
    await db.upsert(Trip, [{ id: 'b', span: null }])
    const trips = db.fanOut(Trip).where({ id: { in: ['a', 'b'] } })
    expect(await trips.where({ span: { ne: null } }).all()).toEqual([{ id: 'a', span }])
    for (const compared of [
      () => trips.where({ span: { eq: span } } as never).all(),
      () => trips.where({ span: { in: [span] } } as never).all(),
      () => trips.where({ span: { ne: span } } as never).all(),
      () => trips.orderBy('span' as never).all(),
      () => trips.groupBy('span' as never).count(),
    ]) {
      await expect(async () => compared()).rejects.toMatchObject({
        code: 'INVALID_QUERY',
        message: expect.stringMatching(/span, of type user type span/) as string,
      })
    }
  })

  it('match a user type as a whole with eq, and reject a filter without eq', async () => {
    const spot = { at: { x: 1, y: 2 }, name: 'home' }
    await db.insert(Spot, [spot])
    expect(
      await db
        .fanOut(Spot)
        .where({ at: { eq: spot.at } })
        .all(),
    ).toEqual([spot])
    expect(() => db.fanOut('Spot').where({ at: spot.at })).toThrow(
      'Spot has no operator "x" for at. For a whole value, write { eq: … }. Otherwise use eq, ne,',
    )
  })
})
