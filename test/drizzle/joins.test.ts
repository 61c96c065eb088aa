import { alias, type SpannerDatabase } from '@isotherm/drizzle-adapter'
import { eq, sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { archive, fill, pets, runs, shop, users } from './support/shop.js'

let db: SpannerDatabase

beforeAll(async () => {
  db = (await shop())()
  await fill(db)
  await db.insert(archive).values({ id: 1n, name: 'Old Ada' })
})

test('leftJoin() returns null for a table without a matching row', async () => {
  const rows = await runs(
    db.select().from(pets).leftJoin(users, eq(users.id, pets.ownerId)).orderBy(pets.id).offset(1),
    'select `Pets`.`id`, `Pets`.`ownerId`, `Pets`.`name`, `Users`.`id`, `Users`.`name`, `Users`.`age`, `Users`.`managerId` from `Pets` left join `Users` on `Users`.`id` = `Pets`.`ownerId` order by `Pets`.`id` limit 9223372036854775807 offset @p1',
    ['1'],
  )
  expect(rows).toEqual([
    {
      Pets: { id: 2n, ownerId: 2n, name: 'Dog' },
      Users: { id: 2n, name: 'Grace', age: 85n, managerId: null },
    },
    { Pets: { id: 3n, ownerId: null, name: 'Stray' }, Users: null },
  ])
})

test('rightJoin() returns null for nested fields of a table without a matching row', async () => {
  const rows = await runs(
    db
      .select({ user: users.name, pet: { id: pets.id, name: pets.name } })
      .from(pets)
      .rightJoin(users, eq(users.id, pets.ownerId))
      .where(eq(users.id, 1n)),
    'select `Users`.`name`, `Pets`.`id`, `Pets`.`name` from `Pets` right join `Users` on `Users`.`id` = `Pets`.`ownerId` where `Users`.`id` = @p1',
    ['1'],
  )
  expect(rows).toEqual([{ user: 'Ada', pet: null }])
})

test('innerJoin() joins a table with itself by an alias', async () => {
  const manager = alias(users, 'manager')
  const rows = await runs(
    db
      .select({ name: users.name, manager })
      .from(users)
      .innerJoin(manager, eq(manager.id, users.managerId))
      .where(eq(users.name, 'Ada')),
    'select `Users`.`name`, `manager`.`id`, `manager`.`name`, `manager`.`age`, `manager`.`managerId` from `Users` inner join `Users` `manager` on `manager`.`id` = `Users`.`managerId` where `Users`.`name` = @p1',
    ['Ada'],
  )
  expect(rows).toEqual([{ name: 'Ada', manager: { id: 2n, name: 'Grace', age: 85n, managerId: null } }])
})

test('fullJoin() returns the unmatched rows of both tables with null fields', async () => {
  const rows = await runs(
    db
      .select({ user: users.name, pet: pets.name })
      .from(users)
      .fullJoin(pets, eq(users.id, pets.ownerId))
      .orderBy(users.id, pets.id),
    'select `Users`.`name`, `Pets`.`name` from `Users` full join `Pets` on `Users`.`id` = `Pets`.`ownerId` order by `Users`.`id`, `Pets`.`id`',
  )
  expect(rows).toEqual([
    { user: null, pet: 'Stray' },
    { user: 'Ada', pet: null },
    { user: 'Grace', pet: 'Cat' },
    { user: 'Grace', pet: 'Dog' },
    { user: 'Alan', pet: null },
  ])
})

test('crossJoin() returns all pairs of rows, and where() and innerJoin() accept a callback as the condition', async () => {
  const rows = await runs(
    db
      .select({ user: users.id, pet: pets.id })
      .from(users)
      .crossJoin(pets)
      .where(({ user }) => eq(user, 3n))
      .orderBy(pets.id),
    'select `Users`.`id`, `Pets`.`id` from `Users` cross join `Pets` where `Users`.`id` = @p1 order by `Pets`.`id`',
    ['3'],
  )
  expect(rows).toEqual([1n, 2n, 3n].map((pet) => ({ user: 3n, pet })))
  expect(
    await db
      .select()
      .from(users)
      .innerJoin(pets, ({ Users }) => eq(Users.id, pets.ownerId)),
  ).toHaveLength(2)
})

test('innerJoin() joins two tables with the same name in different schemas by an alias', async () => {
  const old = alias(archive, 'old_users')
  const rows = await runs(
    db.select({ now: users.name, before: old.name }).from(users).innerJoin(old, eq(old.id, users.id)),
    'select `Users`.`name`, `old_users`.`name` from `Users` inner join `old`.`Users` `old_users` on `old_users`.`id` = `Users`.`id`',
  )
  expect(rows).toEqual([{ now: 'Ada', before: 'Old Ada' }])
})

test('leftJoin() joins a grouped subquery', async () => {
  const owners = db
    .select({ ownerId: pets.ownerId, n: sql<number>`count(*)`.mapWith(Number).as('n') })
    .from(pets)
    .groupBy(pets.ownerId)
    .as('owners')
  const rows = await runs(
    db
      .select({ name: users.name, n: owners.n })
      .from(users)
      .leftJoin(owners, eq(owners.ownerId, users.id))
      .where(sql`${owners.n} > 1`),
    'select `Users`.`name`, `owners`.`n` from `Users` left join (select `Pets`.`ownerId`, count(*) as `n` from `Pets` group by `Pets`.`ownerId`) `owners` on `owners`.`ownerId` = `Users`.`id` where `owners`.`n` > 1',
  )
  expect(rows).toEqual([{ name: 'Grace', n: 2 }])
})

test('innerJoin() joins plain SQL', async () => {
  const rows = await runs(
    db
      .select({ id: users.id, n: sql<bigint>`n` })
      .from(users)
      .innerJoin(sql`unnest([${2n}, ${3n}]) as n`, sql`n = ${users.id}`)
      .orderBy(users.id),
    'select `Users`.`id`, n from `Users` inner join unnest([@p1, @p2]) as n on n = `Users`.`id` order by `Users`.`id`',
    [2n, 3n],
  )
  expect(rows).toEqual([
    { id: 2n, n: 2n },
    { id: 3n, n: 3n },
  ])
})

test('leftJoinLateral(), crossJoinLateral() and innerJoinLateral() run a subquery for each row', async () => {
  const last = db
    .select({ id: pets.id, name: pets.name })
    .from(pets)
    .where(eq(pets.ownerId, users.id))
    .orderBy(sql`${pets.id} desc`)
    .limit(1)
    .as('last')
  const rows = await runs(
    db
      .select({ user: users.name, pet: last.name })
      .from(users)
      .leftJoinLateral(last, sql`true`)
      .orderBy(users.id),
    'select `Users`.`name`, `last`.`name` from `Users` left join unnest(array(select as struct * from (select `Pets`.`id`, `Pets`.`name` from `Pets` where `Pets`.`ownerId` = `Users`.`id` order by `Pets`.`id` desc limit @p1))) `last` on true order by `Users`.`id`',
    ['1'],
  )
  expect(rows).toEqual([
    { user: 'Ada', pet: null },
    { user: 'Grace', pet: 'Dog' },
    { user: 'Alan', pet: null },
  ])
  expect(await db.select({ user: users.name }).from(users).crossJoinLateral(last)).toEqual([
    { user: 'Grace' },
  ])
  expect(
    await db
      .select({ pet: last.id })
      .from(users)
      .innerJoinLateral(last, sql`true`),
  ).toEqual([{ pet: 2n }])
})

test('leftJoin() rejects a table that the query already reads under the same name', () => {
  expect(() =>
    db
      .select()
      .from(users)
      .leftJoin(users, sql`true`),
  ).toThrow(
    "The query has a table called Users already. Give one of them another name: alias(table, 'Users2').",
  )
})
