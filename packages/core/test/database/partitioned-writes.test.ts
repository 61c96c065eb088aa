import { defineSchema, defineTable, IsothermError, openDatabase } from '@isotherm/core'
import { dualWrites } from '@isotherm/core/reshard'
import type { CqlDialect } from '@isotherm/cassandra'
import { keyspacesCql } from '@isotherm/cassandra'
import { describe, expect, it } from 'vitest'
import { rejection } from '../support/refusal.js'
import { partitionDriver, rowsOf, type Fate } from './support/partition-driver.js'

// What db.insert, update, upsert, delete and increment send to an engine whose commit is one partition.

const day = defineTable('Day', (t) => ({
  place: t.int32().key(),
  at: t.int32().key(),
  note: t.string({ nullable: true }),
}))
const post = defineTable('Post', (t) => ({
  place: t.int32().key(),
  id: t.uuidV4(),
  note: t.string({ nullable: true }),
}))
const hits = defineTable('Hits', (t) => ({
  page: t.string().key(),
  seen: t.counter({ name: 'seen_count' }),
  taken: t.counter(),
}))

const tally = defineTable('Tally', (t) => ({
  place: t.int32().key(),
  at: t.int32().key(),
  owner: t.string({ static: true, nullable: true }),
  note: t.string({ nullable: true }),
}))

const UUID = '5e3f6f1c-6f7e-4c2e-9d53-6f6f1c6f7e4c'

function opened(fate?: Fate, dialect?: CqlDialect) {
  const driver = partitionDriver(dialect, fate)
  return { db: openDatabase({ driver, schema: defineSchema([day, post, hits, tally]) }), driver }
}

/** What the commits were: their mutations, and the rows of each. */
function sent({ written }: ReturnType<typeof partitionDriver>) {
  return written.map(({ mutations }) =>
    mutations.map((mutation) => [
      mutation.op,
      'fresh' in mutation && mutation.fresh === true,
      rowsOf([mutation]).length,
    ]),
  )
}

describe('an insert', () => {
  const rows = (...places: number[]) => places.map((place, at) => ({ place, at }))

  it('of rows that may be there is a commit each, which has to be allowed', async () => {
    const { db, driver } = opened()
    expect(await rejection(db.insert(day, rows(1, 1)))).toMatchObject({
      code: 'TOO_MANY_MUTATIONS',
      table: 'Day',
      message: expect.stringContaining('2 rows of Day are written if they are as expected'),
      fix: expect.stringContaining('conditional: false'),
    })
    expect(await rejection(db.insert(day, rows(1, 2, 2)))).toMatchObject({
      message: expect.stringContaining('3 rows of Day lie in 2 partitions, and a commit is one partition.'),
    })
    expect(driver.written).toStrictEqual([])
    const inserted = await db.insert(day, rows(1, 1, 2), { allowMultipleCommits: true })
    expect(inserted.commits).toBe(3)
    expect([...inserted]).toStrictEqual(rows(1, 1, 2).map((row) => ({ ...row, note: null })))
    expect(sent(driver)).toStrictEqual([1, 2, 3].map(() => [['insert', false, 1]]))
  })

  it('of rows whose UUIDs are made here goes by partitions, and says that they are new', async () => {
    const { db, driver } = opened()
    const given = [1, 2, 1].map((place) => ({ place }))
    const inserted = await db.insert(post, given, { allowMultipleCommits: true })
    expect(inserted.commits).toBe(2)
    expect(sent(driver)).toStrictEqual([[['insert', true, 2]], [['insert', true, 1]]])
    expect(driver.written[0]!.mutations[0]).toMatchObject({ table: 'Post', layout: { partition: 1 } })
    expect(new Set(inserted.map(({ id }) => id)).size).toBe(3)
  })

  it('of rows whose UUIDs are made here is checked all the same where it is asked for', async () => {
    const { db, driver } = opened()
    const inserted = await db.insert(post, [{ place: 1 }, { place: 1 }], {
      allowMultipleCommits: true,
      conditional: true,
    })
    expect(inserted.commits).toBe(2)
    expect(sent(driver)).toStrictEqual([1, 2].map(() => [['insert', false, 1]]))
  })

  it('of a UUID that was given is one of a row that may be there', async () => {
    const { db, driver } = opened()
    const given = [{ place: 1 }, { place: 1, id: UUID }, { place: 1 }]
    expect((await db.insert(post, given, { allowMultipleCommits: true })).commits).toBe(2)
    expect(sent(driver)).toStrictEqual([[['insert', true, 2]], [['insert', false, 1]]])
  })

  it('without a check goes by partitions too, as many rows at once as the dialect takes', async () => {
    const many = Array.from({ length: 70 }, (_, at) => ({ place: 1, at }))
    const { db, driver } = opened(undefined, keyspacesCql)
    expect(await rejection(db.insert(day, many, { conditional: false }))).toMatchObject({
      message: expect.stringContaining('70 rows of Day lie in one partition, and a commit holds 30.'),
    })
    expect((await db.insert(day, many, { conditional: false, allowMultipleCommits: true })).commits).toBe(3)
    expect(sent(driver).flat()).toStrictEqual([30, 30, 10].map((rows) => ['insert', false, rows]))
    expect(driver.written[0]!.options).toMatchObject({ conditional: false })
  })

  it('of nothing is not a commit', async () => {
    const { db, driver } = opened()
    expect((await db.insert(day, [])).commits).toBe(0)
    expect(driver.written).toStrictEqual([])
  })
})

