import { compileDdl, openDatabase } from '@isotherm/core'
import { bitReverse, hashOf, shardOf } from '@isotherm/core/keys'
import { googlesql, spanner } from '@isotherm/spanner'
import {
  bitReversedId,
  descTimestamp,
  drizzle,
  hashKey,
  int64,
  interleaveIn,
  suppress,
  parentKey,
  shardKey,
  spannerTable,
  string,
  timestamp,
  toSchema,
  uuid,
  uuidV4,
  type SpannerDatabase,
} from '@isotherm/drizzle-adapter'
import { eq, sql } from 'drizzle-orm'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { precise } from '@isotherm/testing/data/precise'
import { sharedEmulator } from '../support/spanner.js'

const client = { computedBy: 'client' } as const
const UUID_V4 = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/
const UUID_V7 = '018f3b6c-7a10-7abc-8def-0123456789ab'

const visits = spannerTable('Visit', {
  shard: shardKey({ shards: 8, of: ['userId', 'day'], ...client }),
  at: descTimestamp({ default: 'now' }),
  userId: int64({ mode: 'number' }).primaryKey(),
  day: timestamp({ mode: 'string' }).immutable(),
  page: string(),
})

/** The database computes its shard. */
const logs = spannerTable('Log', {
  shard: shardKey({ shards: 4, of: ['source'] }),
  source: string({ length: 50 }).primaryKey(),
  id: uuidV4(),
  made: timestamp().commitTimestamp(),
})

const documents = spannerTable('Document', {
  hash: hashKey({ of: ['path'], ...client }),
  path: string({ length: 200 })
    .primaryKey()
    .$default(() => '/made'),
  note: string(),
})

const rounds = spannerTable('Round', {
  shard: shardKey({ shards: 3, strategy: 'round-robin' }),
  id: uuidV4({ storage: 'bytes' }),
})

const randoms = spannerTable('Random', {
  shard: shardKey({ shards: 3, strategy: 'random' }),
  id: uuidV4(),
  note: string(),
})

const people = spannerTable('Person', { id: uuid().primaryKey(), name: string() })

let next = 0n
const taken: number[] = []
const tickets = spannerTable('Ticket', {
  id: bitReversedId({
    from: {
      next: () => ++next,
      take: async (count: number) => {
        taken.push(count)
        return Array.from({ length: count }, () => ++next)
      },
    },
  }),
  title: string(),
})

const notes = spannerTable(
  'TicketNote',
  { id: parentKey(tickets.id), noteId: uuidV4(), text: string() },
  () => [interleaveIn(tickets)],
)

const counted = spannerTable(
  'Counted',
  { id: int64().primaryKey(), at: timestamp().commitTimestamp().notNull() },
  () => [suppress({ rule: 'monotonic-first-key', reason: 'A test.' })],
)

const tables = [visits, logs, documents, rounds, randoms, people, tickets, notes, counted]
let db: SpannerDatabase
let core: ReturnType<typeof openDatabase>

beforeAll(async () => {
  const schema = toSchema(tables)
  const emulator = await sharedEmulator()
  const database = await emulator.database({
    dialect: googlesql,
    ddl: compileDdl(schema, { dialect: googlesql }),
  })
  db = drizzle(database)
  core = openDatabase({ driver: spanner(database), schema })
})

beforeEach(async () => {
  for (const table of tables.toReversed()) await db.delete(table)
})

