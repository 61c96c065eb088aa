import type { KeyRange, Mutation, TableLayout, Wire } from '@isotherm/core/engine'
import { describe, expect, it } from 'vitest'
import { type CqlStatement, cqlStatements } from '../../src/cql/statements.js'
import { fieldNamed, keyPart, layoutByHand } from './support/key.js'

const cassandra = cqlStatements({ tupleRelations: true })
const keyspaces = cqlStatements({ tupleRelations: false })
const both = [
  ['cassandra', cassandra],
  ['keyspaces', keyspaces],
] as const

const text = { kind: 'string', length: 'max' } as const

const post = layoutByHand(
  'post',
  [
    keyPart('publish_date', 'asc', { kind: 'date' }),
    keyPart('shard', 'asc', { kind: 'int32' }),
    keyPart('published_at', 'desc', { kind: 'timestamp' }),
    keyPart('id', 'asc', { kind: 'uuid' }),
  ],
  2,
  [fieldNamed('title', text)],
)
const columns = post.columns
const partition = ['2026-11-22', 7]
const at = '2026-11-22T10:00:00.000Z'
const id = '936da01f-9abd-4d9d-80c7-02af85c822a8'
const selected = 'SELECT "publish_date", "shard", "published_at", "id", "title" FROM "post"'
const inPartition = 'WHERE "publish_date" = ? AND "shard" = ?'

const descending = layoutByHand('log', [keyPart('day'), keyPart('at', 'desc'), keyPart('id', 'desc')], 1)

const order = layoutByHand('order', [keyPart('id')], 1, [fieldNamed('customer', text)], {
  table: 'order',
  as: 'static',
})
const line = layoutByHand('order_line', [keyPart('id'), keyPart('line')], 1, [fieldNamed('sku', text)], {
  table: 'order',
  as: 'rows beside static',
})
const hits = layoutByHand('page_hits', [keyPart('page', 'asc', text), keyPart('day')], 1, [
  fieldNamed('hits', { kind: 'counter' }),
  fieldNamed('users', { kind: 'counter' }),
])

function rangeOf(start: readonly Wire[], end: readonly Wire[], startOpen = false, endOpen = false): KeyRange {
  return { start, startOpen, end, endOpen }
}

function shown({ text, parameters }: CqlStatement): unknown {
  return [text, parameters.map(({ value }) => value)]
}

function insertOf(
  layout: TableLayout,
  columns: readonly string[],
  row: readonly Wire[],
  more = {},
): Mutation {
  return { op: 'insert', table: layout.table.name, layout, columns, rows: [row], ...more }
}

describe('get()', () => {
  it('selects a row by its whole key', () => {
    const statement = cassandra.get(post, columns, [...partition, at, id])
    expect(shown(statement)).toEqual([
      `${selected} ${inPartition} AND "published_at" = ? AND "id" = ?`,
      [...partition, at, id],
    ])
    expect(statement).toMatchObject({ kind: 'read', idempotent: true, routing: [0, 1] })
  })

  it('reads a row of static columns with LIMIT 1 and the marker _row', () => {
    const statement = cassandra.get(order, order.columns, ['5'])
    expect(shown(statement)).toEqual([
      'SELECT "id", "customer", "_row" FROM "order" WHERE "id" = ? LIMIT 1',
      ['5'],
    ])
    expect(statement).toMatchObject({ requestedCount: 2, present: [2] })
  })

  it('reuses the column list for the same columns, and writes another text for other columns', () => {
    const some = [columns[4]!]
    const first = cassandra.get(post, some, [...partition, at, id])
    expect(first.text).toMatch(/^SELECT "title" FROM/)
    expect(cassandra.get(post, some, [...partition, at, id]).columns).toBe(first.columns)
    expect(cassandra.get(post, columns, [...partition, at, id]).text).not.toBe(first.text)
  })

  it('quotes names that contain quotation marks and CQL code', () => {
    const odd = layoutByHand('a"; DROP TABLE x; --', [keyPart('b" = 1 --')], 1)
    expect(cassandra.get(odd, odd.columns, ['1']).text).toBe(
      'SELECT "b"" = 1 --" FROM "a""; DROP TABLE x; --" WHERE "b"" = 1 --" = ?',
    )
  })
})

