import { alias, QueryBuilder, type SpannerDatabase } from '@isotherm/drizzle-adapter'
import { count, eq, exists, gt, inArray, sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { fill, pets, runs, shop, users } from './support/shop.js'

let db: SpannerDatabase

beforeAll(async () => {
  db = (await shop())()
  await fill(db)
})

describe('a subquery', () => {
  test('is read like a table in FROM', async () => {
    const old = db.select().from(users).where(gt(users.age, 40n)).as('old')
    const rows = await runs(
      db.select({ name: old.name }).from(old).orderBy(old.id),
      'select `old`.`name` from (select `Users`.`id`, `Users`.`name`, `Users`.`age`, `Users`.`managerId` from `Users` where `Users`.`age` > @p1) `old` order by `old`.`id`',
      ['40'],
    )
    expect(rows).toEqual([{ name: 'Grace' }, { name: 'Alan' }])
    expect(await db.select().from(old).where(eq(old.id, 3n))).toEqual([
      { id: 3n, name: 'Alan', age: 41n, managerId: 2n },
    ])
  })

  test('is a scalar field of a select', async () => {
    const owned = db.select({ n: count() }).from(pets).where(eq(pets.ownerId, users.id)).as('owned')
    const rows = await runs(
      db.select({ name: users.name, owned }).from(users).where(eq(users.id, 2n)),
      'select `Users`.`name`, (select count(*) from `Pets` where `Pets`.`ownerId` = `Users`.`id`) `owned` from `Users` where `Users`.`id` = @p1',
      ['2'],
    )
    expect(rows).toEqual([{ name: 'Grace', owned: 2 }])
  })

  test('is a scalar field of another subquery', async () => {
    const owned = db.select({ n: count() }).from(pets).where(eq(pets.ownerId, users.id)).as('owned')
    const inner = db.select({ id: users.id, owned }).from(users).as('inner')
    expect(await db.select({ n: inner.owned }).from(inner).where(eq(inner.id, 2n))).toEqual([{ n: 2 }])
  })

  test('is accepted in EXISTS and in inArray()', async () => {
    const owners = db.select({ id: pets.ownerId }).from(pets).where(eq(pets.ownerId, users.id))
    expect(
      await runs(
        db.select({ id: users.id }).from(users).where(exists(owners)),
        'select `Users`.`id` from `Users` where exists (select `Pets`.`ownerId` from `Pets` where `Pets`.`ownerId` = `Users`.`id`)',
      ),
    ).toEqual([{ id: 2n }])
    expect(await db.select({ id: users.id }).from(users).where(inArray(users.id, owners))).toEqual([
      { id: 2n },
    ])
  })

  test('is joined with another subquery whose fields have the same names', async () => {
    const counted = (name: string) =>
      db
        .select({ id: pets.ownerId, n: count().as('n') })
        .from(pets)
        .groupBy(pets.ownerId)
        .as(name)
    const [a, b] = [counted('a'), counted('b')]
    expect(
      await db
        .select({ sum: sql`${a.n} + ${b.n}`.mapWith(Number) })
        .from(a)
        .innerJoin(b, eq(a.id, b.id)),
    ).toEqual([{ sum: 4 }])
  })

  test('provides the nested fields of a join as objects', async () => {
    const manager = alias(users, 'manager')
    const pairs = db
      .select({ user: { key: users.id }, boss: { called: manager.name } })
      .from(users)
      .innerJoin(manager, eq(manager.id, users.managerId))
      .as('pairs')
    expect(await db.select({ boss: pairs.boss.called }).from(pairs).where(eq(pairs.user.key, 1n))).toEqual([
      { boss: 'Grace' },
    ])
  })

  test('is rejected when a query selects its expression that has no alias', () => {
    const query = db
      .select({ id: users.id, n: sql`1` })
      .from(users)
      .as('q')
    expect(() => db.select({ id: query.id }).from(query).toSQL()).not.toThrow()
    expect(() => db.select().from(query).toSQL()).toThrow(
      'The field n of a subquery is an expression without a name.',
    )
  })
})

describe('a subquery in WITH', () => {
  test('is written before the statement, and can be read by a later subquery', async () => {
    const old = db.$with('old').as(db.select().from(users).where(gt(users.age, 40n)))
    const named = db.$with('named').as((qb) => qb.select({ n: sql<bigint>`count(*)`.as('n') }).from(old))
    const rows = await runs(
      db
        .with(old, named)
        .select({ n: named.n, id: old.id })
        .from(old)
        .crossJoin(named)
        .orderBy(old.id)
        .limit(1),
      'with `old` as (select `Users`.`id`, `Users`.`name`, `Users`.`age`, `Users`.`managerId` from `Users` where `Users`.`age` > @p1), `named` as (select count(*) as `n` from `old`) select `named`.`n`, `old`.`id` from `old` cross join `named` order by `old`.`id` limit @p2',
      ['40', '1'],
    )
    expect(rows).toEqual([{ n: 2n, id: 2n }])
  })

  test('accepts plain SQL with declared fields', async () => {
    const numbers = db
      .$with('numbers', { n: sql<bigint>`n`.as('n') })
      .as(sql`select n from unnest([1, 2]) as n`)
    expect(
      await runs(
        db.with(numbers).selectDistinct({ n: numbers.n }).from(numbers).orderBy(numbers.n),
        'with `numbers` as (select n from unnest([1, 2]) as n) select distinct `numbers`.`n` from `numbers` order by `numbers`.`n`',
      ),
    ).toEqual([{ n: 1n }, { n: 2n }])
  })

  test('is written in place inside another subquery and in a DELETE', async () => {
    const old = db.$with('old').as(db.select({ id: users.id }).from(users).where(gt(users.age, 40n)))
    const inner = db.with(old).select().from(old).as('inner')
    expect(
      await runs(
        db.select().from(inner).orderBy(inner.id),
        'select `inner`.`id` from (select `old`.`id` from (select `Users`.`id` from `Users` where `Users`.`age` > @p1) `old`) `inner` order by `inner`.`id`',
        ['40'],
      ),
    ).toEqual([{ id: 2n }, { id: 3n }])
    const gone = await runs(
      db
        .with(old)
        .delete(pets)
        .where(inArray(pets.ownerId, db.select({ id: old.id }).from(old)))
        .returning(),
      'delete from `Pets` where `Pets`.`ownerId` in (select `old`.`id` from (select `Users`.`id` from `Users` where `Users`.`age` > @p1) `old`) then return `Pets`.`id`, `Pets`.`ownerId`, `Pets`.`name`',
      ['40'],
    )
    expect(gone).toHaveLength(2)
  })

  test('rejects an INSERT instead of a select', () => {
    const write = db.insert(pets).values({ id: 9n, name: 'x' }).returning()
    expect(() => db.$with('w').as(write as never)).toThrow('Spanner has no writes within a statement')
  })
})

test('a query of QueryBuilder returns its SQL and parameters, and has no then() to run it', () => {
  const query = new QueryBuilder()
    .select()
    .from(pets)
    .where(sql`${pets.id} > ${1n}`)
  expect(query.toSQL()).toEqual({
    sql: 'select `Pets`.`id`, `Pets`.`ownerId`, `Pets`.`name` from `Pets` where `Pets`.`id` > @p1',
    params: [1n],
  })
  expect(query).not.toHaveProperty('then')
})