describe('an insert without values for generated key columns', () => {
  test('computes the shard from a timestamp in string mode, and sets the current time, in the client', async () => {
    const day = '2026-08-01T00:00:00.000000001Z'
    const insert = db.insert(visits).values([{ userId: 7, day }, { userId: 8 }])
    expect(insert.toSQL().sql).toBe(
      'insert into `Visit` (`shard`, `at`, `userId`, `day`) values (@p1, @p2, @p3, @p4), (@p5, @p6, @p7, default)',
    )
    const before = Date.now()
    const [first, second] = await insert.returning()
    const after = Date.now()
    expect(first).toMatchObject({ userId: 7, day, page: null })
    expect(first!.at.getTime()).toBeGreaterThanOrEqual(before)
    expect(first!.at.getTime()).toBeLessThanOrEqual(after)
    expect(first!.shard).toBe(BigInt(shardOf([7n, precise(day)], 8)))
    expect(second!.shard).toBe(BigInt(shardOf([8n, null], 8)))
    // Isotherm's own reads find the row in its shard.
    expect(await core.get('Visit', { at: first!.at, userId: 7n, day: precise(day) })).toMatchObject({
      shard: first!.shard,
    })
  })

  test('omits a shard that the database computes, even when the row has a value for the shard, and writes the commit timestamp', async () => {
    const insert = db.insert(logs).values({ source: 'a', shard: BigInt(shardOf('a', 4)) })
    expect(insert.toSQL().sql).toBe(
      'insert into `Log` (`source`, `id`, `made`) values (@p1, @p2, PENDING_COMMIT_TIMESTAMP())',
    )
    const before = Date.now()
    expect(await insert.returning({ id: logs.id, shard: logs.shard })).toEqual([
      { id: expect.stringMatching(UUID_V4), shard: BigInt(shardOf('a', 4)) },
    ])
    const after = Date.now()
    const [row] = await db.select().from(logs)
    expect(row!.made!.getTime()).toBeGreaterThanOrEqual(before)
    expect(row!.made!.getTime()).toBeLessThanOrEqual(after)
  })

  test('computes the hash key from the value that $default returns', async () => {
    const [made] = await db.insert(documents).values({ note: 'x' }).returning()
    expect(made).toEqual({ hash: hashOf(['/made'], 'farm-fingerprint'), path: '/made', note: 'x' })
  })

  test('assigns shards in turn with round-robin, and at random with random', async () => {
    const given = Array.from({ length: 6 }, () => ({ id: crypto.randomUUID() }))
    const rows = await db.insert(rounds).values(given).returning()
    expect(rows.map(({ id }) => ({ id }))).toEqual(given)
    const [first] = rows
    expect(rows.map(({ shard }) => shard)).toEqual(given.map((_, at) => (first!.shard + BigInt(at)) % 3n))
    const many = await db
      .insert(randoms)
      .values(Array.from({ length: 60 }, () => ({})))
      .returning()
    expect(new Set(many.map(({ shard }) => shard))).toEqual(new Set([0n, 1n, 2n]))
  })

  test('takes the ids of all rows from the application’s counter in one call', async () => {
    next = 0n
    taken.length = 0
    const insert = db.insert(tickets).values([{ title: 'a' }, { id: 5n, title: 'b' }, { title: 'c' }])
    expect(insert.toSQL()).toMatchObject({
      sql: expect.stringContaining('(`id`, `title`) values (@p1, @p2)'),
    })
    expect(taken).toEqual([])
    expect(await insert.returning({ id: tickets.id })).toEqual([
      { id: bitReverse(1n) },
      { id: 5n },
      { id: bitReverse(2n) },
    ])
    expect(taken).toEqual([2])
    const results = await db.batch([
      db.insert(tickets).values({ title: 'd' }),
      db.insert(tickets).values({ title: 'e' }).prepare(),
      db.insert(notes).values({ id: 5n, text: 'child' }).returning(),
    ])
    expect(results[2]).toEqual([{ id: 5n, noteId: expect.stringMatching(UUID_V4), text: 'child' }])
    expect(await db.$count(tickets)).toBe(5)
  })

  test('writes the same commit timestamp to 600 rows', async () => {
    await db.insert(counted).values(Array.from({ length: 600 }, (_, at) => ({ id: BigInt(at) })))
    const [only, ...others] = await db.selectDistinct({ at: counted.at }).from(counted)
    expect(others).toEqual([])
    expect(only!.at).toBeInstanceOf(Date)
  })
})

