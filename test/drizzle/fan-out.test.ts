import type { Telemetry } from '@isotherm/core'
import { shardOf } from '@isotherm/core/keys'
import { fanOut } from '@isotherm/drizzle-adapter'
import type { SpannerPgDatabase } from '@isotherm/drizzle-adapter/postgresql'
import {
  type SQL,
  and,
  asc,
  desc,
  eq,
  gte,
  inArray,
  isNotNull,
  isNull,
  like,
  ne,
  not,
  notInArray,
  or,
  sql,
} from 'drizzle-orm'
import { QueryBuilder } from 'drizzle-orm/pg-core'
import { beforeAll, describe, expect, expectTypeOf, test } from 'vitest'
import { dialects } from '../support/spanner.js'
import { accessLog, pgTables, time, type AccessLog } from './support/access-log.js'

const newest = Array.from({ length: 40 }, (_, at) => 39 - at)

describe.each(dialects)('fanOut() in $name', (dialect) => {
  let log: AccessLog
  let db: AccessLog['db']
  let events: AccessLog['events']
  let users: AccessLog['users']

  beforeAll(async () => {
    log = await accessLog(dialect)
    ;({ db, events, users } = log)
  })

  test('returns the rows of the select, with the same nested fields and types', async () => {
    const select = db.select().from(events).orderBy(desc(events.at)).limit(3)
    const rows = await fanOut(select)
    expect(rows).toEqual(await select)
    expectTypeOf(rows).toEqualTypeOf<(typeof events.$inferSelect)[]>()
    const nested = db
      .select({
        who: { id: events.userId, day: events.day },
        page: events.page,
        price: events.price,
        data: events.data,
      })
      .from(events)
      .where(gte(events.at, time(38)))
      .orderBy(asc(events.at))
    expect(await fanOut(nested)).toEqual(await nested)
    expect(await fanOut(nested)).toHaveLength(2)
  })

  test('treats NULL and empty lists in conditions as the plain select does', async () => {
    const { page } = events
    const rows: readonly (readonly [SQL | undefined, number])[] = [
      [eq(page, '/docs/0'), 1],
      [ne(page, '/docs/0'), 19],
      [not(ne(page, '/docs/0')), 1],
      [notInArray(page, ['/docs/0']), 19],
      [isNull(page), 20],
      [isNotNull(page), 20],
      [inArray(page, []), 0],
      [not(inArray(page, [])), 40],
      [notInArray(page, []), 40],
      [not(notInArray(page, [])), 0],
      [and(inArray(page, []), isNull(page)), 0],
      [or(notInArray(page, []), eq(page, '/docs/0')), 40],
    ]
    for (const [condition, count] of rows) {
      const select = db.select().from(events).where(condition).orderBy(events.at)
      const found = await select
      expect(found).toHaveLength(count)
      expect(await fanOut(select)).toEqual(found)
      expect(await db.$count(events, condition)).toBe(count)
    }
    const listed = sql.placeholder('pages')
    const among = db.select({ page }).from(events).where(inArray(page, listed)).prepare('among')
    const others = db.select({ page }).from(events).where(notInArray(page, listed)).prepare('others')
    expect(await among.execute({ pages: [] })).toHaveLength(0)
    expect(await others.execute({ pages: [] })).toHaveLength(40)
    expect(await others.execute({ pages: ['/docs/0'] })).toHaveLength(19)
  })

  test('sends a span only to the telemetry of the database that runs the fan-out', async () => {
    const spans: string[] = []
    const telemetry: Telemetry = {
      startSpan(name) {
        spans.push(name)
        return { isRecording: false, run: (work) => work(), addEvent() {}, fail() {}, end() {} }
      },
      addEvent() {},
      record() {},
    }
    const traced = await accessLog(dialect, { telemetry })
    await fanOut(traced.db.select().from(traced.events).orderBy(desc(traced.events.at)).limit(3))
    expect(spans).toEqual(['fan_out AccessLog'])
    await fanOut(db.select().from(events).orderBy(desc(events.at)).limit(3))
    expect(spans).toHaveLength(1)
  })

  test('returns pages in order by their cursors, and rejects the cursor of another query', async () => {
    const query = fanOut(db.select({ at: events.at }).from(events).orderBy(desc(events.at)).limit(15))
    const found: Date[] = []
    const sizes: number[] = []
    let next: string | undefined
    do {
      const page = await query.after(next).page()
      sizes.push(page.rows.length)
      found.push(...page.rows.map((row) => row.at))
      next = page.next
    } while (next !== undefined)
    expect(sizes).toEqual([15, 15, 10])
    expect(found.map((each) => each.getTime())).toEqual(newest.map((at) => time(at).getTime()))
    const another = fanOut(db.select().from(events).orderBy(events.at))
    const { next: cursor } = await query.page()
    await expect(another.after(cursor).page()).rejects.toThrow('belongs to another query')
  })

  test('returns rows in order until the reader leaves the loop over them', async () => {
    const found: number[] = []
    for await (const { userId } of fanOut(db.select().from(events).orderBy(desc(events.at)))) {
      found.push(userId)
      if (found.length === 12) break
    }
    expect(found).toEqual(newest.slice(0, 12).map((at) => at % 10))
  })

  test('reads only the shards of the hashed values in a condition, also through an alias', async () => {
    const e = log.alias(events, 'e')
    const query = fanOut(
      db
        .select({ page: e.page })
        .from(e)
        .where(and(inArray(e.userId, [3, 4]), like(e.page, '/docs/%'))),
    )
    const plan = query.explain()
    expect(plan.shards).toEqual({
      read: [...new Set([shardOf(3n, 8), shardOf(4n, 8)])].toSorted((a, b) => a - b),
      of: 8,
    })
    expect(String(plan)).toContain('AccessLog')
    expect(new Set((await query).map(({ page }) => page))).toEqual(
      new Set(['/docs/4', '/docs/14', '/docs/24', '/docs/34']),
    )
    expect(await query.count()).toBe(4)
  })

  test('reads a table without shards in a named schema with casing snake_case', async () => {
    const { cased } = log
    await cased.insert(users).values(['Ada', 'Grace', 'Alan'].map((fullName) => ({ fullName })))
    const query = fanOut(
      cased
        .select({ name: users.fullName })
        .from(users)
        .where(like(users.fullName, 'A%'))
        .orderBy(users.fullName),
    )
    expect(await query).toEqual([{ name: 'Ada' }, { name: 'Alan' }])
  })

  test('applies index, strategy and signal, and the options at and outsideTransaction of the database', async () => {
    const before = new Date(Date.now() - 60_000)
    const select = db.select().from(events)
    expect(fanOut(select, { index: 'EventsByPage' }).explain().index).toBe('EventsByPage')
    expect(fanOut(select, { strategy: 'read-ranges' }).explain().strategy).toBe('read-ranges')
    const signal = AbortSignal.abort(new Error('enough'))
    await expect(fanOut(select, { signal })).rejects.toMatchObject({ code: 'CANCELLED' })
    const stale = db.$withOptions({ at: { readTimestamp: before } })
    // The table did not exist at that time.
    await expect(fanOut(stale.select().from(events))).rejects.toThrow('AccessLog')
    const outside = db.$withOptions({ outsideTransaction: true }).select().from(events)
    expect(await fanOut(outside).count()).toBe(await fanOut(select).count())
  })

  test('reads at the timestamp of a read-only transaction, and rejects the option at', async () => {
    await db.transaction(
      async (tx) => {
        const query = fanOut(tx.select().from(events).where(eq(events.userId, 99)))
        expect(await query).toEqual([])
        await db.insert(events).values({ at: time(99), userId: 99 })
        expect(await query).toEqual([])
        expect(await query.count()).toBe(0)
        expect(await fanOut(db.select().from(events).where(eq(events.userId, 99)))).toHaveLength(1)
        expect(() => fanOut(tx.select().from(events), { at: 'strong' })).toThrow(
          'reads everything at one timestamp',
        )
      },
      { accessMode: 'read only' },
    )
    await db.delete(events).where(eq(events.userId, 99))
  })

  describe('fanOut() of an unsupported select', () => {
    const refused: readonly (readonly [string, () => unknown, string])[] = [
      [
        'a join',
        () =>
          db
            .select()
            .from(events)
            .innerJoin(users, sql`true`),
        'A fan-out cannot have a join.',
      ],
      [
        'a HAVING clause',
        () =>
          db
            .select({ page: events.page })
            .from(events)
            .having(sql`true`),
        'cannot have a having',
      ],
      ['distinct rows', () => db.selectDistinct().from(events), 'cannot have distinct rows'],
      [
        'a union',
        () => db.select().from(events).union(db.select().from(events)),
        'cannot have a set operation',
      ],
      ['an offset', () => db.select().from(events).limit(1).offset(1), 'cannot have an offset'],
      ['a lock', () => db.select().from(events).for('update'), 'cannot have a lock'],
      [
        'a field that is an expression',
        () => db.select({ n: sql`lower(${events.page})` }).from(events),
        'the field n, which is neither a column nor an aggregate that it knows',
      ],
      [
        'a subquery in FROM',
        () => db.select().from(db.select().from(events).as('inner')),
        'cannot have a subquery, a view or SQL',
      ],
      [
        'a common table expression',
        () => {
          const some = db.$with('some').as(db.select().from(events))
          return db.with(some).select().from(events)
        },
        'cannot have a common table expression',
      ],
      [
        'a placeholder as the limit',
        () => db.select().from(events).limit(sql.placeholder('n')),
        'a placeholder as its limit',
      ],
      ['an argument that is not a select', () => Promise.resolve([]), 'fanOut takes a select of a database.'],
      [
        'an order by a column of another table',
        () => db.select().from(events).orderBy(users.fullName),
        'has no column User.fullName',
      ],
    ]
    // Features of the builders of one dialect.
    const own: typeof refused =
      dialect.name === 'googlesql'
        ? [
            [
              'a hint',
              () => db.select().from(events).hint({ forceIndex: 'EventsByPage' }),
              'cannot have a hint',
            ],
          ]
        : [
            [
              'DISTINCT ON',
              () =>
                (db as unknown as SpannerPgDatabase)
                  .selectDistinctOn([pgTables.events.page])
                  .from(pgTables.events),
              'cannot have distinct rows',
            ],
            [
              'a select without a database',
              () => new QueryBuilder().select().from(pgTables.events),
              'fanOut takes a select of a database.',
            ],
          ]
    test.each([...refused, ...own])('rejects %s', (_, select, message) => {
      expect(() => fanOut(select() as never)).toThrow(message)
    })

    test('rejects a select of a read-write transaction', async () => {
      await db.transaction(async (tx) => {
        expect(() => fanOut(tx.select().from(events))).toThrow(
          'A fan-out cannot be part of a read-write transaction.',
        )
      })
    })
  })
})
