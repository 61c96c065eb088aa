import type { SpannerDatabase } from '@isotherm/drizzle-adapter'
import { inArray, notInArray, sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { fill, runs, shop, users } from './support/shop.js'

let db: SpannerDatabase

beforeAll(async () => {
  db = (await shop())()
  await fill(db)
})

describe('a list in inArray() and notInArray()', () => {
  const many = Array.from({ length: 2000 }, (_, at) => BigInt(at + 2))
  const named = () => db.select({ id: users.id }).from(users).orderBy(users.id)

  test('is sent as one parameter, even with 2000 values', async () => {
    const rows = await runs(
      named().where(inArray(users.id, many)),
      'select `Users`.`id` from `Users` where `Users`.`id` in unnest(@p1) order by `Users`.`id`',
      [many.map(String)],
    )
    expect(rows).toEqual([{ id: 2n }, { id: 3n }])
    const others = await runs(
      named().where(notInArray(users.id, many)),
      'select `Users`.`id` from `Users` where `Users`.`id` not in unnest(@p1) order by `Users`.`id`',
      [many.map(String)],
    )
    expect(others).toEqual([{ id: 1n }])
  })

  test('is written out value by value when it contains an SQL expression', async () => {
    const rows = await runs(
      named().where(inArray(users.id, [1n, sql`1 + 1` as never])),
      'select `Users`.`id` from `Users` where `Users`.`id` in (@p1, 1 + 1) order by `Users`.`id`',
      ['1'],
    )
    expect(rows).toEqual([{ id: 1n }, { id: 2n }])
  })

  test('is accepted as a placeholder, with or without a column to compare with', async () => {
    const ids = sql.placeholder('ids')
    const among = named().where(inArray(users.id, ids)).prepare()
    expect(await among.execute({ ids: [3n, 1n, null] })).toEqual([{ id: 1n }, { id: 3n }])
    expect(await among.execute({ ids: many })).toEqual([{ id: 2n }, { id: 3n }])
    expect(await among.execute({ ids: [] })).toEqual([])
    const others = named().where(notInArray(users.id, ids)).prepare()
    expect(await others.execute({ ids: [3n] })).toEqual([{ id: 1n }, { id: 2n }])
    const upper = named()
      .where(inArray(sql`upper(${users.name})`, sql.placeholder('names')))
      .prepare()
    expect(await upper.execute({ names: ['ADA'] })).toEqual([{ id: 1n }])
  })
})
