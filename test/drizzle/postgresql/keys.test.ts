import { compileDdl, openDatabase } from '@isotherm/core'
import { bitReverse, hashOf, shardOf } from '@isotherm/core/keys'
import { spanner, spannerPostgresql } from '@isotherm/spanner'
import {
  bitReversedId,
  commitTimestamp,
  descTimestamp,
  drizzle,
  hashKey,
  immutable,
  interleaveIn,
  parentKey,
  pendingCommitTimestamp,
  shardKey,
  toSchema,
  uuidV4,
  type SpannerPgDatabase,
} from '@isotherm/drizzle-adapter/postgresql'
import { eq, sql } from 'drizzle-orm'
import {
  bigint,
  integer,
  numeric,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uuid,
  varchar,
} from 'drizzle-orm/pg-core'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { precise } from '@isotherm/testing/data/precise'
import { sharedEmulator } from '../../support/spanner.js'

const client = { computedBy: 'client' } as const
const casing = 'snake_case'
const UUID_V4 = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/
const UUID_V7 = '018f3b6c-7a10-7abc-8def-0123456789ab'

// Properties without column names: the casing makes the names in the database.

const visits = pgTable(
  'visits',
  {
    shardId: shardKey({ shards: 8, of: ['userId', 'seenDay'], ...client }),
    visitedAt: descTimestamp({ default: 'now' }),
    userId: integer(),
    seenDay: timestamp({ mode: 'string', withTimezone: true }),
    pageName: text(),
  },
  (t) => [primaryKey({ columns: [t.shardId, t.visitedAt, t.userId] }), immutable(t.seenDay)],
)

/** The database computes its shard. */
const logs = pgTable('logs', {
  shardId: shardKey({ shards: 4, of: ['logSource'] }),
  logSource: varchar({ length: 50 }).primaryKey(),
  rowId: uuidV4(),
  madeAt: commitTimestamp(),
  amount: numeric({ mode: 'number' }),
})

/** A child whose shard is the parent's, of the columns that the parent hashes. */
const logLines = pgTable(
  'log_lines',
  {
    shardId: parentKey(logs.shardId),
    logSource: parentKey(logs.logSource),
    rowId: parentKey(logs.rowId),
    lineNumber: integer().primaryKey(),
  },
  () => [interleaveIn(logs)],
)

const documents = pgTable('documents', {
  hash: hashKey({ of: ['path'], ...client }),
  path: varchar({ length: 200 })
    .primaryKey()
    .$default(() => '/made'),
})

/** A shard that the client computes, and a child that repeats it. */
const folders = pgTable('folders', {
  shardId: shardKey({ shards: 5, of: ['folderName'], ...client }),
  folderName: text().primaryKey(),
})
const files = pgTable(
  'files',
  {
    shardId: parentKey(folders.shardId),
    folderName: parentKey(folders.folderName),
    fileId: bitReversedId(),
  },
  () => [interleaveIn(folders, { onDelete: 'cascade' })],
)

/** Only the parent's shard is computed in its key. */
const pages = pgTable(
  'pages',
  {
    shardId: parentKey(folders.shardId),
    folderName: parentKey(folders.folderName),
    pageNumber: integer().primaryKey(),
  },
  () => [interleaveIn(folders)],
)

const rounds = pgTable('rounds', {
  shardId: shardKey({ shards: 3, strategy: 'round-robin' }),
  id: uuidV4({ storage: 'bytes' }),
})

const people = pgTable('people', { personId: uuid().primaryKey(), fullName: text() })
const drawn = pgTable('drawn', { drawnId: bitReversedId({ from: 'sequence' }), note: text() })
const identified = pgTable('identified', {
  rowId: bigint({ mode: 'bigint' }).primaryKey().generatedByDefaultAsIdentity(),
  note: text(),
})

let next = 0n
const taken: number[] = []
const tickets = pgTable('tickets', {
  ticketId: bitReversedId({
    from: {
      next: () => ++next,
      take: async (count: number) => {
        taken.push(count)
        return Array.from({ length: count }, () => ++next)
      },
    },
  }),
  title: text(),
})

const tables = [
  visits,
  logs,
  logLines,
  documents,
  folders,
  files,
  pages,
  rounds,
  people,
  drawn,
  identified,
  tickets,
]
let db: SpannerPgDatabase
let core: ReturnType<typeof openDatabase>

beforeAll(async () => {
  const schema = toSchema(tables, { casing })
  const emulator = await sharedEmulator()
  const dialect = spannerPostgresql
  const database = await emulator.database({ dialect, ddl: compileDdl(schema, { dialect }) })
  db = drizzle(database, { casing })
  core = openDatabase({ driver: spanner(database), schema })
})

