import { compileDdl } from '@isotherm/core'
import { googlesql } from '@isotherm/spanner'
import {
  drizzle,
  fanOut,
  int64,
  shardKey,
  spannerTable,
  timestamp,
  toSchema,
  type SpannerDatabase,
} from '@isotherm/drizzle-adapter'
import { eq, inArray, sql } from 'drizzle-orm'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { someCases } from '../support/runs.js'
import { sharedEmulator } from '../support/spanner.js'

// Every text is used in every kind of statement, and must mean what the database's own CAST returns: a time or an error.

/** Texts with a UTC offset, which the client can convert too. */
const WITH_OFFSET = [
  '2024-01-02T03:04:05Z',
  '2024-01-02t03:04:05z',
  '2024-01-02 03:04:05.123456789Z',
  '2024-01-02 03:04:05+01',
  '2024-01-02 03:04:05-8',
  '2024-01-02 03:04:05+01:30',
  '2024-01-02T03:04:05+1:30',
  '2024-01-02 03:04:05-0130',
  '2024-01-02T03:04:05+14:00',
  '2024-01-02 03:04:05 UTC',
  '2024-01-02 03:04:05 GMT',
  '2024-1-2 3:4:5.5Z',
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999999999Z',
]
const OF_THE_DATABASE = [
  '2024-01-02 03:04:05 Europe/Berlin',
  '2024-03-31 02:30:00 Europe/Berlin',
  '2024-01-02',
  '2024-1-2',
  '2024-07-02T03:04:05.25',
  '2024-01-02T23:59:60Z',
]
const REFUSED = [
  '2024-01-02T03:04Z',
  '2024-01-02T03:04:05 Z',
  '2024-01-02T03:04:05 +01:00',
  '2024-01-02 03:04:05 PST',
  '2024-01-02T03:04:05+15:00',
  '2024-01-02T03:04:05+14:01',
  '2024-01-02T03:04:05+01:60',
  '2024-01-02+01',
  '2024-01-02T24:00:00Z',
  '2024-02-30T00:00:00Z',
  '2024-01-02T03:04:05.1234567891Z',
  '2024-01-02T03:04:05.Z',
  '10000-01-01T00:00:00Z',
  '0001-01-01T00:00:00+01:00',
  '',
  "2024-01-02' or true --",
]

const logs = spannerTable('Log', {
  id: int64({ mode: 'number' }).primaryKey(),
  moment: timestamp({ mode: 'string' }),
  moments: timestamp({ mode: 'string' }).array(),
  opened: timestamp({ mode: 'string' }).default('2024-01-02 03:04:05 Europe/Berlin'),
})
const visits = spannerTable('Visit', {
  shard: shardKey({ shards: 4, of: ['day'], computedBy: 'client' }),
  day: timestamp({ mode: 'string' }).primaryKey(),
  note: int64({ mode: 'number' }),
})

let db: SpannerDatabase
let last = 0

beforeAll(async () => {
  const emulator = await sharedEmulator()
  const ddl = compileDdl(toSchema({ logs, visits }), { dialect: googlesql })
  db = drizzle(await emulator.database({ dialect: googlesql, ddl }))
})

afterEach(async () => {
  await db.delete(logs)
})

const casts = new Map<string, Promise<string | undefined>>()

/** The result of CAST in the database, as a column shows it; undefined if the database rejects the text. */
function castOf(text: string): Promise<string | undefined> {
  const cast = casts.get(text) ?? askedCastOf(text)
  casts.set(text, cast)
  return cast
}

async function askedCastOf(text: string): Promise<string | undefined> {
  try {
    const moment = sql`cast(${text} as timestamp)`.mapWith(logs.moment)
    const [row] = await db.select({ moment }).from(sql`unnest([1])`)
    return row!.moment as string
  } catch {
    return undefined
  }
}

/** Kinds of statements, each of which returns the value that the row has then. */
const OPERATIONS: Readonly<Record<string, (text: string, id: number) => Promise<unknown>>> = {
  insert: async (moment, id) => (await db.insert(logs).values({ id, moment }).returning())[0]?.moment,
  'insert of an array': async (moment, id) => {
    const [row] = await db
      .insert(logs)
      .values({ id, moments: [null as never, moment] })
      .returning()
    expect(row!.moments![0]).toBeNull()
    return row!.moments![1]
  },
  'insert of many rows': async (moment, id) => {
    const first = (last += 480) - 479
    const rows = Array.from({ length: 480 }, (_, at) => ({
      id: first + at,
      moment: at === 7 ? null : moment,
    }))
    await db.insert(logs).values([{ id, moment }, ...rows])
    const found = await db
      .select()
      .from(logs)
      .where(inArray(logs.id, [first + 7, first + 479]))
    expect(found.find((each) => each.id === first + 7)!.moment).toBeNull()
    return found.find((each) => each.id === first + 479)!.moment
  },
  update: async (moment, id) => {
    await db.insert(logs).values({ id })
    return (await db.update(logs).set({ moment }).where(eq(logs.id, id)).returning())[0]?.moment
  },
  'a placeholder': async (moment, id) => {
    const insert = db
      .insert(logs)
      .values({ id, moment: sql.placeholder('moment') })
      .returning()
      .prepare()
    return (await insert.execute({ moment }))[0]?.moment
  },
  'a placeholder of an array': async (moment, id) => {
    const insert = db
      .insert(logs)
      .values({ id, moments: sql.placeholder('moments') })
      .returning()
      .prepare()
    return (await insert.execute({ moments: [moment] }))[0]?.moments?.[0]
  },
  batch: async (moment, id) => {
    const [, rows] = await db.batch([
      db.insert(logs).values({ id, moment }),
      db.select().from(logs).where(eq(logs.id, id)),
    ])
    return rows[0]?.moment
  },
  where: async (moment, id) => {
    await db.insert(logs).values({ id, moment: (await castOf(moment)) ?? null })
    const found = await db.select().from(logs).where(eq(logs.moment, moment))
    return found.find((each) => each.id === id)?.moment
  },
  'where of a list': async (moment, id) => {
    await db.insert(logs).values({ id, moment: (await castOf(moment)) ?? null })
    const found = await db
      .select()
      .from(logs)
      .where(inArray(logs.moment, [null as never, moment]))
    return found.find((each) => each.id === id)?.moment
  },
  'where of a placeholder for a list': async (moment, id) => {
    await db.insert(logs).values({ id, moment: (await castOf(moment)) ?? null })
    const select = db
      .select()
      .from(logs)
      .where(inArray(logs.moment, sql.placeholder('all')))
      .prepare()
    return (await select.execute({ all: [moment] })).find((each) => each.id === id)?.moment
  },
}

