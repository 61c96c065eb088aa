import {
  alias,
  drizzle as adapter,
  ilike,
  int64,
  notIlike,
  spannerTable,
  string,
  type SpannerDatabase,
} from '@isotherm/drizzle-adapter'
import * as drizzle from 'drizzle-orm'
import { and, asc, between, count, desc, eq, gt, inArray, isNull, like, max, ne, sql, sum } from 'drizzle-orm'
import { bigint, pgTable, pgView } from 'drizzle-orm/pg-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { archive, fill, pets, runs, shop, tags, users } from './support/shop.js'

let db: SpannerDatabase

beforeAll(async () => {
  db = (await shop())()
  await fill(db)
  await db.insert(tags).values({ id: 1n, tag: 'blue' })
  await db.insert(archive).values({ id: 9n, name: 'Old' })
})

describe('the fields of a select', () => {
  test('select() without fields returns all columns of the table', async () => {
    const rows = await runs(
      db.select().from(users).where(eq(users.id, 1n)),
      'select `Users`.`id`, `Users`.`name`, `Users`.`age`, `Users`.`managerId` from `Users` where `Users`.`id` = @p1',
      ['1'],
    )
    expect(rows).toEqual([{ id: 1n, name: 'Ada', age: 36n, managerId: 2n }])
  })

  test('select() returns the named columns, nested fields and SQL expressions', async () => {
    const rows = await runs(
      db
        .select({
          key: users.id,
          person: { name: users.name, upper: sql<string>`upper(${users.name})`.as('upper') },
          twice: sql`${users.age} * 2`.mapWith(users.age),
        })
        .from(users)
        .where(eq(users.name, 'Ada')),
      'select `Users`.`id`, `Users`.`name`, upper(`Users`.`name`) as `upper`, `Users`.`age` * 2 from `Users` where `Users`.`name` = @p1',
      ['Ada'],
    )
    expect(rows).toEqual([{ key: 1n, person: { name: 'Ada', upper: 'ADA' }, twice: 72n }])
  })

  test('select() reads a column with the same name as its table', async () => {
    const rows = await runs(
      db.select({ tag: tags.tag }).from(tags).where(eq(tags.tag, 'blue')),
      'select `Tag`.`Tag` from `Tag` where `Tag`.`Tag` = @p1',
      ['blue'],
    )
    expect(rows).toEqual([{ tag: 'blue' }])
  })

  test('select() reads a table of a named schema', async () => {
    const rows = await runs(
      db.select().from(archive).where(eq(archive.id, 9n)),
      'select `Users`.`id`, `Users`.`name` from `old`.`Users` where `Users`.`id` = @p1',
      ['9'],
    )
    expect(rows).toEqual([{ id: 9n, name: 'Old' }])
  })

  test('selectDistinct() returns distinct rows', async () => {
    const rows = await runs(
      db.selectDistinct({ owner: pets.ownerId }).from(pets).orderBy(pets.ownerId),
      'select distinct `Pets`.`ownerId` from `Pets` order by `Pets`.`ownerId`',
    )
    expect(rows).toEqual([{ owner: null }, { owner: 2n }])
  })

  test('select() rejects a field of a table that the query does not read', () => {
    expect(() => db.select({ id: pets.id }).from(users).toSQL()).toThrow(
      'The field id is a column of Pets, which the query does not read. Join Pets.',
    )
  })
})

describe('where()', () => {
  test('accepts a callback over the selected fields', async () => {
    const rows = await runs(
      db
        .select({ name: sql<string>`lower(${users.name})`.as('n'), age: users.age })
        .from(users)
        .where(({ name }) => eq(name, 'ada')),
      'select lower(`Users`.`name`) as `n`, `Users`.`age` from `Users` where lower(`Users`.`name`) = @p1',
      ['ada'],
    )
    expect(rows).toEqual([{ name: 'ada', age: 36n }])
  })

  test('accepts inArray, between, like and ne, joined by and', async () => {
    const rows = await runs(
      db
        .select({ id: users.id })
        .from(users)
        .where(
          and(
            inArray(users.id, [1n, 3n]),
            between(users.age, 1n, 99n),
            like(users.name, 'A%'),
            ne(users.name, 'Bob'),
          ),
        )
        .orderBy(desc(users.id)),
      'select `Users`.`id` from `Users` where (`Users`.`id` in unnest(@p1) and `Users`.`age` between @p2 and @p3 and `Users`.`name` like @p4 and `Users`.`name` <> @p5) order by `Users`.`id` desc',
      [['1', '3'], '1', '99', 'A%', 'Bob'],
    )
    expect(rows).toEqual([{ id: 3n }, { id: 1n }])
  })

  test('compares without regard to case with ilike and notIlike of the adapter', async () => {
    expect(
      await runs(
        db.select({ id: users.id }).from(users).where(ilike(users.name, 'aDA')),
        'select `Users`.`id` from `Users` where lower(`Users`.`name`) like lower(@p1)',
        ['aDA'],
      ),
    ).toEqual([{ id: 1n }])
    expect(await db.select({ id: users.id }).from(users).where(notIlike(users.name, 'a%'))).toEqual([
      { id: 2n },
    ])
  })

  test('writes null into the SQL text for a null without a column', async () => {
    expect(
      await runs(
        db
          .select({ id: users.id })
          .from(users)
          .where(sql`coalesce(${users.managerId}, ${null}) is null`),
        'select `Users`.`id` from `Users` where coalesce(`Users`.`managerId`, null) is null',
      ),
    ).toEqual([{ id: 2n }])
  })
})