beforeEach(async () => {
  for (const table of tables.toReversed()) await db.delete(table)
})

describe('an insert without values for generated key columns', () => {
  test('computes the shard from a timestamp in string mode, and sets the current time, in the client', async () => {
    const day = '2026-08-01 00:00:00.000000001+00'
    const insert = db.insert(visits).values([{ userId: 7, seenDay: day }, { userId: 8 }])
    expect(insert.toSQL().sql).toBe(
      'insert into "visits" ("shard_id", "visited_at", "user_id", "seen_day") values ($1, $2, $3, $4), ($5, $6, $7, default)',
    )
    const before = Date.now()
    const [first, second] = await insert.returning()
    const after = Date.now()
    expect(first).toMatchObject({ userId: 7, seenDay: day, pageName: null })
    expect(first!.visitedAt.getTime()).toBeGreaterThanOrEqual(before)
    expect(first!.visitedAt.getTime()).toBeLessThanOrEqual(after)
    const seenDay = precise('2026-08-01T00:00:00.000000001Z')
    expect(first!.shardId).toBe(BigInt(shardOf([7n, seenDay], 8)))
    expect(second!.shardId).toBe(BigInt(shardOf([8n, null], 8)))
    // Isotherm's own reads find the row in its shard.
    expect(await core.get('visits', { visitedAt: first!.visitedAt, userId: 7, seenDay })).toMatchObject({
      shardId: first!.shardId,
      seenDay,
    })
  })

  test('omits a shard that the database computes, and writes the commit timestamp', async () => {
    const insert = db.insert(logs).values({ logSource: 'a', shardId: BigInt(shardOf('a', 4)), amount: 1.5 })
    expect(insert.toSQL().sql).toBe(
      'insert into "logs" ("log_source", "row_id", "made_at", "amount") values ($1, $2, spanner.pending_commit_timestamp(), $3)',
    )
    const before = Date.now()
    const [made] = await insert.returning({ rowId: logs.rowId })
    const after = Date.now()
    const [row] = await db.select().from(logs)
    expect(row).toMatchObject({ rowId: made!.rowId, shardId: BigInt(shardOf('a', 4)) })
    expect(row!.rowId).toMatch(UUID_V4)
    expect(row!.madeAt!.getTime()).toBeGreaterThanOrEqual(before)
    expect(row!.madeAt!.getTime()).toBeLessThanOrEqual(after)
    const beforeChange = Date.now()
    await db.update(logs).set({ madeAt: pendingCommitTimestamp() }).where(eq(logs.rowId, row!.rowId))
    const [changed] = await db.select().from(logs)
    expect(changed!.madeAt!.getTime()).toBeGreaterThanOrEqual(beforeChange)
    const line = db.insert(logLines).values({ logSource: 'a', rowId: made!.rowId, lineNumber: 1 })
    expect(line.toSQL().sql).toBe(
      'insert into "log_lines" ("log_source", "row_id", "line_number") values ($1, $2, $3)',
    )
    await line
    expect(await db.select().from(logLines)).toEqual([
      { shardId: row!.shardId, logSource: 'a', rowId: row!.rowId, lineNumber: 1 },
    ])
  })

  test('computes the parent’s shard for an interleaved row from the columns that the parent hashes', async () => {
    await db.insert(folders).values({ folderName: 'a' })
    const insert = db.insert(files).values([{ folderName: 'a' }, { folderName: 'a' }])
    expect(insert.toSQL().sql).toBe(
      'insert into "files" ("shard_id", "folder_name") values ($1, $2), ($3, $4)',
    )
    const [one, two] = await insert.returning()
    expect(one).toMatchObject({ shardId: BigInt(shardOf('a', 5)), folderName: 'a' })
    await db.insert(pages).values({ folderName: 'a', pageNumber: 1 })
    expect(await db.select().from(pages)).toEqual([
      { shardId: BigInt(shardOf('a', 5)), folderName: 'a', pageNumber: 1 },
    ])
    // Counted by the identity, and far apart.
    expect(typeof one!.fileId).toBe('bigint')
    expect(one!.fileId - two!.fileId).not.toBe(1n)
  })

  test('computes the hash key from the value that $default returns', async () => {
    const [made] = await db.insert(documents).values({}).returning()
    expect(made).toEqual({ hash: hashOf(['/made'], 'farm-fingerprint'), path: '/made' })
  })

  test('assigns shards in turn with round-robin, for UUIDs that are stored as bytes', async () => {
    const given = Array.from({ length: 6 }, () => ({ id: crypto.randomUUID() }))
    const rows = await db.insert(rounds).values(given).returning()
    const [first] = rows.toSorted(
      (a, b) => given.findIndex(({ id }) => id === a.id) - given.findIndex(({ id }) => id === b.id),
    )
    for (const [at, { id }] of given.entries()) {
      expect(rows.find((row) => row.id === id)!.shardId).toBe((first!.shardId + BigInt(at)) % 3n)
    }
  })

  test('omits ids of sequences and identity columns, which the database assigns', async () => {
    const insert = db.insert(drawn).values({ note: 'x' })
    expect(insert.toSQL().sql).toBe('insert into "drawn" ("note") values ($1)')
    const [one] = await insert.returning({ id: drawn.drawnId })
    const [two] = await db.insert(identified).values({ note: 'x' }).returning({ id: identified.rowId })
    for (const each of [one, two]) expect(each!.id).toBeGreaterThan(2n ** 53n)
    expect(await db.insert(identified).values({ rowId: 5n }).returning()).toEqual([{ rowId: 5n, note: null }])
  })

  test('takes the ids of all rows from the application’s counter in one call', async () => {
    next = 0n
    taken.length = 0
    const insert = db.insert(tickets).values([{ title: 'a' }, { ticketId: 5n, title: 'b' }, { title: 'c' }])
    expect(insert.toSQL().sql).toContain('("ticket_id", "title") values ($1, $2)')
    expect(taken).toEqual([])
    const rows = await insert.returning({ id: tickets.ticketId })
    expect(new Set(rows.map(({ id }) => id))).toEqual(new Set([bitReverse(1n), 5n, bitReverse(2n)]))
    expect(taken).toEqual([2])
    await db.batch([db.insert(tickets).values({ title: 'd' }), db.insert(tickets).values({ title: 'e' })])
    expect(await db.$count(tickets)).toBe(5)
  })
})

