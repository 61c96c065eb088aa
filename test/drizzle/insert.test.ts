import { int64, spannerTable, string, type SpannerDatabase } from '@isotherm/drizzle-adapter'
import { eq, sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { archive, fill, pets, runs, shop, tags, users } from './support/shop.js'

let db: SpannerDatabase

beforeAll(async () => {
  db = (await shop())()
  await fill(db)
})

const tagged = (id: bigint) => db.select().from(tags).where(eq(tags.id, id))

describe('insert().values()', () => {
  test('writes one row with the values of $default and $onUpdate', async () => {
    const result = await runs(
      db.insert(tags).values({ id: 1n, tag: 'blue' }),
      'insert into `Tag` (`id`, `Tag`, `status`, `touched`) values (@p1, @p2, @p3, @p4)',
      ['1', 'blue', 'new', '7'],
    )
    expect(result).toEqual({ rowCount: 1 })
    expect(await tagged(1n)).toEqual([{ id: 1n, tag: 'blue', status: 'new', touched: 7n }])
  })

  test('writes DEFAULT for a column that one of several rows leaves out', async () => {
    const rows = await runs(
      db
        .insert(users)
        .values([
          { id: 10n, name: 'Ann', age: 1n },
          { id: 11n, name: sql`upper(${'bob'})`, managerId: null },
        ])
        .returning({ id: users.id, name: users.name, age: users.age }),
      'insert into `Users` (`id`, `name`, `age`, `managerId`) values (@p1, @p2, @p3, default), (@p4, upper(@p5), default, @p6) then return `Users`.`id`, `Users`.`name`, `Users`.`age`',
      ['10', 'Ann', '1', '11', 'bob', null],
    )
    expect(rows).toEqual([
      { id: 10n, name: 'Ann', age: 1n },
      { id: 11n, name: 'BOB', age: null },
    ])
  })

  test('returning() returns rows of a table in a named schema, and of a table with a column of the same name', async () => {
    expect(
      await runs(
        db.insert(archive).values({ id: 1n, name: 'Ada' }).returning(),
        'insert into `old`.`Users` (`id`, `name`) values (@p1, @p2) then return `Users`.`id`, `Users`.`name`',
        ['1', 'Ada'],
      ),
    ).toEqual([{ id: 1n, name: 'Ada' }])
    expect(
      await db
        .insert(tags)
        .values({ id: 2n, tag: 'red', status: 'own', touched: 1n })
        .returning({ tag: tags.tag, twice: sql<string>`concat(${tags.tag}, ${tags.tag})`.as('twice') }),
    ).toEqual([{ tag: 'red', twice: 'redred' }])
  })

  test('writes the result of a scalar subquery into a column', async () => {
    const oldest = db.select({ age: sql`max(${users.age})` }).from(users)
    expect(
      await runs(
        db.insert(users).values({ id: 12n, name: 'Max', age: oldest }).returning({ age: users.age }),
        'insert into `Users` (`id`, `name`, `age`) values (@p1, @p2, (select max(`Users`.`age`) from `Users`)) then return `Users`.`age`',
        ['12', 'Max'],
      ),
    ).toEqual([{ age: 85n }])
  })

  test('sends rows as array parameters when they exceed the parameter limit of a statement', async () => {
    const rows = Array.from({ length: 400 }, (_, at) => ({
      id: BigInt(1000 + at),
      name: `pet ${at}`,
      ownerId: at % 2 === 0 ? null : BigInt(at),
    }))
    const insert = db.insert(pets).values(rows)
    expect(insert.toSQL().sql).toBe(
      'insert into `Pets` (`id`, `ownerId`, `name`) select @p1[offset(`row`)], @p2[offset(`row`)], @p3[offset(`row`)] from unnest(generate_array(0, 399)) as `row`',
    )
    expect(await insert).toEqual({ rowCount: 400 })
    expect(await db.select().from(pets).where(eq(pets.id, 1003n))).toEqual([rows[3]])
    expect(await db.$count(pets, sql`${pets.ownerId} is null and ${pets.id} >= ${1000n}`)).toBe(200)
  })

  test('rejects an empty list of rows', () => {
    expect(() => db.insert(tags).values([])).toThrow('There are no rows to insert.')
  })
})

describe('a prepared insert', () => {
  test('calls the $default function again for each execution', async () => {
    let made = 0
    const counted = spannerTable('Tag', {
      id: int64('id').primaryKey(),
      tag: string('Tag'),
      status: string('status').$default(() => `made ${++made}`),
    })
    const insert = db
      .insert(counted)
      .values({ id: sql.placeholder('id'), tag: sql.placeholder('tag') })
      .prepare('insert_tag')
    await insert.execute({ id: 21n, tag: 'a' })
    await insert.execute({ id: 22n, tag: null })
    expect(await tagged(21n)).toEqual([{ id: 21n, tag: 'a', status: 'made 1', touched: null }])
    expect(await tagged(22n)).toEqual([{ id: 22n, tag: null, status: 'made 2', touched: null }])
  })

  test('inserts the value of its placeholder at each execution, and returns the row', async () => {
    const insert = db
      .insert(archive)
      .values({ id: sql.placeholder('id'), name: 'x' })
      .returning()
      .prepare()
    expect(insert.getQuery().sql).toBe(
      'insert into `old`.`Users` (`id`, `name`) values (@p1, @p2) then return `Users`.`id`, `Users`.`name`',
    )
    expect(await insert.execute({ id: 31n })).toEqual([{ id: 31n, name: 'x' }])
    expect(await insert.execute({ id: 32n })).toEqual([{ id: 32n, name: 'x' }])
  })
})

describe('insert().select()', () => {
  test('names the inserted columns after the fields of the query', async () => {
    const result = await runs(
      db
        .insert(archive)
        .select(db.select({ name: users.name, id: users.id }).from(users).where(eq(users.id, 2n))),
      'insert into `old`.`Users` (`name`, `id`) select `Users`.`name`, `Users`.`id` from `Users` where `Users`.`id` = @p1',
      ['2'],
    )
    expect(result).toEqual({ rowCount: 1 })
  })

  test('accepts a callback that reads a WITH subquery, and plain SQL', async () => {
    const third = db
      .$with('third')
      .as(db.select({ id: users.id, name: users.name }).from(users).where(eq(users.id, 3n)))
    expect(
      await runs(
        db
          .with(third)
          .insert(archive)
          .select((qb) => qb.select().from(third))
          .returning({ id: archive.id }),
        'insert into `old`.`Users` (`id`, `name`) select `third`.`id`, `third`.`name` from (select `Users`.`id`, `Users`.`name` from `Users` where `Users`.`id` = @p1) `third` then return `Users`.`id`',
        ['3'],
      ),
    ).toEqual([{ id: 3n }])
    expect(await db.insert(archive).select(sql`select 77, 'seven'`)).toEqual({ rowCount: 1 })
  })

  test('rejects a query with a field that is not a column of the table', () => {
    const query = db.select({ id: users.id, nam: users.name }).from(users)
    expect(() =>
      db
        .insert(archive)
        .select(query as never)
        .toSQL(),
    ).toThrow(
      'Users has no column nam to insert into. Name the fields of the query after its columns: id, name.',
    )
  })
})

describe('an insert of a row that exists', () => {
  test('updates the row with orUpdate(), and returns the updated row', async () => {
    await db.insert(users).values({ id: 50n, name: 'Eve', age: 5n })
    // Spanner keeps the columns that a row leaves out; the emulator sets them to NULL.
    const rows = await runs(
      db.insert(users).values({ id: 50n, name: 'Eva', age: 6n }).orUpdate().returning(),
      'insert or update into `Users` (`id`, `name`, `age`) values (@p1, @p2, @p3) then return `Users`.`id`, `Users`.`name`, `Users`.`age`, `Users`.`managerId`',
      ['50', 'Eva', '6'],
    )
    expect(rows).toEqual([{ id: 50n, name: 'Eva', age: 6n, managerId: null }])
    expect(await db.select().from(users).where(eq(users.id, 50n))).toEqual(rows)
  })

  test('rejects orUpdate() when only some rows have a value for a column', () => {
    const insert = db.insert(users).values([
      { id: 1n, name: 'a', age: 1n },
      { id: 2n, name: 'b' },
    ])
    expect(() => insert.orUpdate().toSQL()).toThrow('Some rows of orUpdate() have a age, and others do not.')
  })

  test('keeps the row with orIgnore(), and with onConflictDoNothing() on the primary key', async () => {
    await db.insert(users).values({ id: 60n, name: 'Kim' })
    const insert = () =>
      db.insert(users).values([
        { id: 60n, name: 'x' },
        { id: 61n, name: 'y' },
      ])
    const text =
      'insert or ignore into `Users` (`id`, `name`) values (@p1, @p2), (@p3, @p4) then return `Users`.`id`'
    expect(await runs(insert().orIgnore().returning({ id: users.id }), text, ['60', 'x', '61', 'y'])).toEqual(
      [{ id: 61n }],
    )
    expect(
      await runs(insert().onConflictDoNothing({ target: users.id }).returning({ id: users.id }), text, [
        '60',
        'x',
        '61',
        'y',
      ]),
    ).toEqual([])
  })

  test('compiles conflicts on a unique index to ON CONFLICT, and rejects targetWhere', () => {
    const insert = () => db.insert(users).values({ id: 1n, name: 'Ada' })
    expect(insert().onConflictDoNothing().toSQL().sql).toBe(
      'insert into `Users` (`id`, `name`) values (@p1, @p2) on conflict do nothing',
    )
    expect(insert().onConflictDoNothing({ target: users.name }).toSQL().sql).toBe(
      'insert into `Users` (`id`, `name`) values (@p1, @p2) on conflict (`name`) do nothing',
    )
    expect(
      insert()
        .onConflictDoUpdate({
          target: [users.name],
          set: { age: sql`excluded.age`, managerId: 2n },
          setWhere: sql`${users.age} is null`,
        })
        .returning({ id: users.id })
        .toSQL(),
    ).toEqual({
      sql: 'insert into `Users` (`id`, `name`) values (@p1, @p2) on conflict (`name`) do update set `age` = excluded.age, `managerId` = @p3 where `Users`.`age` is null then return `Users`.`id`',
      params: ['1', 'Ada', '2'],
    })
    const partial = { target: users.name, targetWhere: sql`true` }
    expect(() => insert().onConflictDoNothing(partial)).toThrow(
      'Spanner does not support targetWhere for a conflict.',
    )
  })
})