describe('groupBy()', () => {
  test('accepts a having() callback that compares a selected aggregate', async () => {
    const rows = await runs(
      db
        .select({ owner: pets.ownerId, n: count().as('n'), last: max(pets.name) })
        .from(pets)
        .groupBy(pets.ownerId)
        .having(({ n }) => gt(n, 1)),
      'select `Pets`.`ownerId`, count(*) as `n`, max(`Pets`.`name`) from `Pets` group by `Pets`.`ownerId` having count(*) > @p1',
      [1],
    )
    expect(rows).toEqual([{ owner: 2n, n: 2, last: 'Dog' }])
  })

  test('groups by the alias of a field, and orders by aliases', async () => {
    const rows = await runs(
      db
        .select({
          initial: sql<string>`substr(${users.name}, 1, 1)`.as('initial'),
          years: sum(users.age).as('years'),
        })
        .from(users)
        .groupBy(({ initial }) => initial)
        .orderBy(({ years, initial }) => [desc(years), asc(initial)]),
      'select substr(`Users`.`name`, 1, 1) as `initial`, sum(`Users`.`age`) as `years` from `Users` group by `initial` order by `years` desc, `initial` asc',
    )
    expect(rows).toEqual([
      { initial: 'G', years: '85' },
      { initial: 'A', years: '77' },
    ])
  })
})

describe('limit() and offset()', () => {
  test('send their numbers as parameters', async () => {
    expect(
      await runs(
        db.select({ id: users.id }).from(users).orderBy(users.id).limit(1).offset(1),
        'select `Users`.`id` from `Users` order by `Users`.`id` limit @p1 offset @p2',
        ['1', '1'],
      ),
    ).toEqual([{ id: 2n }])
  })

  test('offset() without limit() writes the largest possible limit', async () => {
    expect(
      await runs(
        db.select({ id: users.id }).from(users).orderBy(users.id).offset(2),
        'select `Users`.`id` from `Users` order by `Users`.`id` limit 9223372036854775807 offset @p1',
        ['2'],
      ),
    ).toEqual([{ id: 3n }])
  })

  test('limit() and where() accept placeholders in a prepared statement', async () => {
    const prepared = db
      .select({ id: users.id })
      .from(users)
      .where(gt(users.id, sql.placeholder('after')))
      .orderBy(users.id)
      .limit(sql.placeholder('size'))
      .prepare('page')
    expect(prepared.getQuery().sql).toBe(
      'select `Users`.`id` from `Users` where `Users`.`id` > @p1 order by `Users`.`id` limit @p2',
    )
    expect(await prepared.execute({ after: 0n, size: 2 })).toEqual([{ id: 1n }, { id: 2n }])
    expect(await prepared.execute({ after: 2n, size: 2 })).toEqual([{ id: 3n }])
  })
})