/** Statements for which the client has to know the time. */
const HERE: Readonly<Record<string, (text: string, id: number) => Promise<unknown>>> = {
  mutation: async (moment, id) => {
    await db.transaction(async (tx) => {
      tx.mutate(logs).insert({ id, moment })
    })
    return (await db.select().from(logs).where(eq(logs.id, id)))[0]?.moment
  },
  'the hash of a shard': async (day, id) => {
    await db.delete(visits).where(sql`true`)
    return (await db.insert(visits).values({ day, note: id }).returning())[0]?.day
  },
  'fan-out': async (day, id) => {
    await db.delete(visits).where(sql`true`)
    await db.insert(visits).values({ day: (await castOf(day)) ?? '2000-01-01T00:00:00Z', note: id })
    return (await fanOut(db.select().from(visits).where(eq(visits.day, day))))[0]?.day
  },
}

/** Every text in an insert. In other statements, `pnpm test` takes some. */
const textsFor = (kind: string, texts: readonly string[]): readonly string[] =>
  kind === 'insert' ? texts : someCases(texts, 3)

const messageOf = (error: unknown): string =>
  error instanceof Error ? `${error.message} ${messageOf(error.cause)}` : ''

describe.each(Object.entries({ ...OPERATIONS, ...HERE }))('timestamp text in %s', (kind, operation) => {
  it.each(textsFor(kind, WITH_OFFSET))(
    'has the time that CAST returns in the database for text with an offset: %s',
    async (text) => {
      const cast = await castOf(text)
      expect(cast).toBeDefined()
      expect(await operation(text, (last += 1))).toBe(cast)
    },
  )

  it.each(textsFor(kind, REFUSED))(
    'is rejected when CAST rejects the text in the database: %s',
    async (text) => {
      expect(await castOf(text)).toBeUndefined()
      const error: unknown = await operation(text, (last += 1)).catch((caught: unknown) => caught)
      expect(messageOf(error)).not.toBe('')
    },
  )
})

describe.each(Object.entries(OPERATIONS))(
  'timestamp text that only the database can convert, in %s',
  (kind, operation) => {
    it.each(textsFor(kind, OF_THE_DATABASE))(
      'has the time that CAST returns in the database for the text %s',
      async (text) => {
        const cast = await castOf(text)
        expect(cast).toBeDefined()
        expect(await operation(text, (last += 1))).toBe(cast)
      },
    )
  },
)

describe.each(Object.entries(HERE))(
  'timestamp text that the client would have to convert, in %s',
  (kind, operation) => {
    it.each(textsFor(kind, OF_THE_DATABASE))(
      'throws INVALID_VALUE when only the database can convert the text: %s',
      async (text) => {
        await expect(operation(text, (last += 1))).rejects.toMatchObject({
          code: 'INVALID_VALUE',
          message: expect.stringContaining('whose time only the database can compute'),
          fix: expect.stringContaining('Add the offset from UTC'),
        })
      },
    )
  },
)

it('timestamp text with a UTC offset is sent as a timestamp, and other text is sent as text with CAST', () => {
  const of = (moment: string) => db.select({ id: logs.id }).from(logs).where(eq(logs.moment, moment)).toSQL()
  expect(of('2024-01-02 03:04:05+01')).toMatchObject({
    sql: 'select `Log`.`id` from `Log` where `Log`.`moment` = @p1',
    params: ['2024-01-02T02:04:05.000000000Z'],
  })
  expect(of('2024-01-02')).toMatchObject({
    sql: 'select `Log`.`id` from `Log` where `Log`.`moment` = cast(@p1 as timestamp)',
    params: ['2024-01-02'],
  })
})

it('a text default is converted by the database, and NULL and an empty array are stored unchanged', async () => {
  const insert = db
    .insert(logs)
    .values({
      id: sql.placeholder('id'),
      moment: sql.placeholder('moment'),
      moments: sql.placeholder('moments'),
    })
    .returning()
    .prepare()
  const id = (last += 1)
  const opened = await castOf('2024-01-02 03:04:05 Europe/Berlin')
  expect(await insert.execute({ id, moment: null, moments: null })).toEqual([
    { id, moment: null, moments: null, opened },
  ])
  expect(await insert.execute({ id: id + 1, moment: null, moments: [] })).toMatchObject([{ moments: [] }])
  last += 1
})