describe.each(both)('range() for %s', (engine, statements) => {
  const range = (range: KeyRange, limit?: number, reversed = false, layout = post): unknown[] =>
    statements.range(layout, layout.columns, range, limit, reversed).map(shown)

  it('reads a whole partition, with or without a limit', () => {
    expect(range(rangeOf(partition, partition))).toEqual([[`${selected} ${inPartition}`, partition]])
    expect(range(rangeOf(partition, partition), 5)).toEqual([
      [`${selected} ${inPartition} LIMIT ?`, [...partition, 5]],
    ])
  })

  it('reads the rows between two bounds of a clustering column', () => {
    const [late, early] = ['2026-11-22T20:00:00.000Z', '2026-11-22T08:00:00.000Z']
    expect(range(rangeOf([...partition, late], [...partition, early], true), 5)).toEqual([
      [
        `${selected} ${inPartition} AND "published_at" >= ? AND "published_at" < ? LIMIT ?`,
        [...partition, early, late, 5],
      ],
    ])
  })

  it('reads a range backwards with ORDER BY', () => {
    expect(range(rangeOf([...partition, at], partition), 5, true)).toEqual([
      [
        `${selected} ${inPartition} AND "published_at" <= ? ORDER BY "published_at" ASC, "id" DESC LIMIT ?`,
        [...partition, at, 5],
      ],
    ])
  })

  it('continues after a row in two statements when clustering columns have opposite directions', () => {
    const statementsOf = range(rangeOf([...partition, at, id], partition, true), 5)
    const rest = [
      `${selected} ${inPartition} AND "published_at" = ? AND "id" > ? LIMIT ?`,
      [...partition, at, id, 5],
    ]
    const later = [`${selected} ${inPartition} AND "published_at" < ? LIMIT ?`, [...partition, at, 5]]
    expect(statementsOf).toEqual([rest, later])
    const before = range(rangeOf(partition, [...partition, at, id], false, true), undefined, true)
    const backwards = 'ORDER BY "published_at" ASC, "id" DESC'
    expect(before).toEqual([
      [`${selected} ${inPartition} AND "published_at" = ? AND "id" < ? ${backwards}`, [...partition, at, id]],
      [`${selected} ${inPartition} AND "published_at" > ? ${backwards}`, [...partition, at]],
    ])
  })

  it('continues after a row in one statement in Cassandra and in two statements in Keyspaces', () => {
    const head = 'SELECT "day", "at", "id" FROM "log" WHERE "day" = ?'
    const inTwo = [
      [`${head} AND "at" = ? AND "id" < ?`, ['1', '5', '7']],
      [`${head} AND "at" < ?`, ['1', '5']],
    ]
    const inOne = [[`${head} AND ("at", "id") < (?, ?)`, ['1', '5', '7']]]
    const behind = rangeOf(['1', '5', '7'], ['1'], true)
    expect(range(behind, undefined, false, descending)).toEqual(engine === 'cassandra' ? inOne : inTwo)
  })

  it('writes both bounds as tuples in Cassandra, and neither bound as a tuple in Keyspaces', () => {
    const head = 'SELECT "day", "at", "id" FROM "log" WHERE "day" = ?'
    const statementsOf = range(rangeOf(['1', '5', '7'], ['1', '2']), undefined, false, descending)
    expect(statementsOf).toEqual(
      engine === 'cassandra'
        ? [[`${head} AND ("at") >= (?) AND ("at", "id") <= (?, ?)`, ['1', '2', '5', '7']]]
        : [
            [`${head} AND "at" = ? AND "id" <= ?`, ['1', '5', '7']],
            [`${head} AND "at" >= ? AND "at" < ?`, ['1', '2', '5']],
          ],
    )
  })

  it('returns no statement for a range without keys', () => {
    expect(range(rangeOf([...partition, null], [...partition, null]))).toEqual([])
    expect(range(rangeOf(['2026-11-22', null], ['2026-11-22', null]))).toEqual([])
    expect(range(rangeOf(partition, partition, true))).toEqual([])
  })

  it('reads static columns with LIMIT 1 for any requested limit', () => {
    expect(range(rangeOf(['5'], ['5']), 100, false, order)).toEqual([
      ['SELECT "id", "customer", "_row" FROM "order" WHERE "id" = ? LIMIT 1', ['5']],
    ])
  })

  it('also reads a clustering column, to tell rows from a partition without rows', () => {
    expect(statements.range(line, line.columns, rangeOf(['5'], ['5']), undefined, false)).toMatchObject([
      { text: 'SELECT "id", "line", "sku" FROM "order" WHERE "id" = ?', requestedCount: 3, present: [1] },
    ])
    expect(statements.range(line, [line.columns[2]!], rangeOf(['5'], ['5']), undefined, false)).toMatchObject(
      [{ text: 'SELECT "sku", "line" FROM "order" WHERE "id" = ?', requestedCount: 1, present: [1] }],
    )
  })

  it('throws UNSUPPORTED_QUERY for a range that is not in one partition', () => {
    const broken = [
      rangeOf([], []),
      rangeOf(['2026-11-22'], ['2026-11-22']),
      rangeOf(partition, ['2026-11-22', 8]),
      rangeOf(partition, []),
    ]
    for (const each of broken) {
      expect(() => range(each)).toThrowError(
        expect.objectContaining({
          code: 'UNSUPPORTED_QUERY',
          table: 'post',
          fix: expect.stringContaining('publish_date'),
        }),
      )
    }
  })
})