describe('hints of a select', () => {
  test('hint(), joinHint(), groupHint() and statementHint() write hints into the statement', async () => {
    const manager = alias(users, 'manager')
    const rows = await runs(
      db
        .select({ name: users.name, n: count() })
        .from(users)
        .hint({ forceIndex: 'UsersByName' })
        .innerJoin(manager, eq(manager.id, users.managerId))
        .hint({ forceIndex: '_BASE_TABLE' })
        .joinHint({ joinMethod: 'HASH_JOIN', forceJoinOrder: true })
        .groupBy(users.name)
        .groupHint({ groupMethod: 'HASH_GROUP' })
        .orderBy(users.name)
        .statementHint({ lockScannedRanges: 'exclusive' }),
      '@{LOCK_SCANNED_RANGES=exclusive} select `Users`.`name`, count(*) from `Users`@{FORCE_INDEX=`UsersByName`} inner join@{JOIN_METHOD=HASH_JOIN, FORCE_JOIN_ORDER=TRUE} `Users`@{FORCE_INDEX=_BASE_TABLE} `manager` on `manager`.`id` = `Users`.`managerId` group@{GROUP_METHOD=HASH_GROUP} by `Users`.`name` order by `Users`.`name`',
    )
    expect(rows).toEqual([
      { name: 'Ada', n: 1 },
      { name: 'Alan', n: 1 },
    ])
  })

  test('hint() rejects a subquery, and joinHint() rejects a query without a join', () => {
    const query = db.select().from(users).as('query')
    expect(() => db.select().from(query).hint({ forceIndex: 'x' })).toThrow('is not a table or a view')
    expect(() => db.select().from(users).joinHint({ forceJoinOrder: true })).toThrow(
      'There is no join before joinHint.',
    )
  })

  test('statementHint() rejects a value that contains SQL', () => {
    const hints = { optimizerStatisticsPackage: 'x} select 1' }
    expect(() => db.select().from(users).statementHint(hints)).toThrow(
      'The value of the hint optimizerStatisticsPackage is ',
    )
  })

  const injected = '_base_table} where true --'
  const names = [
    `force_index=${injected}`,
    'FORCE_INDEX',
    'forceIndexes',
    '__proto__',
    'constructor',
    'toString',
  ]

  test.each(names)('are rejected with the unknown name %j, also in updates, deletes and inserts', (name) => {
    const hints: object = Object.defineProperty({}, name, { value: 'y', enumerable: true })
    const refused = `There is no %s hint ${JSON.stringify(name)}.`
    const query = () => db.select().from(users).where(eq(users.id, 1n))
    expect(() => query().hint(hints)).toThrow(refused.replace('%s', 'table'))
    expect(() => query().innerJoin(pets, eq(pets.id, users.id)).joinHint(hints)).toThrow(
      refused.replace('%s', 'join'),
    )
    expect(() => query().groupHint(hints)).toThrow(refused.replace('%s', 'group'))
    const ofStatement = refused.replace('%s', 'statement')
    expect(() => query().statementHint(hints)).toThrow(ofStatement)
    expect(() => db.update(users).set({ age: 1n }).statementHint(hints)).toThrow(ofStatement)
    expect(() => db.delete(users).statementHint(hints)).toThrow(ofStatement)
    expect(() => db.insert(users).values({ id: 9n, name: 'x' }).statementHint(hints)).toThrow(ofStatement)
  })

  test('hint() rejects a join hint and lists the table hints, and suggests a name for a typo', () => {
    const query = db.select().from(users)
    expect(() => query.hint({ joinMethod: 'HASH_JOIN' } as object)).toThrow(
      'There is no table hint "joinMethod". It is a join hint. Use one of forceIndex, groupbyScanOptimization',
    )
    expect(() => query.hint({ forceIdnex: 'UsersByName' } as object)).toThrow('Did you mean forceIndex?')
  })

  test.each([
    [{ forceIndex: injected }],
    [{ forceIndex: 'UsersByName`} where true --' }],
    [{ forceIndex: 'UsersByName} -- ' }],
    [{ forceIndex: ['UsersByName'] }],
    [{ groupbyScanOptimization: 'TRUE, x=1' }],
    [{ groupbyScanOptimization: 1 }],
    [{ scanMethod: 'row' }],
    [{ scanMethod: 'ROW_BY_ROW' }],
    [{ seekableKeySize: 17 }],
    [{ seekableKeySize: '1' }],
    [{ seekableKeySize: 1.5 }],
  ])('hint() rejects the invalid value in %j', (hints) => {
    expect(() =>
      db
        .select()
        .from(users)
        .hint(hints as never),
    ).toThrow(expect.objectContaining({ name: 'IsothermError' }))
  })

  test('hint() writes valid hints into the statement, and keeps the condition of the query', async () => {
    const rows = await runs(
      db
        .select({ id: users.id })
        .from(users)
        .hint({ forceIndex: 'UsersByName', groupbyScanOptimization: false })
        .where(eq(users.name, 'Ada')),
      'select `Users`.`id` from `Users`@{FORCE_INDEX=`UsersByName`, GROUPBY_SCAN_OPTIMIZATION=FALSE} where `Users`.`name` = @p1',
      ['Ada'],
    )
    expect(rows).toEqual([{ id: 1n }])
  })

  test('groupHint() is rejected in a query without GROUP BY', () => {
    expect(() => db.select().from(users).groupHint({ groupMethod: 'HASH_GROUP' }).toSQL()).toThrow(
      'The query has a groupHint and makes no groups.',
    )
  })

  test("for('update') compiles to FOR UPDATE, and for('share') is rejected", () => {
    // The emulator does not support FOR UPDATE. Spanner does, see the documentation of the FOR UPDATE clause.
    expect(db.select({ id: users.id }).from(users).limit(1).for('update').toSQL().sql).toBe(
      'select `Users`.`id` from `Users` limit @p1 for update',
    )
    expect(() =>
      db
        .select()
        .from(users)
        .for('share' as 'update'),
    ).toThrow("Use for('update')")
  })
})

