import {
  compileDdl,
  defineSchema,
  defineTable,
  openDatabase,
  type ColumnBuilder,
  type TableBuilder,
} from '@isotherm/core'
import { googlesql, spanner, spannerPostgresql } from '@isotherm/spanner'
import { describe, expect, it } from 'vitest'
import { isDeep, someCases } from '../support/runs.js'
import { dialects, sharedEmulator, testDatabase } from '../support/spanner.js'
import { inPages } from '@isotherm/testing/data/paging'
import { strategies } from './support.js'

const Numbers = defineTable('Numbers', (t) => ({
  shard: t.shardKey({ shards: 3, of: ['value'] }),
  value: t.int64({ name: 'a_number' }).key('desc'),
  id: t.int64().key('desc'),
}))
const Small = defineTable('Small', (t) => ({
  shard: t.shardKey({ shards: 3, of: ['id'] }),
  value: t.int64({ as: 'number' }).key('desc'),
  id: t.int64().key('desc'),
}))
const Days = defineTable('Days', (t) => ({
  shard: t.shardKey({ shards: 3, of: ['id'] }),
  value: t.date().key('desc'),
  id: t.int64().key('desc'),
}))
const Child = defineTable(
  'Child',
  (t) => ({
    shard: t.parentKey<bigint>(),
    value: t.parentKey<string>(),
    id: t.parentKey<bigint>(),
    line: t.int64().key('desc'),
  }),
  { interleaveIn: () => Days, onDelete: 'cascade' },
)

const schema = defineSchema([Numbers, Small, Days, Child])

const columns = {
  googlesql: [
    'PRIMARY KEY (`shard`, `a_number` DESC, `id` DESC)',
    'PRIMARY KEY (`shard`, `value` DESC, `id` DESC, `line` DESC)',
  ],
  'spanner-postgresql': [
    '"a_number_desc" bigint NOT NULL GENERATED ALWAYS AS (-1 - "a_number") STORED,',
    '"value_desc" bigint NOT NULL GENERATED ALWAYS AS (-1 - "value") STORED,',
    `"value_desc" bigint NOT NULL GENERATED ALWAYS AS (-("value" - '0001-01-01'::date)) STORED,`,
    'PRIMARY KEY ("shard", "a_number_desc", "a_number", "id_desc", "id")',
    'PRIMARY KEY ("shard", "value_desc", "value", "id_desc", "id", "line_desc", "line")',
  ],
}

type Value = bigint | number | string

const forced = isDeep ? strategies : (['push-down'] as const)

const kinds: readonly [string, { readonly name: string }, readonly Value[]][] = [
  [
    'int64',
    Numbers,
    [
      -(2n ** 63n),
      -(2n ** 63n) + 1n,
      -(2n ** 53n) - 1n,
      -1n,
      0n,
      1n,
      2n ** 53n + 1n,
      2n ** 63n - 2n,
      2n ** 63n - 1n,
    ],
  ],
  ['int64 as a number', Small, [-(2 ** 53 - 1), -7, -1, 0, 1, 7, 2 ** 53 - 1]],
  [
    'date',
    Days,
    [
      '0001-01-01',
      '0001-01-02',
      '0004-02-29',
      '1582-10-04',
      '1582-10-15',
      '1969-12-31',
      '1970-01-01',
      '2024-02-29',
      '9999-12-31',
    ],
  ],
]

