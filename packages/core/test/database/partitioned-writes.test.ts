import { defineSchema, defineTable, IsothermError, openDatabase } from '@isotherm/core'
import { dualWrites } from '@isotherm/core/reshard'
import type { CqlDialect } from '@isotherm/cassandra'
import { keyspacesCql } from '@isotherm/cassandra'
import { describe, expect, it } from 'vitest'
import { rejection } from '../support/refusal.js'
import { partitionDriver, rowsOf, type Fate } from './support/partition-driver.js'

// What db.insert, update, upsert, delete and increment send to a database whose commit is one partition.

const day = defineTable('Day', (t) => ({
  position: t.int32().key(),
  at: t.int32().key(),
  note: t.string({ nullable: true }),
}))
const post = defineTable('Post', (t) => ({
  position: t.int32().key(),
  id: t.uuidV4(),
  note: t.string({ nullable: true }),
}))
const hits = defineTable('Hits', (t) => ({
  page: t.string().key(),
  seen: t.counter({ name: 'seen_count' }),
  taken: t.counter(),
}))

const tally = defineTable('Tally', (t) => ({
  position: t.int32().key(),
  at: t.int32().key(),
  owner: t.string({ static: true, nullable: true }),
  note: t.string({ nullable: true }),
}))

const UUID = '5e3f6f1c-6f7e-4c2e-9d53-6f6f1c6f7e4c'

function opened(fate?: Fate, dialect?: CqlDialect) {
  const driver = partitionDriver(dialect, fate)
  return { db: openDatabase({ driver, schema: defineSchema([day, post, hits, tally]) }), driver }
}

/** The commits: for each mutation its operation, whether its rows are new, and the number of its rows. */
function sent({ written }: ReturnType<typeof partitionDriver>) {
  return written.map(({ mutations }) =>
    mutations.map((mutation) => [
      mutation.op,
      'fresh' in mutation && mutation.fresh === true,
      rowsOf([mutation]).length,
    ]),
  )
}

describe('an insert into a database whose commits are single partitions', () => {
  const rows = (...positions: number[]) => positions.map((position, at) => ({ position, at }))

  it('makes one commit for each conditional row, and requires allowMultipleCommits for several rows', async () => {
    const { db, driver } = opened()
    expect(await rejection(db.insert(day, rows(1, 1)))).toMatchObject({
      code: 'TOO_MANY_MUTATIONS',
      table: 'Day',
      message: expect.stringContaining('2 rows of Day are written under a condition'),
      fix: expect.stringContaining('conditional: false'),
    })
    expect(await rejection(db.insert(day, rows(1, 2, 2)))).toMatchObject({
      message: expect.stringContaining(
        '3 rows of Day lie in 2 partitions, but a commit writes one partition.',
      ),
    })
    expect(driver.written).toStrictEqual([])
    const inserted = await db.insert(day, rows(1, 1, 2), { allowMultipleCommits: true })
    expect(inserted.commits).toBe(3)
    expect([...inserted]).toStrictEqual(rows(1, 1, 2).map((row) => ({ ...row, note: null })))
    expect(sent(driver)).toStrictEqual([1, 2, 3].map(() => [['insert', false, 1]]))
  })

  it('makes one commit for each partition of rows with client-generated UUIDs, and marks the rows as new', async () => {
    const { db, driver } = opened()
    const input = [1, 2, 1].map((position) => ({ position }))
    const inserted = await db.insert(post, input, { allowMultipleCommits: true })
    expect(inserted.commits).toBe(2)
    expect(sent(driver)).toStrictEqual([[['insert', true, 2]], [['insert', true, 1]]])
    expect(driver.written[0]!.mutations[0]).toMatchObject({ table: 'Post', layout: { partition: 1 } })
    expect(new Set(inserted.map(({ id }) => id)).size).toBe(3)
  })

  it('makes one conditional commit for each row with a client-generated UUID if conditional is true', async () => {
    const { db, driver } = opened()
    const inserted = await db.insert(post, [{ position: 1 }, { position: 1 }], {
      allowMultipleCommits: true,
      conditional: true,
    })
    expect(inserted.commits).toBe(2)
    expect(sent(driver)).toStrictEqual([1, 2].map(() => [['insert', false, 1]]))
  })

  it('makes a conditional commit of its own for a row with an explicit UUID', async () => {
    const { db, driver } = opened()
    const input = [{ position: 1 }, { position: 1, id: UUID }, { position: 1 }]
    expect((await db.insert(post, input, { allowMultipleCommits: true })).commits).toBe(2)
    expect(sent(driver)).toStrictEqual([[['insert', true, 2]], [['insert', false, 1]]])
  })

  it('makes commits of at most 30 rows of a partition on Keyspaces if conditional is false', async () => {
    const many = Array.from({ length: 70 }, (_, at) => ({ position: 1, at }))
    const { db, driver } = opened(undefined, keyspacesCql)
    expect(await rejection(db.insert(day, many, { conditional: false }))).toMatchObject({
      message: expect.stringContaining('70 rows of Day lie in one partition, and a commit holds 30.'),
    })
    expect((await db.insert(day, many, { conditional: false, allowMultipleCommits: true })).commits).toBe(3)
    expect(sent(driver).flat()).toStrictEqual([30, 30, 10].map((rows) => ['insert', false, rows]))
    expect(driver.written[0]!.options).toMatchObject({ conditional: false })
  })

  it('makes no commit for an empty list of rows', async () => {
    const { db, driver } = opened()
    expect((await db.insert(day, [])).commits).toBe(0)
    expect(driver.written).toStrictEqual([])
  })
})