test('a prepared insert computes the shard again for each execution', async () => {
  const insert = db
    .insert(visits)
    .values({ userId: sql.placeholder('user'), pageName: 'x' })
    .returning({ shardId: visits.shardId, at: visits.visitedAt })
    .prepare('visit')
  for (const user of [1, 2, 3]) {
    const [row] = await insert.execute({ user })
    expect(row!.shardId).toBe(BigInt(shardOf([BigInt(user), null], 8)))
  }
  expect(await db.$count(visits)).toBe(3)
  await expect(insert.execute({})).rejects.toThrow(/user/)
})

describe('an insert with an invalid key', () => {
  const refused: readonly (readonly [string, () => PromiseLike<unknown>, string])[] = [
    [
      'a UUID v7 as the first key part',
      () => db.insert(people).values({ personId: UUID_V7 }),
      `people.personId takes a UUID v4, not the v7 ${UUID_V7}.`,
    ],
    [
      'a shard that differs from the hash of its columns',
      () => db.insert(logs).values({ logSource: 'a', shardId: BigInt((shardOf('a', 4) + 1) % 4) }),
      `but reads would look in ${shardOf('a', 4)}.`,
    ],
    [
      'a parent’s shard that differs from the hash of its columns',
      () => db.insert(files).values({ folderName: 'a', shardId: BigInt((shardOf('a', 5) + 1) % 5) }),
      `but reads would look in ${shardOf('a', 5)}.`,
    ],
    [
      'an SQL expression for a column that the client hashes',
      () => db.insert(visits).values({ userId: sql`1 + 1` }),
      'visits.userId is an expression, but the key is computed by the client before the database evaluates it.',
    ],
    [
      'onConflictDoUpdate() on a table whose key hashes a column outside the key',
      () =>
        db
          .insert(visits)
          .values({ userId: 1 })
          .onConflictDoUpdate({ target: visits.userId, set: { pageName: 'x' } }),
      'visits cannot be upserted: its key hashes seenDay, which is not a part of it.',
    ],
    [
      'rows of a query for a table whose hash the client computes',
      () =>
        db
          .insert(documents)
          .select(
            db.select({ hash: sql<bigint>`1`.as('hash'), path: sql<string>`'x'`.as('path') }).from(people),
          ),
      'documents.hash is computed by the client for each row, but these rows come from a query in the database.',
    ],
  ]
  test.each(refused)('rejects %s', async (_, work, message) => {
    await expect((async () => work())()).rejects.toThrow(message)
  })
})