describe.each(dialects)('a descending key in $name', async (dialect) => {
  const { db } = await testDatabase(schema, dialect)

  it('is declared with DESC in GoogleSQL and with a mirror column in PostgreSQL', () => {
    const ddl = compileDdl(schema, { dialect }).join('\n')
    for (const column of columns[dialect.name]) expect(ddl).toContain(column)
  })

  it.each(kinds)(
    'sorts and filters keys of type %s in both orders and page by page, including minimum and maximum',
    async (_, { name }, values) => {
      const rows = values.flatMap((value, at) =>
        [-5n, 0n, 3n].map((each) => ({ value, id: each * 100n + BigInt(at) })),
      )
      await db.insert(name, rows)
      const query = db.fanOut(name).timestampBound({ exactStaleness: 0 })
      // The values are listed in their order.
      const wanted = rows.toSorted(
        (a, b) => values.indexOf(b.value) - values.indexOf(a.value) || Number(b.id - a.id),
      )
      const plain = (found: readonly Record<string, unknown>[]) =>
        found.map(({ value, id }) => ({ value, id }))
      for (const variant of [query, ...forced.map((strategy) => query.strategy(strategy))]) {
        expect(plain(await inPages(variant, 5))).toEqual(wanted)
        const ascending = variant.orderBy('value', 'asc').orderBy('id', 'asc')
        expect(plain(await inPages(ascending, 5))).toEqual(wanted.toReversed())
        expect(plain(await variant.orderBy('value', 'desc').orderBy('id', 'asc').all())).toEqual(
          rows.toSorted((a, b) => values.indexOf(b.value) - values.indexOf(a.value) || Number(a.id - b.id)),
        )
      }
      expect(plain(await inPages(query, 1))).toEqual(wanted)
      for (const [at, value] of someCases([...values.entries()], 3)) {
        const positionOf = (row: { value: Value }) => values.indexOf(row.value)
        for (const variant of [query, query.strategy('push-down')]) {
          expect(plain(await variant.where({ value }).all())).toEqual(
            wanted.filter((row) => positionOf(row) === at),
          )
          expect(plain(await variant.where({ value: { gt: value } }).all())).toEqual(
            wanted.filter((row) => positionOf(row) > at),
          )
          expect(plain(await variant.where({ value: { lte: value } }).all())).toEqual(
            wanted.filter((row) => positionOf(row) <= at),
          )
          expect(plain(await variant.where({ value: { in: [value, values[0]] } }).all())).toEqual(
            wanted.filter((row) => positionOf(row) === at || positionOf(row) === 0),
          )
        }
        const key = { value, id: -500n + BigInt(at) }
        expect(await db.get(name, key)).toMatchObject(key)
      }
      expect(String(query.where({ value: values[2] }).explain().filter)).not.toContain('_desc')
    },
  )

  it('is inherited by a child table that has a descending key part of its own', async () => {
    const [day] = await db.insert(Days, [{ value: '2026-11-21', id: -77n }])
    const { shard, value, id } = day!
    const lines = await db.insert(
      Child,
      [1n, -(2n ** 63n), 2n ** 63n - 1n].map((line) => ({ shard, value, id, line })),
    )
    const own = db.fanOut(Child).where({ value, id })
    expect((await own.all()).map(({ line }) => line)).toEqual([2n ** 63n - 1n, 1n, -(2n ** 63n)])
    for (const line of lines) expect(await db.get(Child, { value, id, line: line.line, shard })).toEqual(line)
    await db.delete(Days, { value, id })
    expect(await own.count()).toBe(0)
  })
})

describe('a descending key of a type without a mirror column', async () => {
  const emulator = await sharedEmulator()
  const types: [string, (t: TableBuilder) => ColumnBuilder<unknown>, Value | boolean | Buffer][] = [
    ['string', (t) => t.string({ length: 20 }).key('desc'), 'b'],
    ['bytes', (t) => t.bytes({ length: 20 }).key('desc'), Buffer.from('b')],
    ['bool', (t) => t.bool().key('desc'), true],
    ['uuid', (t) => t.uuid().key('desc'), '7b9bb4a4-0000-4000-8000-000000000000'],
    ['float64', (t) => t.float64().key('desc'), 1.5],
    ['numeric', (t) => t.numeric().key('desc'), '1.5'],
  ]
  const schemaOf = (value: (t: TableBuilder) => ColumnBuilder<unknown>) =>
    defineSchema([defineTable('Descending', (t) => ({ id: t.int64().key(), value: value(t) }))])

  it.each(types)(
    'is rejected with UNSUPPORTED_MODEL in PostgreSQL when the type is %s',
    async (type, column) => {
      const schema = schemaOf(column)
      const refused = expect.objectContaining({
        code: 'UNSUPPORTED_MODEL',
        table: 'Descending',
        column: 'value',
        message: expect.stringContaining(`Descending.value of type ${type} cannot descend in a primary key.`),
      })
      expect(() => compileDdl(schema, { dialect: spannerPostgresql })).toThrow(refused)
      const client = await emulator.database({ dialect: spannerPostgresql })
      expect(() => openDatabase({ driver: spanner(client), schema })).toThrow(refused)
    },
  )

  it.each(types)('a key of type %s descends in GoogleSQL', async (_, column, value) => {
    const schema = schemaOf(column)
    const { db } = await testDatabase(schema, googlesql)
    expect(compileDdl(schema, { dialect: googlesql })[0]).toContain('PRIMARY KEY (`id`, `value` DESC)')
    const [row] = await db.insert('Descending', [{ id: 1n, value }])
    expect(await db.get('Descending', { id: 1n, value })).toEqual(row)
    expect(await db.fanOut('Descending').all()).toEqual([row])
  })
})
