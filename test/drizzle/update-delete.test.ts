import type { SpannerDatabase } from '@isotherm/drizzle-adapter'
import { eq, gt, inArray, sql } from 'drizzle-orm'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { archive, fill, pets, runs, shop, tags, users } from './support/shop.js'

let db: SpannerDatabase

beforeAll(async () => {
  db = (await shop())()
})

beforeEach(async () => {
  for (const table of [users, pets, tags, archive]) await db.delete(table)
  await fill(db)
})

describe('db.update()', () => {
  test('sets values and SQL expressions, and keeps columns with undefined', async () => {
    const rows = await runs(
      db
        .update(users)
        .set({ name: 'Countess', age: sql`${users.age} + 1`, managerId: undefined })
        .where(eq(users.id, 1n))
        .returning(),
      'update `Users` set `name` = @p1, `age` = `Users`.`age` + 1 where `Users`.`id` = @p2 then return `Users`.`id`, `Users`.`name`, `Users`.`age`, `Users`.`managerId`',
      ['Countess', '1'],
    )
    expect(rows).toEqual([{ id: 1n, name: 'Countess', age: 37n, managerId: 2n }])
  })

  test('writes NULL to every row without a condition', async () => {
    expect(
      await runs(
        db.update(users).set({ managerId: null }),
        'update `Users` set `managerId` = @p1 where true',
        [null],
      ),
    ).toEqual({ rowCount: 3 })
    expect(await db.$count(users, sql`${users.managerId} is not null`)).toBe(0)
  })

  test('updates a column with the same name as its table, and writes the value of $onUpdate', async () => {
    await db.insert(tags).values({ id: 1n, tag: 'a', touched: 1n })
    expect(
      await runs(
        db
          .update(tags)
          .set({ tag: sql`concat(${tags.tag}, 'b')` })
          .where(eq(tags.tag, 'a'))
          .returning({ t: tags.tag, n: tags.touched }),
        "update `Tag` set `Tag`.`Tag` = concat(`Tag`.`Tag`, 'b'), `touched` = @p1 where `Tag`.`Tag` = @p2 then return `Tag`.`Tag`, `Tag`.`touched`",
        ['7', 'a'],
      ),
    ).toEqual([{ t: 'ab', n: 7n }])
  })

  test('updates a table in a named schema', async () => {
    await db.insert(archive).values({ id: 1n, name: 'a' })
    expect(
      await runs(
        db.update(archive).set({ name: 'b' }).where(eq(archive.id, 1n)).returning({ name: archive.name }),
        'update `old`.`Users` `Users` set `name` = @p1 where `Users`.`id` = @p2 then return `Users`.`name`',
        ['b', '1'],
      ),
    ).toEqual([{ name: 'b' }])
  })

  test('accepts subqueries in set() and where(), and inlines a WITH subquery', async () => {
    const cats = db
      .select({ n: sql`count(*)` })
      .from(pets)
      .where(eq(pets.ownerId, users.id))
    const owners = db.$with('owners').as(db.select({ id: pets.ownerId }).from(pets))
    expect(
      await runs(
        db
          .with(owners)
          .update(users)
          .set({ age: cats })
          .where(inArray(users.id, db.select().from(owners)))
          .returning({ id: users.id, age: users.age }),
        'update `Users` set `age` = (select count(*) from `Pets` where `Pets`.`ownerId` = `Users`.`id`) where `Users`.`id` in (select `owners`.`ownerId` from (select `Pets`.`ownerId` from `Pets`) `owners`) then return `Users`.`id`, `Users`.`age`',
      ),
    ).toEqual([{ id: 2n, age: 2n }])
  })

  test('accepts placeholders in a prepared statement, including a NULL value', async () => {
    const rename = db
      .update(users)
      .set({ name: sql.placeholder('name') })
      .where(eq(users.id, sql.placeholder('id')))
      .prepare('rename')
    expect(await rename.execute({ id: 1n, name: 'x' })).toEqual({ rowCount: 1 })
    expect(await rename.execute({ id: 9n, name: 'y' })).toEqual({ rowCount: 0 })
    const touch = db
      .update(tags)
      .set({ tag: sql.placeholder('tag') })
      .prepare()
    await db.insert(tags).values({ id: 1n })
    expect(await touch.execute({ tag: null })).toEqual({ rowCount: 1 })
  })

  test('rejects an empty set(), an unknown column and from()', () => {
    expect(() => db.update(users).set({ name: undefined })).toThrow('There are no values to set.')
    expect(() => db.update(users).set({ nam: 'x' } as never)).toThrow(
      'Users has no column nam. Did you mean name? It has id, name',
    )
    const update = db.update(users).set({ name: 'x' }) as unknown as { from(table: unknown): void }
    expect(() => update.from(pets)).toThrow('An UPDATE of Spanner reads no other table in FROM.')
  })
})

describe('db.delete()', () => {
  test('deletes the rows of a condition, and returns them', async () => {
    const rows = await runs(
      db.delete(users).where(gt(users.age, 40n)).returning({ id: users.id }),
      'delete from `Users` where `Users`.`age` > @p1 then return `Users`.`id`',
      ['40'],
    )
    expect(new Set(rows.map(({ id }) => id))).toEqual(new Set([2n, 3n]))
  })

  test('deletes every row without a condition', async () => {
    expect(await runs(db.delete(pets), 'delete from `Pets` where true')).toEqual({ rowCount: 3 })
    expect(await db.$count(pets)).toBe(0)
  })

  test('deletes from a table in a named schema', async () => {
    await db.insert(archive).values({ id: 1n })
    expect(
      await runs(
        db.delete(archive).where(eq(archive.id, 1n)),
        'delete from `old`.`Users` `Users` where `Users`.`id` = @p1',
        ['1'],
      ),
    ).toEqual({ rowCount: 1 })
  })

  test('writes a statement hint before DELETE', () => {
    const hinted = db.delete(archive).statementHint({ lockScannedRanges: 'exclusive' })
    expect(hinted.toSQL().sql).toBe(
      '@{LOCK_SCANNED_RANGES=exclusive} delete from `old`.`Users` `Users` where true',
    )
  })
})

describe('the methods of a database', () => {
  test('db.execute() runs SQL with table objects, and SQL text', async () => {
    expect(
      await db.execute<{ id: bigint }>(sql`select ${users.id} from ${users} where ${eq(users.id, 1n)}`),
    ).toEqual([{ id: 1n }])
    expect(await db.execute('select 1 as one')).toEqual([{ one: 1n }])
  })

  test('db.transaction() commits or rolls back, and db.batch() returns results in order', async () => {
    const name = await db.transaction(async (tx) => {
      await tx.update(users).set({ name: 'Tx' }).where(eq(users.id, 1n))
      return tx.select({ name: users.name }).from(users).where(eq(users.id, 1n))
    })
    expect(name).toEqual([{ name: 'Tx' }])
    await expect(
      db.transaction(async (tx) => {
        await tx.delete(users)
        tx.rollback()
      }),
    ).rejects.toThrow('Rollback')
    const [count, inserted, rows] = await db.batch([
      db.$count(users),
      db.insert(archive).values({ id: 1n, name: 'b' }).returning(),
      db.select({ id: archive.id }).from(archive),
    ])
    expect([count, inserted, rows]).toEqual([3, [{ id: 1n, name: 'b' }], [{ id: 1n }]])
  })
})