describe('write()', () => {
  const names = columns.map(({ name }) => name)
  const row = [...partition, at, id, 'a']
  const checked = { conditional: true }
  const plain = { conditional: false }
  const into =
    'INSERT INTO "post" ("publish_date", "shard", "published_at", "id", "title") VALUES (?, ?, ?, ?, ?)'
  const whereKey = `${inPartition} AND "published_at" = ? AND "id" = ?`
  const write = (...args: Parameters<typeof cassandra.write>): unknown[] =>
    cassandra.write(...args).map(shown)

  it('adds IF NOT EXISTS to an insert only in a conditional write of a row not marked as fresh', () => {
    const [statement] = cassandra.write(insertOf(post, names, row), checked)
    expect(shown(statement!)).toEqual([`${into} IF NOT EXISTS`, row])
    expect(statement).toMatchObject({ kind: 'conditional', idempotent: false, routing: [0, 1] })
    const [fresh] = cassandra.write(insertOf(post, names, row, { fresh: true }), checked)
    expect(shown(fresh!)).toEqual([into, row])
    expect(fresh).toMatchObject({ kind: 'write', idempotent: true, routing: [0, 1] })
    expect(write(insertOf(post, names, row), plain)).toEqual([[into, row]])
  })

  it('returns one statement for each row, all with the same text', () => {
    const rows = ['a', 'b'].map((title) => [...partition, at, id, title])
    const statements = cassandra.write(
      { op: 'upsert', table: 'post', layout: post, columns: names, rows },
      checked,
    )
    expect(statements.map(shown)).toEqual(rows.map((values) => [into, values]))
  })

  it('adds USING TTL and TIMESTAMP when a time to live or a write time is set', () => {
    expect(
      write(insertOf(post, names, row), { ...plain, ttlSeconds: 60, writeTime: 9_007_199_254_740_993n }),
    ).toEqual([[`${into} USING TTL ? AND TIMESTAMP ?`, [...row, 60, '9007199254740993']]])
    expect(write(insertOf(post, names, row), { ...plain, writeTime: 5n })).toEqual([
      [`${into} USING TIMESTAMP ?`, [...row, '5']],
    ])
    expect(write(insertOf(post, names, row), { ...checked, ttlSeconds: 60 })).toEqual([
      [`${into} IF NOT EXISTS USING TTL ?`, [...row, 60]],
    ])
    const keys = [row.slice(0, 4)]
    expect(
      write({ op: 'delete', table: 'post', layout: post, keys }, { ...plain, ttlSeconds: 60, writeTime: 5n }),
    ).toEqual([[`DELETE FROM "post" USING TIMESTAMP ? ${whereKey}`, ['5', ...keys[0]!]]])
  })

  it('writes UPDATE with the key columns at any position in the list of columns', () => {
    const update: Mutation = {
      op: 'update',
      table: 'post',
      layout: post,
      columns: ['title', 'id', 'publish_date', 'shard', 'published_at'],
      rows: [['b', id, ...partition, at]],
    }
    const where = '"id" = ? AND "publish_date" = ? AND "shard" = ? AND "published_at" = ?'
    const [statement] = cassandra.write(update, checked)
    expect(shown(statement!)).toEqual([
      `UPDATE "post" SET "title" = ? WHERE ${where} IF EXISTS`,
      ['b', id, ...partition, at],
    ])
    expect(statement!.routing).toEqual([2, 3])
    expect(write(update, { ...plain, ttlSeconds: 60, writeTime: 5n })).toEqual([
      [
        `UPDATE "post" USING TTL ? AND TIMESTAMP ? SET "title" = ? WHERE ${where}`,
        [60, '5', 'b', id, ...partition, at],
      ],
    ])
  })

  it('writes a row of static columns with the marker _row, and checks _row in conditional writes', () => {
    const set = ['id', 'customer']
    expect(write(insertOf(order, set, ['5', 'c']), plain)).toEqual([
      ['INSERT INTO "order" ("id", "_row", "customer") VALUES (?, true, ?)', ['5', 'c']],
    ])
    expect(write(insertOf(order, set, ['5', 'c']), checked)).toEqual([
      ['UPDATE "order" SET "_row" = true, "customer" = ? WHERE "id" = ? IF "_row" = NULL', ['c', '5']],
    ])
    const update: Mutation = { op: 'update', table: 'order', layout: order, columns: set, rows: [['5', 'd']] }
    expect(write(update, checked)).toEqual([
      ['UPDATE "order" SET "customer" = ? WHERE "id" = ? IF "_row" = true', ['d', '5']],
    ])
    expect(write(update, plain)).toEqual([
      ['UPDATE "order" SET "_row" = true, "customer" = ? WHERE "id" = ?', ['d', '5']],
    ])
    expect(write({ op: 'delete', table: 'order', layout: order, keys: [['5']] }, checked)).toEqual([
      ['DELETE FROM "order" WHERE "id" = ?', ['5']],
    ])
  })

  it('inserts a row of static columns that has only a key by setting the marker _row', () => {
    expect(write(insertOf(order, ['id'], ['5']), checked)).toEqual([
      ['UPDATE "order" SET "_row" = true WHERE "id" = ? IF "_row" = NULL', ['5']],
    ])
  })

  it('throws INVALID_VALUE for an update without columns, and UNSUPPORTED_WRITE for a table without a model', () => {
    const nothing: Mutation = {
      op: 'update',
      table: 'log',
      layout: descending,
      columns: ['day'],
      rows: [['1']],
    }
    expect(() => write(nothing, plain)).toThrowError(expect.objectContaining({ code: 'INVALID_VALUE' }))
    expect(() => write({ op: 'delete', table: 'x', keys: [['1']] }, plain)).toThrowError(
      expect.objectContaining({ code: 'UNSUPPORTED_WRITE', table: 'x' }),
    )
  })
})

