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
const schema = defineSchema([Path, Spot])

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
