import { defineSchema, defineTable, type Schema, type SchemaOptions, type SqlDialect } from '@isotherm/core'
import {
  diffSchemas,
  MigrationRefusedError,
  planMigration,
  type RefusalKind,
  type Renames,
} from '@isotherm/migrations'
import { googlesql, spannerPostgresql } from '@isotherm/spanner'
import { describe, expect, it } from 'vitest'
import { refusal } from '../../core/test/support/refusal.js'
import { both, table, tableT } from './plans/case.js'

interface RefusedChange {
  readonly name: string
  readonly from: Schema
  readonly to: Schema
  readonly renames?: Renames
  readonly kind: RefusalKind
  readonly at: string
  readonly only?: SqlDialect
}

const sharded = (shards: number, more: object = {}) =>
  defineSchema([
    defineTable('R', (t) => ({
      shard: t.shardKey({ shards, of: ['user'], ...more }),
      user: t.int64().key(),
    })),
  ])
const random = (shards: number) =>
  defineSchema([
    defineTable('R', (t) => ({ shard: t.shardKey({ shards, strategy: 'random' }), id: t.uuidV4() })),
  ])

const parents = (parent: 'A' | 'B' | undefined) => {
  const [A, B] = ['A', 'B'].map((name) => defineTable(name, (t) => ({ id: t.string({ length: 9 }).key() })))
  const options = parent && { interleaveIn: () => (parent === 'A' ? A! : B!) }
  return defineSchema([
    A!,
    B!,
    defineTable(
      'C',
      (t) => ({ id: parent ? t.parentKey<string>() : t.string({ length: 9 }).key(), n: t.int64().key() }),
      options as never,
    ),
  ])
}

const family = (length: number) => {
  const Parent = defineTable('P', (t) => ({ id: t.string({ length }).key() }))
  return defineSchema([
    Parent,
    defineTable('C', (t) => ({ id: t.parentKey<string>(), n: t.int64().key() }), {
      interleaveIn: () => Parent,
    }),
  ])
}

const viewed = (columns: readonly string[], options: SchemaOptions = {}) =>
  table((t) => Object.fromEntries(columns.map((name) => [name, t.int64({ nullable: true })])), {}, options)
const view = (query: string) => ({ views: [{ name: 'V', query }] })

const shardedIndex = (shards: number) =>
  table((t) => ({ at: t.timestamp() }), {
    indexes: [{ name: 'ByAt', on: ['at'], shard: { shards, of: ['id'] } }],
  } as never)

const uuid = (storage?: 'bytes' | 'int64-pair' | 'native') =>
  table((t) => ({ u: t.uuid({ nullable: true, ...(storage && { storage }) }) }))

