import { QueryBuilder, union, type SpannerDatabase, type SpannerSelect } from '@isotherm/drizzle-adapter'
import { count, eq, gt, sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { fill, pets, runs, shop, users } from './support/shop.js'

// Features of Drizzle's builders that no other test covers: the list is docs/reference/drizzle-parity.md.

let db: SpannerDatabase

beforeAll(async () => {
  db = (await shop())()
  await fill(db)
})

const ids = () => db.select({ id: users.id }).from(users)

describe('a query', () => {
  test('has the promise methods then(), catch() and finally(), and execute()', async () => {
    expect(await ids().then((rows) => rows.length)).toBe(3)
    let ended = false
    await ids().finally(() => (ended = true))
    expect(ended).toBe(true)
    const broken = db.select({ x: sql`nonsense` }).from(users)
    expect(await broken.catch((error: Error) => error.message)).toContain('Failed query')
    expect(await ids().execute()).toHaveLength(3)
    expect(await db.$count(users).then((n) => n + 1)).toBe(4)
    expect(await db.$count(users).finally(() => undefined)).toBe(3)
    expect(await db.$count(users).catch(() => 0)).toBe(3)
  })

  test('returns its SQL by getQuery() before it runs', async () => {
    const prepared = ids()
      .where(eq(users.id, sql.placeholder('id')))
      .prepare('by id')
    expect(prepared.getQuery().sql).toBe('select `Users`.`id` from `Users` where `Users`.`id` = @p1')
    expect(await prepared.execute({ id: 2n })).toEqual([{ id: 2n }])
    const gone = db
      .delete(pets)
      .where(eq(pets.id, sql.placeholder('id')))
      .prepare()
    expect(gone.getQuery().sql).toBe('delete from `Pets` where `Pets`.`id` = @p1')
    expect(await gone.execute({ id: 99n })).toEqual({ rowCount: 0 })
    const raw = db.execute(sql`select ${1n} as one`)
    expect(raw.getQuery()).toEqual({ sql: 'select @p1 as one', params: [1n] })
    expect(await raw.execute()).toEqual([{ one: 1n }])
  })

  test('accepts further clauses after $dynamic()', async () => {
    const paged = <T extends SpannerSelect>(query: T) =>
      query.where(gt(users.id, 1n)).orderBy(users.id).limit(1)
    const rows = await runs(
      paged(ids().$dynamic()),
      'select `Users`.`id` from `Users` where `Users`.`id` > @p1 order by `Users`.`id` limit @p2',
      ['1', '1'],
    )
    expect(rows).toEqual([{ id: 2n }])
    const add = db.insert(pets).values({ id: 60n, name: 'Gone' }).$dynamic()
    expect(await add.returning({ id: pets.id })).toEqual([{ id: 60n }])
    const one = db.update(pets).set({ name: 'Tom' }).$dynamic().where(eq(pets.id, 1n))
    expect(await one.returning({ name: pets.name })).toEqual([{ name: 'Tom' }])
    expect(await db.delete(pets).$dynamic().where(eq(pets.id, 60n))).toEqual({ rowCount: 1 })
  })

  test('is built by QueryBuilder without a database, and runs as a subquery in FROM', async () => {
    const builder = new QueryBuilder()
    const few = builder.$with('few').as(builder.selectDistinct({ id: pets.ownerId }).from(pets))
    const query = builder.with(few).select({ id: few.id }).from(few)
    expect(query.toSQL().sql).toBe(
      'with `few` as (select distinct `Pets`.`ownerId` from `Pets`) select `few`.`ownerId` from `few`',
    )
    const distinct = builder.with(few).selectDistinct({ id: few.id }).from(few)
    expect(distinct.toSQL().sql).toContain('select distinct `few`.`ownerId`')
    const owners = query.as('owners')
    expect(await db.select({ n: count(owners.id) }).from(owners)).toEqual([{ n: 1 }])
  })

  test('is counted by $count(), and so is a union', async () => {
    expect(await db.$count(ids().where(gt(users.id, 1n)))).toBe(2)
    expect(await db.$count(union(ids(), ids()).as('all'))).toBe(3)
  })
})

describe('a write with a subquery in WITH', () => {
  test('inlines the subquery into an INSERT and an UPDATE', async () => {
    const old = db.$with('old').as(db.select({ id: users.id }).from(users).where(gt(users.age, 80n)))
    const inserted = await runs(
      db
        .with(old)
        .insert(pets)
        .values({ id: 50n, name: 'Of the old', ownerId: sql`(select max(${old.id}) from ${old})` })
        .returning({ owner: pets.ownerId }),
      'insert into `Pets` (`id`, `ownerId`, `name`) values (@p1, (select max(`old`.`id`) from (select `Users`.`id` from `Users` where `Users`.`age` > @p2) `old`), @p3) then return `Pets`.`ownerId`',
      ['50', '80', 'Of the old'],
    )
    expect(inserted).toEqual([{ owner: 2n }])
    const changed = db
      .with(old)
      .update(pets)
      .set({ name: 'Old' })
      .where(sql`${pets.ownerId} in (select ${old.id} from ${old}) and ${pets.id} = ${50n}`)
    expect(await changed).toEqual({ rowCount: 1 })
    expect(await db.delete(pets).where(eq(pets.id, 50n))).toEqual({ rowCount: 1 })
  })
})

describe('a Drizzle feature that Spanner does not support', () => {
  test('throws an error that names DISTINCT ON, OVERRIDING SYSTEM VALUE or SET TRANSACTION', async () => {
    const builder = new QueryBuilder()
    const positions = [db, builder, db.with(), builder.with()] as { selectDistinctOn(on: never): unknown }[]
    for (const position of positions) {
      expect(() => position.selectDistinctOn([] as never)).toThrow('Spanner has no DISTINCT ON.')
    }
    const insert = db.insert(pets) as unknown as { overridingSystemValue(): unknown }
    expect(() => insert.overridingSystemValue()).toThrow('Spanner has no OVERRIDING SYSTEM VALUE.')
    await db.transaction(async (tx) => {
      expect(() => tx.setTransaction()).toThrow('Spanner has no SET TRANSACTION.')
    })
  })
})