describe('the option casing', () => {
  test('converts property names to snake-case column names in INSERT, UPDATE and SELECT', async () => {
    const make = await shop([
      'CREATE TABLE People (person_id INT64 NOT NULL, full_name STRING(MAX)) PRIMARY KEY (person_id)',
    ])
    const people = spannerTable('People', { personId: int64().primaryKey(), fullName: string() })
    const cased = make('snake_case')
    await runs(
      cased.insert(people).values({ personId: 1n, fullName: 'Ada' }),
      'insert into `People` (`person_id`, `full_name`) values (@p1, @p2)',
      ['1', 'Ada'],
    )
    await runs(
      cased.update(people).set({ fullName: 'Bob' }).where(eq(people.personId, 1n)),
      'update `People` set `full_name` = @p1 where `People`.`person_id` = @p2',
      ['Bob', '1'],
    )
    expect(
      await runs(
        cased.select({ name: people.fullName }).from(people),
        'select `People`.`full_name` from `People`',
      ),
    ).toEqual([{ name: 'Bob' }])
  })
})

describe('tables and operators of other databases', () => {
  test('pg-core tables are rejected by every kind of statement, with the name of the table', () => {
    const others = pgTable('others', { id: bigint({ mode: 'bigint' }).primaryKey() })
    const view = pgView('seen').as((qb) => qb.select().from(others))
    const same = eq(users.id, others.id)
    const statements: (() => unknown)[] = [
      () => db.select().from(others),
      () => db.select().from(alias(others as never, 'o')),
      () => db.select().from(users).leftJoin(others, same),
      () => db.$count(others),
      () => db.insert(others as never).values({ id: 1n } as never),
      () => db.update(others as never).set({ id: 1n } as never),
      () => db.delete(others as never),
      () => db.with().delete(others as never),
    ]
    for (const build of statements) {
      expect(build).toThrow(
        /^(?:others|o) is not a spannerTable, and the database is a GoogleSQL one\. Declare it/,
      )
    }
    expect(() => db.select().from(view)).toThrow('seen is not a spannerView')
    const related = adapter.mock({ schema: { others } }).query.others.findMany()
    expect(() => related.toSQL()).toThrow('others is not a spannerTable')
  })

  test('ilike and arrayContains of drizzle-orm and DISTINCT ON are rejected by name', () => {
    expect(() => db.select().from(users).where(drizzle.ilike(users.name, 'a')).toSQL()).toThrow(
      "GoogleSQL has no ILIKE. Import ilike from '@isotherm/drizzle-adapter'",
    )
    expect(() => db.select().from(users).where(drizzle.arrayContains(users.name, 'a')).toSQL()).toThrow(
      'arrayContains',
    )
    expect(() => db.selectDistinctOn(undefined as never)).toThrow('DISTINCT ON')
  })
})

describe('db.$count()', () => {
  test('counts the rows of a table, of a condition and of a query', async () => {
    expect(await db.$count(users)).toBe(3)
    expect(await db.$count(users, isNull(users.managerId))).toBe(1)
    expect(await db.$count(db.select().from(users).where(gt(users.age, 40n)))).toBe(2)
  })

  test('counts related rows as a field of a select', async () => {
    const rows = await runs(
      db
        .select({ name: users.name, pets: db.$count(pets, eq(pets.ownerId, users.id)) })
        .from(users)
        .orderBy(users.id),
      'select `Users`.`name`, (select count(*) from `Pets` where `Pets`.`ownerId` = `Users`.`id`) from `Users` order by `Users`.`id`',
    )
    expect(rows).toEqual([
      { name: 'Ada', pets: 0 },
      { name: 'Grace', pets: 2 },
      { name: 'Alan', pets: 0 },
    ])
  })
})

describe('an invalid number of rows', () => {
  test.each([['1'], ['1 --'], [-1], [1.5], [NaN], [null], [['1']]])(
    'limit() and offset() throw INVALID_VALUE for %j',
    (input) => {
      const rows = input as never
      const refused = expect.objectContaining({ code: 'INVALID_VALUE' }) as Error
      expect(() => db.select().from(users).limit(rows)).toThrow(refused)
      expect(() => db.select().from(users).offset(rows)).toThrow(refused)
    },
  )
})
