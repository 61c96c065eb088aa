import { bytea, descTimestamp, drizzle, shardKey, uuidV4 } from '@isotherm/drizzle-adapter/postgresql'
import { preciseDate } from '@isotherm/core/adapter'
import { spannerPostgresql } from '@isotherm/spanner'
import { arrayContains, eq, inArray, isNull, sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  customType,
  date,
  doublePrecision,
  integer,
  jsonb,
  numeric,
  pgEnum,
  pgTable,
  real,
  smallint,
  text,
  time,
  timestamp,
  uuid,
  varchar,
  vector,
} from 'drizzle-orm/pg-core'
import { beforeEach, describe, expect, expectTypeOf, it } from 'vitest'
import { sharedEmulator } from '../../support/spanner.js'

const mood = pgEnum('mood', ['good', 'bad'])
const seconds = customType<{ data: { seconds: bigint }; driverData: string }>({
  dataType: () => 'bigint',
  toDriver: ({ seconds: value }) => String(value),
  // A driver of PostgreSQL returns text.
  fromDriver: (value) => ({ seconds: BigInt(value.padStart(1)) }),
})

const values = pgTable('values', {
  id: bigint({ mode: 'bigint' }).primaryKey(),
  small: bigint({ mode: 'number' }),
  whole: integer(),
  tiny: smallint(),
  words: text(),
  letters: varchar({ length: 10 }),
  kind: mood(),
  uid: uuid(),
  yes: boolean(),
  double: doublePrecision(),
  single: real(),
  money: numeric(),
  price: numeric({ mode: 'number' }),
  big: numeric({ mode: 'bigint' }),
  day: date(),
  birth: date({ mode: 'date' }),
  at: timestamp({ withTimezone: true }),
  moment: timestamp({ withTimezone: true, mode: 'string' }),
  raw: bytea(),
  doc: jsonb().$type<unknown>(),
  tags: text().array(),
  ids: bigint({ mode: 'bigint' }).array(),
  own: seconds(),
})

const emulator = await sharedEmulator()
const client = await emulator.database({
  dialect: spannerPostgresql,
  ddl: [
    `create table "values" (id bigint primary key, small bigint, whole bigint, tiny bigint, words text,
      letters varchar(10), kind varchar(10), uid varchar(36), yes boolean, double float8, single real, money numeric,
      price numeric, big numeric, day date, birth date, at timestamptz, moment timestamptz, raw bytea, doc jsonb,
      tags text[], ids bigint[], own bigint)`,
    `create table events (shard_id bigint not null, at timestamptz not null, id varchar(36) not null,
      primary key (shard_id, at, id))`,
  ],
})
const db = drizzle(client)

beforeEach(async () => {
  await db.delete(values)
})

const nothing = Object.fromEntries(
  Object.keys(values).flatMap((name) => (name === 'id' || name === 'enableRLS' ? [] : [[name, null]])),
) as Omit<typeof values.$inferSelect, 'id'>

const full: typeof values.$inferSelect = {
  id: -(2n ** 63n),
  small: 2 ** 53 - 1,
  whole: -7,
  tiny: 3,
  words: "it's “ü” \\ \u{1f600}",
  letters: '0123456789',
  kind: 'good',
  uid: 'b1c2d3e4-0000-4000-8000-0123456789ab',
  yes: false,
  double: Number.NEGATIVE_INFINITY,
  single: 1.5,
  money: '12345678901234567890.5',
  price: 1.25,
  big: 10n ** 25n,
  day: '0001-02-03',
  birth: new Date('2026-02-28T00:00:00.000Z'),
  at: preciseDate('2026-01-31T12:00:00.123456000Z'),
  moment: '2026-01-31 12:00:00.5+00',
  raw: Buffer.from([0, 255, 92]),
  doc: { a: ['1', 2, null], b: 9007199254740993n },
  tags: ['a', "it's", '{"x",}'],
  ids: [2n ** 62n, -1n],
  own: { seconds: 2n ** 60n },
}

