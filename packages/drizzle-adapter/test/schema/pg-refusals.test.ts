import { SchemaError } from '@isotherm/core'
import { spannerTable, string, uuidV4 as ownUuid } from '@isotherm/drizzle-adapter'
import {
  commitTimestamp,
  index as ownIndex,
  interleaveIn,
  parentKey,
  shardKey,
  toSchema,
  uuidV4,
} from '@isotherm/drizzle-adapter/postgresql'
import { and, desc, eq, isNotNull, isNull, lt, or, sql } from 'drizzle-orm'
import * as pg from 'drizzle-orm/pg-core'
import { describe, expect, it } from 'vitest'
import { refusal } from '../support/refusal.js'

const id = () => ({ id: uuidV4() })
type Columns = Record<string, pg.PgColumnBuilderBase>
const withColumn = (column: unknown) => pg.pgTable('t', { ...id(), a: column } as Columns)
const columns = () => ({ ...id(), a: pg.text(), b: pg.text() })
const parents = pg.pgTable('parents', { parentId: pg.bigint({ mode: 'bigint' }).primaryKey() })

describe('toSchema() with a column that Spanner does not support', () => {
  const mood = pg.pgEnum('mood', ['a', 'b'])
  it.each([
    ['a serial column', pg.serial(), 'is serial', 'bitReversedId()'],
    ['a bigserial column', pg.bigserial({ mode: 'bigint' }), 'is bigserial', 'bitReversedId()'],
    [
      'a numeric column with precision and scale',
      pg.numeric({ precision: 10, scale: 2 }),
      'numeric(10, 2)',
      'Leave precision',
    ],
    [
      'a timestamp column that rounds to milliseconds',
      pg.timestamp({ withTimezone: true, precision: 3 }),
      'rounds nothing',
      'Leave precision',
    ],
    ['a timestamp column without a time zone', pg.timestamp(), 'is of type timestamp', 'withTimezone: true'],
    ['a time column', pg.time(), 'is of type time', 'microseconds'],
    ['an array of arrays', pg.text().array().array(), 'is of type text[][]', 'jsonb()'],
    ['an array of enum values', mood().array(), 'is an array of an enum', 'text().array()'],
    [
      'an identity column GENERATED ALWAYS',
      pg.bigint({ mode: 'bigint' }).generatedAlwaysAsIdentity(),
      'generated always as identity',
      'generatedByDefaultAsIdentity()',
    ],
    [
      'an identity column with a sequence name',
      pg.bigint({ mode: 'bigint' }).generatedByDefaultAsIdentity({ name: 's' }),
      'with the name s',
      'bitReversedId',
    ],
    [
      'an identity column with an increment',
      pg.bigint({ mode: 'bigint' }).generatedByDefaultAsIdentity({ increment: 5 }),
      'the option increment',
      'startWith',
    ],
    [
      'an identity column of type integer',
      pg.integer().generatedByDefaultAsIdentity(),
      'shows numbers',
      "mode: 'bigint'",
    ],
    [
      'a unique column with NULLS NOT DISTINCT',
      pg.text().unique('u', { nulls: 'not distinct' }),
      'NULLS NOT DISTINCT',
      'notNull()',
    ],
  ] as const)('rejects %s with UNSUPPORTED_MODEL and suggests a fix', (_, column, message, fix) => {
    const error = refusal(() => toSchema([withColumn(column)]))
    expect(error).toMatchObject({ code: 'UNSUPPORTED_MODEL' })
    expect(error.message).toContain(message)
    expect(error.fix).toContain(fix)
  })
})

