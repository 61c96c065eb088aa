import { defineSchema, lint } from '@isotherm/core'
import { expect, it } from 'vitest'
import { byStatement, split } from '../data/by-statement.js'
import { includeCosts } from '../data/include-costs.js'
import { part } from '../part.js'
import { Customer, Profile, Picture } from '../data/one-child.js'

const schema = defineSchema([Customer, Profile, Picture])

export const oneChild = part(['interleaving'], async ({ dialect, traits, database }) => {
  const whole = await database(schema)
  const { db } = whole

  it('a child with the key of its parent is inserted, read, updated, upserted and deleted by that key', async () => {
    await db.insert(Customer, [{ id: 1n, name: 'one' }])
    const [profile] = await db.insert(Profile, [{ id: 1n, text: 'a' }])
    expect(await db.get(Profile, { id: 1n })).toEqual(profile)
    await expect(db.insert(Profile, [{ id: 1n, text: 'b' }])).rejects.toMatchObject({
      code: 'ALREADY_EXISTS',
    })
    await db.update(Profile, { id: 1n, text: 'c' })
    expect(await db.get(Profile, { id: 1n })).toMatchObject({ text: 'c' })
    await db.upsert(Profile, [{ id: 1n, text: 'd' }])
    expect(await db.get(Profile, { id: 1n })).toMatchObject({ text: 'd' })
    await db.delete(Profile, { id: 1n })
    expect(await db.get(Profile, { id: 1n })).toBeUndefined()
    await byStatement(db, traits)((on) => on.insert(Profile, [{ id: 1n, text: 'e' }]))
    expect(await db.get(Profile, { id: 1n })).toMatchObject({ text: 'e' })
  })

  it('include() returns at most one child that has the key of its parent, and the children of that child', async () => {
    const ids = [11n, 12n, 13n, 14n]
    await db.insert(
      Customer,
      ids.map((id) => ({ id, name: String(id) })),
      split,
    )
    await db.insert(
      Profile,
      ids.slice(1).map((id) => ({ id, text: `of ${id}` })),
      split,
    )
    await db.insert(
      Picture,
      [
        { id: 12n, size: 1n },
        { id: 12n, size: 2n },
        { id: 14n, size: 3n },
      ],
      split,
    )
    for (const strategy of traits.includeStrategies) {
      const query = whole
        .withCosts(includeCosts[strategy])
        .fanOut(Customer)
        .where({ id: { in: ids } })
        .orderBy('id')
        .include('profile', Profile, { limit: 2 })
        .include('pictures', Picture)
      expect(query.explain().includes?.map(({ strategy }) => strategy)).toEqual([strategy, strategy])
      const found = (await query.all()).map(({ id, profile, pictures }) => [
        id,
        profile.map(({ text }) => text),
        pictures.map(({ size }) => size),
      ])
      expect(found).toEqual([
        [11n, [], []],
        [12n, ['of 12'], [1n, 2n]],
        [13n, ['of 13'], []],
        [14n, ['of 14'], [3n]],
      ])
    }
    const all = await db
      .fanOut(Profile)
      .where({ id: { gte: 11n } })
      .orderBy('id')
      .all()
    expect(all.map(({ id }) => id)).toEqual([12n, 13n, 14n])
    const first = await db
      .fanOut(Profile)
      .where({ id: { gte: 11n } })
      .orderBy('id')
      .limit(2)
      .page()
    const last = await db
      .fanOut(Profile)
      .where({ id: { gte: 11n } })
      .orderBy('id')
      .limit(2)
      .after(first.next!)
      .page()
    expect([...first.rows, ...last.rows]).toEqual(all)
  })

  it('lint reports no errors for a child that has the key of its parent', () => {
    expect(lint(schema, { dialect, severity: SMALL }).filter(({ severity }) => severity === 'error')).toEqual(
      [],
    )
  })
})

const SMALL = { 'cassandra/low-cardinality-partition': 'off' } as const