describe('a write in several commits', () => {
  const rows = [0, 1, 2, 3].map((at) => ({ position: 10 + at, at }))
  const failing = (...codes: ('ALREADY_EXISTS' | 'OUTCOME_UNKNOWN' | undefined)[]) =>
    opened(({ row }) => {
      const code = codes[Number(row[0]) - 10]
      return code && new IsothermError(code, `Row ${String(row[0])}.`)
    })

  it('reports the committed rows and the rows of unknown outcome if some commits of an insert fail', async () => {
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

  it('throws the error of a failed commit itself if no row is committed', async () => {
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

  it('keeps what the error of an unknown outcome says of a repetition, and how to fix it', async () => {
    const said = { fix: 'Write the same again.', table: 'Day', retryable: true, retryFor: 5 }
    const { db } = opened(() => new IsothermError('OUTCOME_UNKNOWN', 'No answer.', said))
    const unknown = { code: 'OUTCOME_UNKNOWN', message: 'No answer. Write the same again.', ...said }
    expect(await rejection(db.insert(day, [rows[0]!]))).toMatchObject({ ...unknown, rows: [rows[0]] })
    expect(await rejection(db.upsert(day, [rows[1]!]))).toMatchObject({ ...unknown, rows: [rows[1]] })
  })

  it('reports the keys of the committed rows of an update or a delete', async () => {
    const key = ({ position, at }: (typeof rows)[number]) => ({ position, at })
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

describe('an update in a database whose commits are single partitions', () => {
  const change = { position: 1, at: 1, note: 'a' }

  it('makes one commit for each conditional row, and requires allowMultipleCommits for two rows', async () => {
    const { db, driver } = opened()
    expect(await db.update(day, change)).toStrictEqual({ commitTimestamp: undefined })
    const two = [change, { ...change, at: 2 }]
    expect((await rejection(db.update(day, two))).code).toBe('TOO_MANY_MUTATIONS')
    await db.update(day, two, { allowMultipleCommits: true })
    expect(sent(driver)).toStrictEqual([1, 2, 3].map(() => [['update', false, 1]]))
  })

  it('makes one commit for two rows of a partition if conditional is false', async () => {
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

it('an upsert and a delete make one commit for a partition and reject rows of several partitions', async () => {
  const { db, driver } = opened()
  const two = [1, 2].map((at) => ({ position: 1, at }))
  expect(await db.upsert(day, two)).toStrictEqual(two)
  expect(await db.delete(day, two)).toStrictEqual({ commitTimestamp: undefined })
  expect(
    (
      await rejection(
        db.upsert(day, [
          { position: 1, at: 1 },
          { position: 2, at: 1 },
        ]),
      )
    ).code,
  ).toBe('TOO_MANY_MUTATIONS')
  expect(sent(driver)).toStrictEqual([[['upsert', false, 2]], [['delete', false, 2]]])
})

describe('increment()', () => {
  it('sends one addition for each row, and requires allowMultipleCommits for several rows', async () => {
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
    [{ page: '/' }, 'names no counter', undefined],
    [{ page: '/', seen: null }, 'would be incremented by NULL', 'seen'],
    [{ page: '/', seen: 1.5 }, 'Hits.seen', 'seen'],
    [{ page: '/', sen: 1n }, 'has no property "sen"', 'sen'],
    [{ seen: 1n }, 'lacks page', 'page'],
  ])('rejects the increment %o', async (input, message, column) => {
    const { db } = opened()
    expect(await rejection(db.increment('Hits', input))).toMatchObject({
      table: 'Hits',
      message: expect.stringContaining(message),
      ...(column !== undefined && { column }),
    })
  })

  it('is the only write that accepts counter columns, and rejects other columns', async () => {
    const { db } = opened()
    const row = { page: '/', seen: 1n }
    for (const write of [db.insert('Hits', [row]), db.upsert('Hits', [row]), db.update('Hits', row)]) {
      expect(await rejection(write)).toMatchObject({
        code: 'UNSUPPORTED_WRITE',
        column: 'seen',
        fix: expect.stringContaining('db.increment'),
      })
    }
    expect(await rejection(db.increment(day, { position: 1, at: 1, note: 'x' }))).toMatchObject({
      code: 'INVALID_VALUE',
      message: expect.stringContaining('Day.note is not a counter.'),
    })
  })

  it('reports the keys of additions with an unknown outcome', async () => {
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
  const row = (at: number, owner: string | null, position = 1) => ({ position, at, owner })

  it.each([
    ['insert', { allowMultipleCommits: true, conditional: false }],
    ['upsert', { allowMultipleCommits: true }],
  ] as const)(
    'rejects an %s with two of its values in one partition, before any commit',
    async (op, options) => {
      const { db, driver } = opened()
      const written = db[op](
        'Tally',
        [row(1, 'ada'), row(2, 'ada'), row(1, 'bob', 2), row(3, 'eve')],
        options,
      )
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
    },
  )

  it('accepts an insert with a value and NULL in one partition, and rejects such an upsert', async () => {
    const { db } = opened()
    await db.insert('Tally', [row(1, 'ada'), row(2, null)], { conditional: false })
    expect(await rejection(db.upsert('Tally', [row(1, 'ada'), row(2, null)]))).toMatchObject({
      column: 'owner',
    })
  })
})

it('a database on Cassandra rejects transactions and dual writes with the name of the missing feature', async () => {
  const { db, driver } = opened()
  expect(await rejection(db.transaction(async () => {}))).toMatchObject({
    code: 'UNSUPPORTED_FEATURE',
    message: expect.stringContaining('Cassandra has no transactions over rows.'),
  })
  expect(() =>
    openDatabase({ driver, schema: db.schema, tables: dualWrites([{ from: 'Day', to: 'Post' }]) }),
  ).toThrow('A second table that is written beside the first needs SQL')
})
