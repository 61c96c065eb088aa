import {
  except,
  exceptAll,
  intersect,
  intersectAll,
  union,
  unionAll,
  type SpannerDatabase,
} from '@isotherm/drizzle-adapter'
import { desc, eq, sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { fill, pets, runs, shop, users } from './support/shop.js'

let db: SpannerDatabase

beforeAll(async () => {
  db = (await shop())()
  await fill(db)
})

const ids = () => db.select({ id: users.id }).from(users)
const owners = () => db.select({ id: pets.ownerId }).from(pets)
const [LEFT, RIGHT] = ['(select `Users`.`id` from `Users`)', '(select `Pets`.`ownerId` from `Pets`)']
const sorted = (rows: readonly { id: unknown }[]) =>
  rows.map(({ id }) => String(id)).sort((a, b) => (a < b ? -1 : 1))

test.each([
  ['union', 'union distinct', union, ['1', '2', '3', 'null'], ['2', 'null']],
  [
    'unionAll',
    'union all',
    unionAll,
    ['1', '2', '2', '2', '3', 'null'],
    ['2', '2', '2', '2', 'null', 'null'],
  ],
  ['intersect', 'intersect distinct', intersect, ['2'], ['2', 'null']],
  ['intersectAll', 'intersect all', intersectAll, ['2'], ['2', '2', 'null']],
  ['except', 'except distinct', except, ['1', '3'], []],
  ['exceptAll', 'except all', exceptAll, ['1', '3'], []],
] as const)(
  '%s combines rows as a method, with a callback and as a function',
  async (method, text, operate, expected, others) => {
    const nullable = () => db.select({ id: users.managerId }).from(users)
    const asMethod = await runs(ids()[method](owners() as never), `${LEFT} ${text} ${RIGHT}`)
    expect(sorted(asMethod)).toEqual(expected)
    const asFunction = await runs(
      operate(owners(), nullable()),
      `${RIGHT} ${text} (select \`Users\`.\`managerId\` from \`Users\`)`,
    )
    expect(sorted(asFunction)).toEqual(others)
    const asCallback = ids()[method](() => owners() as never)
    expect(sorted(await asCallback)).toEqual(expected)
  },
)

test('a union is ordered and limited as a whole, by column names without table names', async () => {
  const rows = await runs(
    ids()
      .union(db.select({ id: pets.id }).from(pets))
      .orderBy(desc(users.id))
      .limit(2)
      .offset(1),
    '(select `Users`.`id` from `Users`) union distinct (select `Pets`.`id` from `Pets`) order by `id` desc limit @p1 offset @p2',
    ['2', '1'],
  )
  expect(rows).toEqual([{ id: 2n }, { id: 1n }])
})

test('an operand of unionAll() keeps its own order and limit', async () => {
  const rows = await runs(
    ids()
      .orderBy(users.id)
      .limit(1)
      .unionAll(ids().where(eq(users.id, 3n)))
      .orderBy(sql`${users.id} desc`),
    '(select `Users`.`id` from `Users` order by `Users`.`id` limit @p1) union all (select `Users`.`id` from `Users` where `Users`.`id` = @p2) order by `id` desc',
    ['1', '3'],
  )
  expect(rows).toEqual([{ id: 3n }, { id: 1n }])
})

test('except() accepts several operands, and nests unionAll() in parentheses', async () => {
  const rows = await runs(
    except(unionAll(ids(), ids()), ids().where(eq(users.id, 1n)), ids().where(eq(users.id, 2n))),
    '((((select `Users`.`id` from `Users`) union all (select `Users`.`id` from `Users`)) except distinct (select `Users`.`id` from `Users` where `Users`.`id` = @p1)) except distinct (select `Users`.`id` from `Users` where `Users`.`id` = @p2))'.slice(
      1,
      -1,
    ),
    ['1', '2'],
  )
  expect(rows).toEqual([{ id: 3n }])
})

test('a union can be a subquery, and both of its operands can read a subquery in WITH', async () => {
  const all = ids()
    .union(db.select({ id: pets.id }).from(pets))
    .as('all')
  expect(await db.$count(all)).toBe(3)
  const known = db.$with('known').as(ids())
  const both = () => db.with(known).select().from(known)
  expect(
    await runs(
      both()
        .union(db.select({ id: known.id }).from(known))
        .orderBy(known.id)
        .limit(1),
      'with `known` as (select `Users`.`id` from `Users`) (select `known`.`id` from `known`) union distinct (select `known`.`id` from `known`) order by `id` limit @p1',
      ['1'],
    ),
  ).toEqual([{ id: 1n }])
})

test('union() rejects an operand with other field names', () => {
  expect(() => ids().union(db.select({ key: users.id }).from(users) as never)).toThrow(
    'Both sides of union must have the same fields in the same order.',
  )
})