describe('a prepared insert with generated key columns', () => {
  test('computes the shard and takes an id from the counter again for each execution', async () => {
    const insert = db
      .insert(visits)
      .values({ userId: sql.placeholder('user'), page: 'x' })
      .returning({ shard: visits.shard, at: visits.at })
      .prepare()
    expect(insert.getQuery().sql).toContain('(`shard`, `at`, `userId`, `page`) values (@p1, @p2, @p3, @p4)')
    for (const user of [1, 2, 3]) {
      const [row] = await insert.execute({ user })
      expect(row!.shard).toBe(BigInt(shardOf([BigInt(user), null], 8)))
    }
    expect(await db.$count(visits)).toBe(3)
    await expect(insert.execute({})).rejects.toThrow(/user/)
    const ticket = db
      .insert(tickets)
      .values({ title: sql.placeholder('title') })
      .prepare()
    await ticket.execute({ title: 'a' })
    await ticket.execute({ title: 'b' })
    expect(await db.$count(tickets)).toBe(2)
  })
})

describe('tx.mutate() with generated key columns', () => {
  test('computes shards, hashes, UUIDs and commit timestamps as an insert does', async () => {
    await db.transaction(async (tx) => {
      tx.mutate(visits).insert({ userId: 9, page: 'm' })
      tx.mutate(logs).insert([{ source: 'm', shard: BigInt(shardOf('m', 4)) }])
      tx.mutate(documents).upsert({ path: '/m' })
    })
    const [visit] = await db.select().from(visits)
    expect(visit!.shard).toBe(BigInt(shardOf([9n, null], 8)))
    const [log] = await db.select().from(logs)
    expect(log).toMatchObject({ source: 'm', id: expect.stringMatching(UUID_V4), made: expect.any(Date) })
    const [document] = await db.select().from(documents)
    expect(document!.hash).toBe(hashOf(['/m'], 'farm-fingerprint'))
  })

  test('rejects an insert whose key comes from the application’s counter', async () => {
    await expect(db.transaction(async (tx) => tx.mutate(tickets).insert({ title: 'x' }))).rejects.toThrow(
      'Ticket has a key from a counter of the application',
    )
  })
})

describe('an insert with invalid or computed key values', () => {
  const refused: readonly (readonly [string, () => PromiseLike<unknown>, string])[] = [
    [
      'a UUID v7 as the first key part',
      () => db.insert(people).values({ id: UUID_V7 }),
      `Person.id takes a UUID v4, not the v7 ${UUID_V7}.`,
    ],
    [
      'a shard that differs from the hash of its columns',
      () => db.insert(logs).values({ source: 'a', shard: BigInt((shardOf('a', 4) + 1) % 4) }),
      `but reads would look in ${shardOf('a', 4)}.`,
    ],
    [
      'a shard outside the shard count',
      () => db.insert(randoms).values({ shard: 3n }),
      'but reads would look in 0 to 2.',
    ],
    [
      'an SQL expression for a column that the client hashes',
      () => db.insert(visits).values({ userId: sql`1 + 1` }),
      'Visit.userId is an expression, but the key is computed by the client before the database evaluates it.',
    ],
    [
      'an SQL expression for a shard',
      () => db.insert(randoms).values({ shard: sql`2` }),
      'Random.shard is an expression',
    ],
    [
      'orUpdate() on a table whose key hashes a column outside the key',
      async () => db.insert(visits).values({ userId: 1 }).orUpdate(),
      'Visit cannot be upserted: its key hashes day, which is not a part of it.',
    ],
    [
      'rows of a query for a table whose hash the client computes',
      async () =>
        db.insert(documents).select(db.select({ path: sql<string>`${people.name}`.as('path') }).from(people)),
      'Document.hash is computed by the client for each row, but these rows come from a query in the database.',
    ],
  ]
  test.each(refused)('rejects %s', async (_, work, message) => {
    await expect((async () => work())()).rejects.toThrow(message)
  })

  test('accepts an SQL expression for a column that the database hashes', async () => {
    await db.insert(logs).values({ source: sql`concat('a', 'b')` })
    expect(await db.select({ shard: logs.shard }).from(logs).where(eq(logs.source, 'ab'))).toEqual([
      { shard: BigInt(shardOf('ab', 4)) },
    ])
  })
})