const changes: readonly RefusedChange[] = [
  { name: 'another number of shards', from: sharded(4), to: sharded(8), kind: 'primary-key', at: 'R.shard' },
  {
    name: 'another number of client-computed shards',
    from: sharded(4, { computedBy: 'client' }),
    to: sharded(8, { computedBy: 'client' }),
    kind: 'primary-key',
    at: 'R.shard',
  },
  { name: 'fewer random shards', from: random(8), to: random(4), kind: 'primary-key', at: 'R.shard' },
  {
    name: 'another primary key',
    from: table((t) => ({ n: t.int64() })),
    to: table((t) => ({ n: t.int64().key() })),
    kind: 'primary-key',
    at: 'T',
  },
  {
    name: 'a key column of another type',
    from: defineSchema([defineTable('K', (t) => ({ id: t.int64().key() }))]),
    to: defineSchema([defineTable('K', (t) => ({ id: t.string({ length: 9 }).key() }))]),
    kind: 'column-type',
    at: 'K.id',
  },
  {
    name: 'a key column that becomes nullable',
    from: defineSchema([defineTable('K', (t) => ({ id: t.int64().key() }))]),
    to: defineSchema([defineTable('K', (t) => ({ id: t.int64({ nullable: true }).key() }))]),
    kind: 'primary-key',
    at: 'K.id',
    only: googlesql,
  },
  { name: 'another parent', from: parents('A'), to: parents('B'), kind: 'interleaving', at: 'C' },
  {
    name: 'a parent for a table without a parent',
    from: parents(undefined),
    to: parents('A'),
    kind: 'interleaving',
    at: 'C',
  },
  {
    name: 'the removal of a parent',
    from: parents('A'),
    to: parents(undefined),
    kind: 'interleaving',
    at: 'C',
  },
  {
    name: 'a longer key column that child tables inherit',
    from: family(9),
    to: family(19),
    kind: 'inherited-key',
    at: 'P.id',
  },
  {
    name: 'another column type',
    from: table((t) => ({ n: t.int64() })),
    to: table((t) => ({ n: t.float64() })),
    kind: 'column-type',
    at: 'T.n',
  },
  {
    name: 'another element type of an array',
    from: table((t) => ({ n: t.array({ kind: 'string', length: 'max' }) })),
    to: table((t) => ({ n: t.array({ kind: 'bytes', length: 'max' }) })),
    kind: 'column-type',
    at: 'T.n',
  },
  {
    name: 'another type of a column that a generated column reads',
    from: table((t) => ({ s: t.string(), g: t.int64({ nullable: true, generated: 'length(s)' }) })),
    to: table((t) => ({ s: t.bytes(), g: t.int64({ nullable: true, generated: 'length(s)' }) })),
    kind: 'column-type',
    at: 'T.s',
  },
  {
    name: 'another type of a column that a dropped generated column reads',
    from: table((t) => ({
      s: t.string(),
      g: t.int64({ nullable: true, generated: 'length(s)' }),
      v: t.int64({ nullable: true, generated: 'g', stored: false }),
    })),
    to: table((t) => ({ s: t.bytes(), v: t.int64({ nullable: true, generated: 'id', stored: false }) })),
    kind: 'column-type',
    at: 'T.s',
    only: googlesql,
  },
  {
    name: 'a text UUID that changes to bytes',
    from: uuid(),
    to: uuid('bytes'),
    kind: 'uuid-storage',
    at: 'T.u',
  },
  {
    name: 'a text UUID that changes to the native type',
    from: uuid(),
    to: uuid('native'),
    kind: 'uuid-storage',
    at: 'T.u',
  },
  {
    name: 'a text UUID that changes to two columns',
    from: uuid(),
    to: uuid('int64-pair'),
    kind: 'uuid-storage',
    at: 'T.u',
  },
  {
    name: 'a UUID in two columns that changes to text',
    from: uuid('int64-pair'),
    to: uuid(),
    kind: 'uuid-storage',
    at: 'T.u',
  },
  {
    name: 'a UUID in bytes that changes to a string',
    from: uuid('bytes'),
    to: table((t) => ({ u: t.string({ nullable: true }) })),
    kind: 'column-type',
    at: 'T.u',
  },
  {
    name: 'a string that changes to a UUID in bytes',
    from: table((t) => ({ u: t.string({ nullable: true }) })),
    to: uuid('bytes'),
    kind: 'column-type',
    at: 'T.u',
  },
  {
    name: 'a new column that is NOT NULL',
    from: table(() => ({})),
    to: table((t) => ({ n: t.int64() })),
    kind: 'not-null',
    at: 'T.n',
  },
  {
    name: 'an array column that becomes NOT NULL',
    from: table((t) => ({ n: t.array({ kind: 'int64' }, { nullable: true }) })),
    to: table((t) => ({ n: t.array({ kind: 'int64' }) })),
    kind: 'not-null',
    at: 'T.n',
  },
  {
    name: 'another expression of a stored generated column',
    from: table((t) => ({ n: t.int64({ generated: 'id + 1' }) })),
    to: table((t) => ({ n: t.int64({ generated: 'id + 2' }) })),
    kind: 'generated-column',
    at: 'T.n',
  },
  {
    name: 'an expression whose parentheses move',
    from: table((t) => ({ n: t.int64({ generated: '(id + 1) * 2' }) })),
    to: table((t) => ({ n: t.int64({ generated: 'id + 1 * 2' }) })),
    kind: 'generated-column',
    at: 'T.n',
  },
  {
    name: 'another expression of a virtual column',
    from: table((t) => ({ n: t.int64({ generated: 'id + 1', stored: false, nullable: true }) })),
    to: table((t) => ({ n: t.int64({ generated: 'id + 2', stored: false, nullable: true }) })),
    kind: 'generated-column',
    at: 'T.n',
    only: spannerPostgresql,
  },
  {
    name: 'another number of shards of an index',
    from: shardedIndex(4),
    to: shardedIndex(8),
    kind: 'generated-column',
    at: 'T.ByAt_shard',
    only: spannerPostgresql,
  },
  {
    name: 'a generated column that becomes a plain column',
    from: table((t) => ({ n: t.int64({ generated: 'id + 1' }) })),
    to: table((t) => ({ n: t.int64() })),
    kind: 'generated-column',
    at: 'T.n',
  },
  {
    name: 'a virtual column that becomes stored',
    from: table((t) => ({ n: t.int64({ generated: 'id + 1', stored: false, nullable: true }) })),
    to: table((t) => ({ n: t.int64({ generated: 'id + 1', nullable: true }) })),
    kind: 'generated-column',
    at: 'T.n',
  },
  {
    name: 'an identity column that becomes a plain column',
    from: defineSchema([defineTable('K', (t) => ({ id: t.bitReversedId() }))]),
    to: defineSchema([defineTable('K', (t) => ({ id: t.int64().key() }))]),
    kind: 'identity',
    at: 'K.id',
  },
  {
    name: 'the removal of commit timestamps',
    from: table((t) => ({ at: t.timestamp({ default: 'commit' }) })),
    to: table((t) => ({ at: t.timestamp() })),
    kind: 'commit-timestamp',
    at: 'T.at',
    only: spannerPostgresql,
  },
  {
    name: 'a hidden column that becomes visible',
    from: table((t) => ({ n: t.int64({ hidden: true }) })),
    to: table((t) => ({ n: t.int64() })),
    kind: 'hidden',
    at: 'T.n',
    only: googlesql,
  },
  {
    name: 'the removal of the skip range of a sequence',
    from: viewed(['n'], { sequences: [{ name: 'S', skipRange: [1n, 2n] }] }),
    to: viewed(['n'], { sequences: [{ name: 'S' }] }),
    kind: 'sequence',
    at: 'S',
    only: spannerPostgresql,
  },
  {
    name: 'dropping a column that a check reads',
    from: table((t) => ({ n: t.int64() }), { checks: [{ name: 'C', expression: 'n > 0' }] }),
    to: table(() => ({}), { checks: [{ name: 'C', expression: 'n > 0' }] }),
    kind: 'in-use',
    at: 'T.n',
  },
  {
    name: 'dropping a column that a generated column reads',
    from: table((t) => ({ n: t.int64(), g: t.int64({ generated: 'n + 1' }) })),
    to: table((t) => ({ g: t.int64({ generated: 'n + 1' }) })),
    kind: 'in-use',
    at: 'T.n',
  },
  {
    name: 'dropping a column that a view reads',
    from: viewed(['n', 'm'], view('SELECT t.n FROM T AS t')),
    to: viewed(['m'], view('SELECT t.n FROM T AS t')),
    kind: 'in-use',
    at: 'V',
    only: googlesql,
  },
  {
    name: 'dropping a table that a view reads',
    from: defineSchema(
      [tableT(() => ({})), defineTable('Old', (t) => ({ id: t.int64().key() }))],
      view('SELECT o.id FROM "Old" AS o'.replaceAll('"', '`')),
    ),
    to: table(() => ({}), {}, view('SELECT o.id FROM `Old` AS o')),
    kind: 'in-use',
    at: 'V',
    only: googlesql,
  },
  {
    name: 'renaming a table that a view still reads',
    from: defineSchema(
      [defineTable('Old', (t) => ({ id: t.int64().key() }))],
      view('SELECT o.id FROM `Old` AS o'),
    ),
    to: defineSchema(
      [defineTable('New', (t) => ({ id: t.int64().key() }))],
      view('SELECT o.id FROM `Old` AS o'),
    ),
    renames: { tables: { Old: 'New' } },
    kind: 'in-use',
    at: 'V',
    only: googlesql,
  },
  {
    name: 'a column name that changes only in case',
    from: viewed(['name']),
    to: viewed(['Name']),
    kind: 'name',
    at: 'T.Name',
  },
  {
    name: 'a table name that changes only in case',
    from: defineSchema([defineTable('order', (t) => ({ id: t.int64().key() }))]),
    to: defineSchema([defineTable('Order', (t) => ({ id: t.int64().key() }))]),
    kind: 'name',
    at: 'Order',
  },
  {
    name: 'a new index with the name of a dropped table',
    from: defineSchema([
      tableT((t) => ({ n: t.int64() })),
      defineTable('Old', (t) => ({ id: t.int64().key() })),
    ]),
    to: table((t) => ({ n: t.int64() }), { indexes: [{ name: 'Old', on: ['n'] }] } as never),
    kind: 'name',
    at: 'Old',
  },
  {
    name: 'renaming a key column',
    from: defineSchema([defineTable('K', (t) => ({ id: t.int64().key() }))]),
    to: defineSchema([defineTable('K', (t) => ({ key: t.int64().key() }))]),
    renames: { columns: { K: { id: 'key' } } },
    kind: 'rename',
    at: 'K.id',
  },
  {
    name: 'renaming a generated column',
    from: table((t) => ({ a: t.int64({ generated: 'id + 1' }) })),
    to: table((t) => ({ b: t.int64({ generated: 'id + 1' }) })),
    renames: { columns: { T: { a: 'b' } } },
    kind: 'rename',
    at: 'T.a',
  },
  {
    name: 'renaming a column and changing its type',
    from: table((t) => ({ a: t.int64() })),
    to: table((t) => ({ b: t.string() })),
    renames: { columns: { T: { a: 'b' } } },
    kind: 'rename',
    at: 'T.a',
  },
  {
    name: 'renaming a table that does not exist',
    from: viewed(['n']),
    to: viewed(['n']),
    renames: { tables: { Nobody: 'T' } },
    kind: 'rename',
    at: 'Nobody',
  },
]