describe('of several commits', () => {
  const rows = [0, 1, 2, 3].map((at) => ({ place: 10 + at, at }))
  const failing = (...codes: ('ALREADY_EXISTS' | 'OUTCOME_UNKNOWN' | undefined)[]) =>
    opened(({ row }) => {
      const code = codes[Number(row[0]) - 10]
      return code && new IsothermError(code, `Row ${String(row[0])}.`)
    })

  it('the rows that are committed, those of unknown fate, and the others are told apart', async () => {
    const { db } = failing(undefined, 'ALREADY_EXISTS', 'OUTCOME_UNKNOWN', undefined)
    const error = await rejection(db.insert(day, rows, { allowMultipleCommits: true }))
    expect(error).toMatchObject({
      code: 'PARTLY_WRITTEN',
      table: 'Day',
      message: expect.stringContaining('2 of 4 rows of Day are committed; another commit failed: Row 12.'),
      fix: expect.stringContaining('cause.rows'),
      rows: [rows[0], rows[3]],
      cause: { code: 'OUTCOME_UNKNOWN', rows: [rows[2]] },
    })
  })

  it('one that failed, with none that did not, is its own error', async () => {
    const { db } = failing('ALREADY_EXISTS', 'ALREADY_EXISTS', 'ALREADY_EXISTS', 'ALREADY_EXISTS')
    expect(await rejection(db.insert(day, rows, { allowMultipleCommits: true }))).toMatchObject({
      code: 'ALREADY_EXISTS',
    })
    const { db: lost } = failing('OUTCOME_UNKNOWN', 'ALREADY_EXISTS', 'OUTCOME_UNKNOWN')
    expect(await rejection(lost.insert(day, rows.slice(0, 3), { allowMultipleCommits: true }))).toMatchObject(
      {
        code: 'OUTCOME_UNKNOWN',
        rows: [rows[0], rows[2]],
      },
    )
  })

  it('an update and a delete tell of keys', async () => {
    const key = ({ place, at }: (typeof rows)[number]) => ({ place, at })
    const changes = rows.map((row) => ({ ...row, note: 'x' }))
    for (const write of [
      (db: ReturnType<typeof opened>['db']) => db.update(day, changes, { allowMultipleCommits: true }),
      (db: ReturnType<typeof opened>['db']) => db.delete(day, rows, { allowMultipleCommits: true }),
    ]) {
      const driver = opened(({ row }) =>
        row.includes(11) ? new IsothermError('NOT_FOUND', 'Gone.') : undefined,
      )
      expect(await rejection(write(driver.db))).toMatchObject({
        code: 'PARTLY_WRITTEN',
        rows: [rows[0], rows[2], rows[3]].map((row) => key(row!)),
        cause: { code: 'NOT_FOUND' },
      })
    }
  })
})

describe('an update', () => {
  const change = { place: 1, at: 1, note: 'a' }

  it('is one row, unless it may be several commits', async () => {
    const { db, driver } = opened()
    expect(await db.update(day, change)).toStrictEqual({ commitTimestamp: undefined })
    const two = [change, { ...change, at: 2 }]
    expect((await rejection(db.update(day, two))).code).toBe('TOO_MANY_MUTATIONS')
    await db.update(day, two, { allowMultipleCommits: true })
    expect(sent(driver)).toStrictEqual([1, 2, 3].map(() => [['update', false, 1]]))
  })

  it('without a check goes by partitions', async () => {
    const { db, driver } = opened()
    await db.update(day, [change, { ...change, at: 2 }], { conditional: false })
    expect(sent(driver)).toStrictEqual([
      [
        ['update', false, 1],
        ['update', false, 1],
      ],
    ])
  })
})

it('an upsert and a delete go by partitions', async () => {
  const { db, driver } = opened()
  const two = [1, 2].map((at) => ({ place: 1, at }))
  expect(await db.upsert(day, two)).toStrictEqual(two)
  expect(await db.delete(day, two)).toStrictEqual({ commitTimestamp: undefined })
  expect(
    (
      await rejection(
        db.upsert(day, [
          { place: 1, at: 1 },
          { place: 2, at: 1 },
        ]),
      )
    ).code,
  ).toBe('TOO_MANY_MUTATIONS')
  expect(sent(driver)).toStrictEqual([[['upsert', false, 2]], [['delete', false, 2]]])
})

