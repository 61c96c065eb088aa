import { shardOf } from '@isotherm/core/keys'
import type { Statement } from '@isotherm/core/adapter'
import { drizzle, fanOut } from '@isotherm/drizzle-adapter'
import { drizzle as pgDrizzle } from '@isotherm/drizzle-adapter/postgresql'
import { spanner } from '@isotherm/spanner'
import {
  and,
  asc,
  avg,
  count,
  countDistinct,
  desc,
  eq,
  gt,
  gte,
  inArray,
  isNotNull,
  isNull,
  lt,
  max,
  min,
  ne,
  sql,
  sum,
} from 'drizzle-orm'
import { beforeAll, describe, expect, expectTypeOf, test } from 'vitest'
import { dialects } from '../support/spanner.js'
import { accessLog, time, type AccessLog } from './support/access-log.js'

/** PostgreSQL keeps trailing zeros after the decimal point; Isotherm has one text for each number. */
function withoutZeros(value: unknown): unknown {
  if (typeof value === 'string' && /^-?\d+\.\d+$/.test(value)) return value.replace(/\.?0+$/, '')
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withoutZeros(each)]))
}

describe.each(dialects)('fanOut() with aggregates in $name', (dialect) => {
  let db: AccessLog['db']
  let events: AccessLog['events']
  let log: AccessLog

  beforeAll(async () => {
    log = await accessLog(dialect)
    ;({ db, events } = log)
  })

  const cases: readonly (readonly [string, () => PromiseLike<unknown[]>])[] = [
    ['a count of all rows', () => db.select({ n: count() }).from(events)],
    ['a count of a key column', () => db.select({ n: count(events.userId) }).from(events)],
    [
      'several aggregates with a condition',
      () =>
        db
          .select({
            n: count(),
            users: { sum: sum(events.userId), least: min(events.userId), most: max(events.userId) },
            first: min(events.at),
            last: max(events.at),
            day: max(events.day),
            page: min(events.page),
            price: sum(events.price),
            mean: avg(events.price),
          })
          .from(events)
          .where(gte(events.at, time(4))),
    ],
    [
      'aggregates in SQL, with and without a decoder',
      () =>
        db
          .select({
            n: sql`count(*)`,
            total: sum(events.userId).mapWith(Number),
            raw: sql`sum(${events.userId})`,
            most: sql`max(${events.userId})`,
            named: sql<number>`min(${events.userId})`.mapWith(events.userId).as('named'),
          })
          .from(events),
    ],
    [
      'aggregates of zero rows',
      () =>
        db
          .select({ n: count(), total: sum(events.userId), mean: avg(events.price), last: max(events.at) })
          .from(events)
          .where(eq(events.userId, 77)),
    ],
    [
      'a condition that excludes every shard',
      () =>
        db
          .select({ n: count(), last: max(events.at) })
          .from(events)
          .where(and(eq(events.userId, 1), eq(events.userId, 2))),
    ],
    [
      'groups with an order and a limit',
      () =>
        db
          .select({ user: events.userId, n: count(), last: max(events.at) })
          .from(events)
          .where(ne(events.userId, 3))
          .groupBy(events.userId)
          .orderBy(desc(events.userId))
          .limit(4),
    ],
    [
      'groups by two columns with NULL values, one of them not selected',
      () =>
        db
          .select({ day: events.day, n: count() })
          .from(events)
          .where(lt(events.at, time(6)))
          .groupBy(events.page, events.day)
          .orderBy(asc(events.day), asc(events.page)),
    ],
    [
      'groups in the order of an aggregate that is not selected',
      () =>
        db
          .select({ user: events.userId, price: sum(events.price) })
          .from(events)
          .groupBy(events.userId)
          .orderBy(desc(max(events.at)), events.userId)
          .limit(3),
    ],
    [
      'groups in the order of an aggregate with an alias',
      () => {
        const last = max(events.at).as('last')
        return db
          .select({ user: events.userId, last })
          .from(events)
          .groupBy(events.userId)
          .orderBy(asc(last))
          .limit(3)
      },
    ],
    [
      'groups without an aggregate',
      () => db.select({ page: events.page }).from(events).groupBy(events.page).orderBy(events.page),
    ],
    [
      'groups of a table alias',
      () => {
        const e = log.alias(events, 'e')
        return db
          .select({ user: e.userId, n: count() })
          .from(e)
          .where(and(gt(e.userId, 4), isNull(e.page)))
          .groupBy(e.userId)
          .orderBy(e.userId)
      },
    ],
  ]
  const average: (typeof cases)[number] = [
    'an average of integers',
    () => db.select({ user: avg(events.userId) }).from(events),
  ]
  // An average of integers has another type in PostgreSQL, with more digits.
  const own = dialect.name === 'googlesql' ? [average] : []
  test.each([...cases, ...own])('returns the same rows as the plain select for %s', async (_, select) => {
    const wanted = (await select()).map(withoutZeros)
    expect(wanted.length).toBeGreaterThan(0)
    expect(await fanOut(select() as never)).toEqual(wanted)
  })

  /** The same database, and the statements of its fan-outs. */
  function recorded() {
    const statements: Statement[] = []
    const driver = spanner((db as unknown as { readonly $client: Parameters<typeof spanner>[0] }).$client, {
      dialect,
    })
    const query: typeof driver.query = (statement, ...rest) => {
      statements.push(statement)
      return driver.query(statement, ...rest)
    }
    const open = (dialect.name === 'googlesql' ? drizzle : pgDrizzle) as typeof drizzle
    return { db: open({ ...driver, query }), statements }
  }

  test('returns rows with the types of the select, by await and by iteration, from the shards that can match', async () => {
    const { db: recording, statements } = recorded()
    const select = recording
      .select({ user: events.userId, n: count(), total: sum(events.price) })
      .from(events)
      .where(inArray(events.userId, [3, 4]))
      .groupBy(events.userId)
      .orderBy(events.userId)
    const query = fanOut(select)
    const rows = await query
    expectTypeOf(rows).toEqualTypeOf<{ user: number; n: number; total: string | null }[]>()
    expect(rows).toEqual([
      { user: 3, n: 4, total: '18' },
      { user: 4, n: 4, total: '19' },
    ])
    const found: number[] = []
    for await (const { user } of query) found.push(user)
    expect(found).toEqual([3, 4])
    const condition =
      dialect.name === 'googlesql' ? 'WHERE `shard` IN UNNEST(@p1) AND' : 'WHERE "shard" = ANY($1) AND'
    const shards = [3n, 4n].map((user) => String(shardOf(user, 8))).toSorted()
    const read = {
      text: expect.stringContaining(condition),
      parameters: [
        expect.objectContaining({ value: shards }),
        expect.objectContaining({ value: ['3', '4'] }),
      ],
    }
    expect(statements).toEqual([read, read])
  })

  test('reads at the timestamp of a read-only transaction', async () => {
    await db.transaction(
      async (tx) => {
        const query = fanOut(tx.select({ n: count() }).from(events).where(eq(events.userId, 88)))
        expect(await query).toEqual([{ n: 0 }])
        await db.insert(events).values({ at: time(88), userId: 88 })
        expect(await query).toEqual([{ n: 0 }])
      },
      { accessMode: 'read only' },
    )
    await db.delete(events).where(eq(events.userId, 88))
  })

  const refused: readonly (readonly [string, () => PromiseLike<unknown[]>, string])[] = [
    [
      'a selected column that is not in GROUP BY',
      () => db.select({ page: events.page, n: count() }).from(events),
      'the field page page, which it is not grouped by',
    ],
    [
      'an order by a column that is not in GROUP BY',
      () => db.select({ n: count() }).from(events).groupBy(events.userId).orderBy(events.page),
      'an order by page, which it is not grouped by',
    ],
    [
      'a GROUP BY of an expression',
      () =>
        db
          .select({ n: count() })
          .from(events)
          .groupBy(sql`lower(${events.page})`),
      'a group by an expression',
    ],
    [
      'a HAVING clause',
      () => db.select({ n: count() }).from(events).groupBy(events.page).having(gt(count(), 1)),
      'cannot have a having',
    ],
    [
      'a distinct count per group',
      () =>
        db
          .select({ n: countDistinct(events.page) })
          .from(events)
          .groupBy(events.userId),
      'the field n, which is not an aggregate that it knows',
    ],
    [
      'a distinct count of all rows',
      () => db.select({ n: countDistinct(events.page) }).from(events),
      'the field n, which is neither a column nor an aggregate that it knows',
    ],
    [
      'a sum of an expression',
      () => db.select({ n: count(), m: sum(sql`${events.userId} + 1`) }).from(events),
      'the field m, which is not an aggregate that it knows',
    ],
    [
      'a count of a nullable column',
      () => db.select({ n: count(events.page) }).from(events),
      'count(page), of a column that may be NULL',
    ],
    ['a sum of a text column', () => db.select({ n: sum(events.page) }).from(events), 'cannot sum page'],
    [
      'a GROUP BY of a JSON column',
      () => db.select({ n: count() }).from(events).groupBy(events.data),
      'cannot be grouped by data',
    ],
  ]
  const others: typeof refused =
    dialect.name === 'googlesql' ? [] : [[...average, 'avg(userId), an average of integers']]
  test.each([...refused, ...others])('rejects %s', (_, select, message) => {
    expect(() => fanOut(select() as never)).toThrow(message)
  })

  test('rejects the option index, page(), after(), count() and explain()', async () => {
    const select = db.select({ n: count() }).from(events).where(isNotNull(events.page))
    expect(() => fanOut(select, { index: 'EventsByPage' })).toThrow('does not take the option index')
    const query = fanOut(select)
    await expect(query.page()).rejects.toThrow('A fan-out of aggregates has no pages.')
    expect(() => query.after('x')).toThrow('has no pages')
    await expect(query.count()).rejects.toThrow('is not counted')
    expect(() => query.explain()).toThrow('has no plan')
  })
})