const refused = changes.flatMap((change) =>
  (change.only ? [change.only] : both).map((dialect) => ({ ...change, dialect })),
)

describe('diffSchemas() with a change that a migration cannot make', () => {
  it.each(refused)('rejects $name in $dialect.name', ({ from, to, renames, dialect, kind, at }) => {
    const { changes: found, refusals } = diffSchemas(from, to, { dialect, ...(renames && { renames }) })
    expect(
      refusals.map((each) => [each.kind, [each.table, each.column].filter(Boolean).join('.')]),
    ).toContainEqual([kind, at])
    expect(refusals.every(({ message, fix }) => /[.]$/.test(message) && /[.]$/.test(fix))).toBe(true)
    // The table itself is never dropped.
    const kept = new Set(to.tables.map(({ name }) => name.toLowerCase()))
    expect(found.filter((each) => each.kind === 'drop-table' && kept.has(each.table.toLowerCase()))).toEqual(
      [],
    )
  })
})

describe('planMigration() with changes that are refused', () => {
  it('throws one error that lists every refused change with a fix', () => {
    const from = table((t) => ({ a: t.int64(), b: t.int64() }))
    const to = table((t) => ({ a: t.string(), b: t.bool() }))
    const error = refusal(() => planMigration(from, to, { dialect: googlesql }))
    expect(error).toBeInstanceOf(MigrationRefusedError)
    expect(error).toMatchObject({ code: 'MIGRATION_REFUSED', table: 'T', column: 'a' })
    expect((error as MigrationRefusedError).refusals.map(({ column }) => column)).toEqual(['a', 'b'])
    expect(error.message).toMatch(/^The database cannot .*\n {2}- T\.a: is of type int64, .*\n {2}- T\.b: /)
  })

  it('suggests isotherm generate --reshard for another number of shards', () => {
    const error = refusal(() => planMigration(sharded(4), sharded(8), { dialect: googlesql }))
    expect(error.message).toContain('isotherm generate --reshard')
  })

  it('throws UNSUPPORTED_MODEL for a model that the dialect does not support', () => {
    const to = defineSchema([defineTable('K', (t) => ({ id: t.int64({ nullable: true }).key() }))])
    const error = refusal(() => planMigration(defineSchema([]), to, { dialect: spannerPostgresql }))
    expect(error.code).toBe('UNSUPPORTED_MODEL')
  })
})