describe('counters', () => {
  it('are added to, a row at a time', async () => {
    const { db, driver } = opened()
    await db.increment(hits, { page: '/', seen: 2n, taken: -1n })
    const two = [
      { page: '/a', seen: 1n },
      { page: '/a', seen: 1n },
    ]
    expect(await rejection(db.increment(hits, two))).toMatchObject({
      code: 'TOO_MANY_MUTATIONS',
      table: 'Hits',
    })
    await db.increment(hits, two, { allowMultipleCommits: true })
    expect(driver.added).toStrictEqual([
      { key: ['/'], amounts: { seen_count: 2n, taken: -1n } },
      { key: ['/a'], amounts: { seen_count: 1n } },
      { key: ['/a'], amounts: { seen_count: 1n } },
    ])
  })

  it.each([
    [{ page: '/' }, 'adds to no counter', undefined],
    [{ page: '/', seen: null }, 'is to grow by NULL', 'seen'],
    [{ page: '/', seen: 1.5 }, 'Hits.seen', 'seen'],
    [{ page: '/', sen: 1n }, 'has no property "sen"', 'sen'],
    [{ seen: 1n }, 'lacks page', 'page'],
  ])('are not added to by %o', async (given, message, column) => {
    const { db } = opened()
    expect(await rejection(db.increment('Hits', given))).toMatchObject({
      table: 'Hits',
      message: expect.stringContaining(message),
      ...(column !== undefined && { column }),
    })
  })

  it('are what only increment writes, and increment writes nothing else', async () => {
    const { db } = opened()
    const row = { page: '/', seen: 1n }
    for (const write of [db.insert('Hits', [row]), db.upsert('Hits', [row]), db.update('Hits', row)]) {
      expect(await rejection(write)).toMatchObject({
        code: 'UNSUPPORTED_WRITE',
        column: 'seen',
        fix: expect.stringContaining('db.increment'),
      })
    }
    expect(await rejection(db.increment(day, { place: 1, at: 1, note: 'x' }))).toMatchObject({
      code: 'INVALID_VALUE',
      message: expect.stringContaining('Day.note is not a counter.'),
    })
  })

  it('of unknown fate are told by their keys', async () => {
    const { db } = opened(({ row }) =>
      row[0] === '/b' ? new IsothermError('OUTCOME_UNKNOWN', 'No answer.') : undefined,
    )
    const rows = ['/a', '/b'].map((page) => ({ page, seen: 1n }))
    expect(await rejection(db.increment(hits, rows, { allowMultipleCommits: true }))).toMatchObject({
      code: 'PARTLY_WRITTEN',
      rows: [{ page: '/a' }],
      cause: { code: 'OUTCOME_UNKNOWN', rows: [{ page: '/b' }] },
    })
  })
})

describe('a static column', () => {
  const row = (at: number, owner: string | null, place = 1) => ({ place, at, owner })

  it.each([
    ['insert', { allowMultipleCommits: true, conditional: false }],
    ['upsert', { allowMultipleCommits: true }],
  ] as const)('has one value in each partition of an %s', async (op, options) => {
    const { db, driver } = opened()
    const written = db[op]('Tally', [row(1, 'ada'), row(2, 'ada'), row(1, 'bob', 2), row(3, 'eve')], options)
    expect(await rejection(written)).toMatchObject({
      code: 'INVALID_VALUE',
      table: 'Tally',
      column: 'owner',
      message:
        'Rows 0 and 3 of Tally give owner two values, and their partition has it once.' +
        ' Give it the same value in all rows of a partition, or in one of them; or write them one after the other.',
    })
    expect(driver.written).toStrictEqual([])
    await db[op]('Tally', [row(1, 'ada'), row(2, 'ada'), row(1, 'bob', 2)], options)
    expect(driver.written).toHaveLength(2)
  })

  it('that an insert leaves out contradicts nothing, and that an upsert empties does', async () => {
    const { db } = opened()
    await db.insert('Tally', [row(1, 'ada'), row(2, null)], { conditional: false })
    expect(await rejection(db.upsert('Tally', [row(1, 'ada'), row(2, null)]))).toMatchObject({
      column: 'owner',
    })
  })
})

it('what the engine has not is refused by name', async () => {
  const { db, driver } = opened()
  expect(await rejection(db.transaction(async () => {}))).toMatchObject({
    code: 'UNSUPPORTED_FEATURE',
    message: expect.stringContaining('Cassandra has no transactions over rows.'),
  })
  expect(() =>
    openDatabase({ driver, schema: db.schema, tables: dualWrites([{ from: 'Day', to: 'Post' }]) }),
  ).toThrow('A second table that is written beside the first needs SQL')
})