describe('writeIf()', () => {
  const sequences = layoutByHand('sequences', [keyPart('name', 'asc', text)], 1, [fieldNamed('next_value')])
  const lease = layoutByHand('lease', [keyPart('scope', 'asc', text), keyPart('migration')], 1, [
    fieldNamed('holder', text),
    fieldNamed('since'),
  ])
  const update: Mutation = {
    op: 'update',
    table: 'sequences',
    layout: sequences,
    columns: ['name', 'next_value'],
    rows: [['invoice', '8']],
  }

  it('compares the stored value of a column in the IF clause', () => {
    const statement = cassandra.writeIf(update, { next_value: '7' }, {})
    expect(shown(statement)).toEqual([
      'UPDATE "sequences" SET "next_value" = ? WHERE "name" = ? IF "next_value" = ?',
      ['8', 'invoice', '7'],
    ])
    expect(statement).toMatchObject({ kind: 'conditional', idempotent: false, routing: [1] })
  })

  it('writes static columns by the partition key alone', () => {
    const take: Mutation = {
      op: 'upsert',
      table: 'lease',
      layout: lease,
      columns: ['scope', 'holder', 'since'],
      rows: [['m', 'a', '1']],
    }
    expect(shown(cassandra.writeIf(take, { since: '3', holder: null }, { ttlSeconds: 30 }))).toEqual([
      'UPDATE "lease" USING TTL ? SET "holder" = ?, "since" = ? WHERE "scope" = ? IF "since" = ? AND "holder" = NULL',
      [30, 'a', '1', 'm', '3'],
    ])
  })

  it('adds IF NOT EXISTS to an insert and IF EXISTS to an update when no value is compared', () => {
    const insert = insertOf(sequences, ['name', 'next_value'], ['invoice', '1'], { fresh: true })
    expect(shown(cassandra.writeIf(insert, null, {}))).toEqual([
      'INSERT INTO "sequences" ("name", "next_value") VALUES (?, ?) IF NOT EXISTS',
      ['invoice', '1'],
    ])
    expect(cassandra.writeIf(update, null, {}).text).toMatch(/ IF EXISTS$/)
    const gone: Mutation = { op: 'delete', table: 'sequences', layout: sequences, keys: [['invoice']] }
    expect(shown(cassandra.writeIf(gone, { next_value: '7' }, {}))).toEqual([
      'DELETE FROM "sequences" WHERE "name" = ? IF "next_value" = ?',
      ['invoice', '7'],
    ])
  })

  it('throws UNSUPPORTED_WRITE for a mutation of two rows', () => {
    const two: Mutation = { ...update, rows: [...update.rows, ...update.rows] }
    expect(() => cassandra.writeIf(two, null, {})).toThrowError(
      expect.objectContaining({ code: 'UNSUPPORTED_WRITE' }),
    )
  })
})

describe('add()', () => {
  it('adds to several counters in one statement', () => {
    const [hit, user] = ['hits', 'users'].map((name) => hits.byProperty.get(name)!.physical[0]!)
    const statement = cassandra.add(
      hits,
      ['/', '2'],
      new Map([
        [hit!, 1n],
        [user!, -2n],
      ]),
    )
    expect(shown(statement)).toEqual([
      'UPDATE "page_hits" SET "hits" = "hits" + ?, "users" = "users" + ? WHERE "page" = ? AND "day" = ?',
      ['1', '-2', '/', '2'],
    ])
    expect(statement).toMatchObject({ kind: 'counter', idempotent: false, routing: [2] })
    expect(statement.parameters[0]).toMatchObject({ name: 'hits', type: { kind: 'counter' } })
  })
})