describe('toSchema() with a PostgreSQL feature that Spanner does not support', () => {
  it.each([
    [
      'a foreign key with ON DELETE SET NULL',
      (t) => pg.foreignKey({ columns: [t.a], foreignColumns: [parents.parentId] }).onDelete('set null'),
      'ON DELETE SET NULL',
    ],
    [
      'a foreign key with ON UPDATE CASCADE',
      (t) => pg.foreignKey({ columns: [t.a], foreignColumns: [parents.parentId] }).onUpdate('cascade'),
      'ON UPDATE CASCADE',
    ],
    [
      'an index with the method gin',
      (t) => pg.index('i').using('gin', t.a),
      'The index t.i has the method gin',
    ],
    ['an index with CONCURRENTLY', (t) => pg.index('i').on(t.a).concurrently(), 'has CONCURRENTLY'],
    [
      'an index with storage parameters',
      (t) => pg.index().on(t.a).with({ fillfactor: 70 }),
      'The index of t has storage parameters',
    ],
    [
      'an index with an operator class',
      (t) => pg.index('i').on(t.a.op('text_ops')),
      'the operator class text_ops',
    ],
    [
      "an index of an expression, built with Drizzle's index()",
      (t) => pg.index('i').on(sql`lower(${t.a})`),
      'made of columns, not of expressions',
    ],
    [
      "an index of an expression, built with Isotherm's index()",
      (t) => ownIndex('i').on(sql`lower(${t.a})`),
      'made of columns',
    ],
    [
      'an index of rows where a column equals a value',
      (t) => pg.index('i').on(t.a).where(eq(t.a, 'x')),
      'a condition other than',
    ],
    [
      'an index of rows where a column is NULL',
      (t) => pg.index('i').on(t.a).where(isNull(t.a)),
      'a condition other than',
    ],
    [
      'an index of rows where one of two columns is not NULL',
      (t) =>
        pg
          .index('i')
          .on(t.a, t.b)
          .where(or(isNotNull(t.a), isNotNull(t.b))!),
      'a condition other than',
    ],
    [
      'an index of rows where a column outside of the index is not NULL',
      (t) => pg.index('i').on(t.a).where(isNotNull(t.b)),
      'a condition other than',
    ],
    [
      'an index with an unfinished condition',
      (t) =>
        pg
          .index('i')
          .on(t.a)
          .where(sql`${t.a} is not null and`),
      'a condition other than',
    ],
    [
      'an index with a condition beside IS NOT NULL',
      (t) =>
        pg
          .index('i')
          .on(t.a)
          .where(and(isNotNull(t.a), lt(t.a, 'x'))!),
      'a condition other than',
    ],
    ['a row level security policy', () => pg.pgPolicy('p'), 'row level security'],
    [
      'a unique constraint with NULLS NOT DISTINCT',
      (t) => pg.unique().on(t.a).nullsNotDistinct(),
      'NULLS NOT DISTINCT',
    ],
  ] as readonly (readonly [string, (t: ReturnType<typeof own>) => pg.PgTableExtraConfigValue, string])[])(
    'rejects %s with UNSUPPORTED_MODEL, and has a fix',
    (_, extra, message) => {
      const table = pg.pgTable('t', columns(), (t) => [extra(t as never)])
      const error = refusal(() => toSchema([table, parents]))
      expect(error).toMatchObject({ code: 'UNSUPPORTED_MODEL', fix: expect.stringMatching(/.{10}/) })
      expect(error.message).toContain(message)
    },
  )

  it.each([
    ['a table with row level security', () => pg.pgTable('t', id()).enableRLS(), 'row level security'],
    [
      'a sequence with an increment',
      () => pg.pgSequence('s', { increment: 2 }),
      'The sequence s has the option increment',
    ],
    ['a sequence with CYCLE', () => pg.pgSequence('s', { cycle: true }), 'has the option cycle'],
    [
      'a materialized view',
      () => pg.pgMaterializedView('m').as((qb) => qb.select().from(parents)),
      'm is a materialized view',
    ],
    [
      'a view with a check option',
      () =>
        pg
          .pgView('v')
          .with({ checkOption: 'local' })
          .as((qb) => qb.select().from(parents)),
      'The view v has options',
    ],
    [
      'a view with a placeholder',
      () =>
        pg.pgView('v').as((qb) =>
          qb
            .select()
            .from(parents)
            .where(eq(parents.parentId, sql.placeholder('p'))),
        ),
      'placeholder',
    ],
    ...(
      [
        ['', (view: Lost) => view],
        [', in a subquery', (view: Lost, qb: pg.QueryBuilder) => qb.select().from(view.as('inner'))],
        [
          ', in a set operation',
          (view: Lost, qb: pg.QueryBuilder) =>
            qb
              .select({ n: sql`1`.as('n') })
              .from(parents)
              .union(view),
        ],
      ] as const
    ).map(
      ([where, around]) =>
        [
          `a view whose inner query names a column without its table${where}`,
          () => pg.pgView('v').as((qb) => around(withInnerQuery(qb), qb)),
          'a query within an expression, which names parentId without its table: it may be read of another. Make its query with new QueryBuilder(new SpannerPgDialect())',
        ] as const,
    ),
    [
      'a check constraint with a placeholder',
      () => pg.pgTable('t', id(), (t) => [pg.check('c', eq(t.id, sql.placeholder('p')))]),
      'A placeholder is used where a schema needs a value',
    ],
  ] as const)('rejects %s with UNSUPPORTED_MODEL', (_, declare, message) => {
    const error = refusal(() => toSchema([declare(), parents]))
    expect(error.code).toBe('UNSUPPORTED_MODEL')
    expect(`${error.message} ${error.fix}`).toContain(message)
  })
})

type Lost = ReturnType<typeof withInnerQuery>