describe('a column of a pgTable', () => {
  it('returns the inserted value for every type, and finds the row by values of most scalar types', async () => {
    await db.insert(values).values(full)
    const [row] = await db.select().from(values)
    expect(row).toEqual(full)
    expect(row!.at!.toISOString()).toBe('2026-01-31T12:00:00.123456000Z')
    // The row is found by the values that were read, to the last digit.
    for (const name of ['small', 'words', 'money', 'day', 'at', 'moment', 'uid', 'yes', 'own'] as const) {
      const found = db
        .select({ id: values.id })
        .from(values)
        .where(eq(values[name], row![name] as never))
      expect(await found).toStrictEqual([{ id: full.id }])
    }
    const listed = [
      'small',
      'words',
      'letters',
      'kind',
      'day',
      'birth',
      'at',
      'moment',
      'uid',
      'yes',
      'raw',
      'own',
    ]
    for (const name of [...listed, 'double', 'single'] as (keyof typeof full)[]) {
      const among = inArray(values[name], [row![name]] as never[])
      const found = db.select({ id: values.id }).from(values).where(among)
      expect(found.toSQL().sql).toContain(listed.includes(name) ? ' = any($1)' : ' in ($1)')
      expect(await found).toStrictEqual([{ id: full.id }])
    }
    const tagged = db
      .select({ id: values.id })
      .from(values)
      .where(arrayContains(values.tags, ['a']))
    expect(await tagged).toStrictEqual([{ id: full.id }])
  })

  it('returns the value that inlineParams() wrote into the statement text, for every type', async () => {
    const { id, ...others } = full
    const row = Object.fromEntries(
      Object.entries(others).map(([name, value]) => [
        name,
        sql`${sql.param(value, values[name as keyof typeof others])}`.inlineParams(),
      ]),
    )
    const insert = db.insert(values).values({ id, ...row })
    expect(insert.toSQL().params).toStrictEqual([String(id)])
    expect(await insert.returning()).toEqual([full])
    const bare = sql`${sql.param([], values.ids)}`.inlineParams()
    expect(
      await db
        .update(values)
        .set({ ids: bare, raw: sql`${sql.param(null, values.raw)}`.inlineParams() })
        .returning(),
    ).toEqual([{ ...full, ids: [], raw: null }])
  })

  it('stores and returns NULL for every type, and writes NULL to jsonb from a placeholder', async () => {
    await db.insert(values).values({ id: 1n, ...nothing })
    expect(await db.select().from(values)).toStrictEqual([{ id: 1n, ...nothing }])
    const [row] = await db
      .update(values)
      .set({ tags: ['x'], ids: [] })
      .where(isNull(values.raw))
      .returning()
    expect(row).toStrictEqual({ id: 1n, ...nothing, tags: ['x'], ids: [] })
    const prepared = db
      .update(values)
      .set({ doc: sql.placeholder('doc') })
      .where(eq(values.id, 1n))
      .prepare('doc')
    await prepared.execute({ doc: { a: 1 } })
    expect((await db.select().from(values))[0]!.doc).toStrictEqual({ a: 1 })
    await prepared.execute({ doc: null })
    expect((await db.select().from(values))[0]!.doc).toBeNull()
  })

  it('stores a string in jsonb as a JSON string, and does not parse the string', async () => {
    await db.insert(values).values({ id: 1n, doc: '{"a":1}' })
    expect((await db.select().from(values))[0]!.doc).toBe('{"a":1}')
  })

  it('accepts timestamp text with any offset, and rejects text without an offset', async () => {
    await db.insert(values).values({ id: 1n, moment: '2026-01-31T12:00:00.000000001+05:30' })
    const [row] = await db.select({ moment: values.moment }).from(values)
    expect(row!.moment).toMatch(/^2026-01-31 06:30:00(\.\d+)?\+00$/)
    const vague = () => db.insert(values).values({ id: 2n, moment: '2026-01-31 12:00:00' }).toSQL()
    expect(vague).toThrow('takes a timestamp with its time zone')
  })

  it('throws INVALID_VALUE when a stored bigint does not fit into a number', async () => {
    await db.execute(sql`insert into "values" (id, small) values (1, 9007199254740993)`)
    await expect(db.select().from(values)).rejects.toMatchObject({ code: 'INVALID_VALUE' })
  })

  it.each([
    ['timestamp', timestamp(), 'withTimezone: true'],
    ['time', time(), 'microseconds'],
    ['vector', vector({ dimensions: 3 }), 'doublePrecision().array()'],
    ['array of arrays', integer().array().array(), 'jsonb()'],
  ])('throws UNSUPPORTED_MODEL for a type that Spanner does not support: %s', (_, builder, fix) => {
    const other = pgTable('other', { id: bigint({ mode: 'bigint' }).primaryKey(), it: builder as never })
    const query = db.insert(other).values({ id: 1n, it: [] as never })
    expect(() => query.toSQL()).toThrow(
      expect.objectContaining({ code: 'UNSUPPORTED_MODEL', fix: expect.stringContaining(fix) }),
    )
  })
})

describe('a generated key column', () => {
  const events = pgTable('events', {
    shardId: shardKey('shard_id', { shards: 8, of: ['id'], computedBy: 'client' }),
    at: descTimestamp(),
    id: uuidV4(),
  })

  it('is computed when an insert leaves it out, and rejects another value with INVALID_VALUE', async () => {
    expectTypeOf(events.$inferSelect).toEqualTypeOf<{ shardId: bigint; at: Date; id: string }>()
    expectTypeOf(events.$inferInsert).toEqualTypeOf<{ shardId?: bigint; at: Date; id?: string }>()
    const at = preciseDate('2026-01-31T12:00:00.000001000Z')
    const insert = db.insert(events).values([{ at }, { at }])
    expect(insert.toSQL().sql).toBe(
      'insert into "events" ("shard_id", "at", "id") values ($1, $2, $3), ($4, $5, $6)',
    )
    const [first, second] = await insert.returning()
    expect(first!.id).not.toBe(second!.id)
    // Values that the insert gives must equal the computed values.
    const again = { ...first!, at: preciseDate('2026-02-28T12:00:00.000001000Z') }
    expect(await db.insert(events).values(again).returning()).toEqual([again])
    expect(await db.select().from(events).where(eq(events.at, again.at))).toEqual([again])
    const wrong = db.insert(events).values({ ...again, shardId: (again.shardId + 1n) % 8n })
    await expect((async () => wrong)()).rejects.toMatchObject({ code: 'INVALID_VALUE' })
  })

  it('is computed again for each execution of a prepared insert', async () => {
    const prepared = db
      .insert(events)
      .values({ at: sql.placeholder('at') })
      .returning({ id: events.id })
      .prepare('event')
    const [first] = await prepared.execute({ at: new Date(0) })
    const [second] = await prepared.execute({ at: new Date(0) })
    expect(first!.id).not.toBe(second!.id)
    const [a, b] = await db.batch([
      db.insert(events).values({ at: new Date(1) }),
      db
        .insert(events)
        .values({ at: new Date(1) })
        .returning({ id: events.id }),
    ])
    expect([a, b.length]).toStrictEqual([{ rowCount: 1 }, 1])
  })
})