function withInnerQuery(qb: pg.QueryBuilder) {
  const n = sql<number>`(select count(*) from children c where c.parent = ${parents.parentId})`.as('n')
  return qb.select({ n }).from(parents)
}

function own(): { readonly [Name in 'a' | 'b']: pg.ExtraConfigColumn } {
  throw new Error('It is there for its type.')
}

describe('toSchema() with invalid tables', () => {
  it('rejects spannerTable() tables and pgTable() tables in one schema', () => {
    const theirs = spannerTable('Own', { id: ownUuid(), name: string() })
    const error = refusal(() => toSchema({ theirs, parents }))
    expect(error).toMatchObject({ code: 'SCHEMA_INVALID' })
    expect(error.message).toContain(
      'Own is of spannerTable, and parents of pgTable: they belong to two databases.',
    )
    expect(refusal(() => toSchema([theirs, pg.pgSequence('numbers')])).message).toContain(
      'numbers of pgTable',
    )
  })

  it.each([
    ['another type', { parentId: pg.text().primaryKey() }],
    ['another name', { parentId: pg.bigint('other', { mode: 'bigint' }).primaryKey() }],
    ['another property', { other: pg.bigint('parentId', { mode: 'bigint' }).primaryKey() }],
  ])('rejects a child table that repeats the parent key with %s', (_, own) => {
    const child = pg.pgTable('children', { ...own, line: pg.integer().primaryKey() } as Columns, () => [
      interleaveIn(parents),
    ])
    const error = refusal(() => toSchema({ parents, child }))
    expect(error).toMatchObject({ code: 'SCHEMA_INVALID', table: 'children', column: 'parentId' })
    expect(error.message).toContain('declares in another way')
  })

  it.each([
    [
      'an interleaved table whose parent is not in the schema',
      () => [
        pg.pgTable('c', { parentId: parentKey(parents.parentId), line: pg.integer().primaryKey() }, () => [
          interleaveIn(parents),
        ]),
      ],
      'is interleaved in parents, which is not in this schema',
    ],
    [
      'a foreign key to a table that is not in the schema',
      () => [
        pg.pgTable('c', { ...id(), a: pg.bigint({ mode: 'bigint' }).references(() => parents.parentId) }),
      ],
      'refers to parents, which is not in this schema',
    ],
    ['a table without a primary key', () => [pg.pgTable('c', { a: pg.text() })], 'has no primary key'],
    [
      'a column with a commit timestamp and a default',
      () => [pg.pgTable('c', { ...id(), at: commitTimestamp().default(sql`now()`) })],
      'a key value that is made for it and a default',
    ],
    [
      'a shard key of a column that is not immutable',
      () => [pg.pgTable('c', { shard: shardKey({ shards: 4, of: ['a'] }), ...columns() })],
      'immutable',
    ],
  ])('rejects %s with a SchemaError', (_, tables, message) => {
    const error = refusal(() => toSchema(tables()))
    expect(error).toBeInstanceOf(SchemaError)
    expect(error.message).toContain(message)
  })
})

describe('toSchema() with valid tables', () => {
  it('accepts a child table that repeats the parent key instead of parentKey()', () => {
    const child = pg.pgTable(
      'children',
      { parentId: pg.bigint({ mode: 'bigint' }).primaryKey(), line: pg.integer().primaryKey() },
      () => [interleaveIn(parents, { requireParent: false })],
    )
    const [, made] = toSchema([child, parents]).tables
    expect(made!.columns.map(({ name, inherited }) => [name, inherited])).toEqual([
      ['parentId', true],
      ['line', false],
    ])
    expect(made!.parent).toEqual({ table: 'parents', onDelete: 'no action', required: false })
  })

  it('keeps a separate order and NULLS FIRST or LAST for each index of a table', () => {
    const table = pg.pgTable('t', columns(), (t) => [
      ownIndex('one').on(t.a.desc().nullsFirst(), t.b.nullsFirst()),
      ownIndex('two').on(t.a, desc(t.b)),
      pg.index('three').on(t.a.desc(), t.b),
    ])
    // Each call of toSchema() calls the third argument again.
    for (const schema of [toSchema([table]), toSchema([table])]) {
      expect(schema.tables[0]!.indexes.map(({ name, parts }) => [name, parts])).toEqual([
        [
          'three',
          [
            { property: 'a', order: 'desc', nulls: 'last' },
            { property: 'b', order: 'asc' },
          ],
        ],
        [
          'one',
          [
            { property: 'a', order: 'desc' },
            { property: 'b', order: 'asc', nulls: 'first' },
          ],
        ],
        [
          'two',
          [
            { property: 'a', order: 'asc' },
            { property: 'b', order: 'desc' },
          ],
        ],
      ])
    }
  })
})
