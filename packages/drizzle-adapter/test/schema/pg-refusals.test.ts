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

describe('columns that Spanner has not', () => {
  const mood = pg.pgEnum('mood', ['a', 'b'])
  it.each([
    ['serial', pg.serial(), 'is serial', 'bitReversedId()'],
    ['bigserial', pg.bigserial({ mode: 'bigint' }), 'is bigserial', 'bitReversedId()'],
    ['numeric with a scale', pg.numeric({ precision: 10, scale: 2 }), 'numeric(10, 2)', 'Leave precision'],
    [
      'timestamps that are rounded',
      pg.timestamp({ withTimezone: true, precision: 3 }),
      'rounds nothing',
      'Leave precision',
    ],
    ['timestamps without a zone', pg.timestamp(), 'is of type timestamp', 'withTimezone: true'],
    ['times', pg.time(), 'is of type time', 'microseconds'],
    ['arrays of arrays', pg.text().array().array(), 'is of type text[][]', 'jsonb()'],
    ['arrays of enums', mood().array(), 'is an array of an enum', 'text().array()'],
    [
      'identities always',
      pg.bigint({ mode: 'bigint' }).generatedAlwaysAsIdentity(),
      'generated always as identity',
      'generatedByDefaultAsIdentity()',
    ],
    [
      'identities with a name',
      pg.bigint({ mode: 'bigint' }).generatedByDefaultAsIdentity({ name: 's' }),
      'with the name s',
      'bitReversedId',
    ],
    [
      'identities by steps',
      pg.bigint({ mode: 'bigint' }).generatedByDefaultAsIdentity({ increment: 5 }),
      'the option increment',
      'startWith',
    ],
    ['identities of numbers', pg.integer().generatedByDefaultAsIdentity(), 'shows numbers', "mode: 'bigint'"],
    [
      'NULLS NOT DISTINCT',
      pg.text().unique('u', { nulls: 'not distinct' }),
      'NULLS NOT DISTINCT',
      'notNull()',
    ],
  ] as const)('%s', (_, column, message, fix) => {
    const error = refusal(() => toSchema([withColumn(column)]))
    expect(error).toMatchObject({ code: 'UNSUPPORTED_MODEL' })
    expect(error.message).toContain(message)
    expect(error.fix).toContain(fix)
  })
})

describe('what else Spanner has not', () => {
  it.each([
    [
      'ON DELETE SET NULL',
      (t) => pg.foreignKey({ columns: [t.a], foreignColumns: [parents.parentId] }).onDelete('set null'),
      'ON DELETE SET NULL',
    ],
    [
      'ON UPDATE',
      (t) => pg.foreignKey({ columns: [t.a], foreignColumns: [parents.parentId] }).onUpdate('cascade'),
      'ON UPDATE CASCADE',
    ],
    ['other kinds of indexes', (t) => pg.index('i').using('gin', t.a), 'The index t.i has the method gin'],
    ['indexes that are made concurrently', (t) => pg.index('i').on(t.a).concurrently(), 'has CONCURRENTLY'],
    [
      'storage parameters',
      (t) => pg.index().on(t.a).with({ fillfactor: 70 }),
      'The index of t has storage parameters',
    ],
    ['operator classes', (t) => pg.index('i').on(t.a.op('text_ops')), 'the operator class text_ops'],
    [
      'indexes of expressions',
      (t) => pg.index('i').on(sql`lower(${t.a})`),
      'made of columns, not of expressions',
    ],
    ['indexes of expressions, of its own', (t) => ownIndex('i').on(sql`lower(${t.a})`), 'made of columns'],
    [
      'indexes with other conditions',
      (t) => pg.index('i').on(t.a).where(eq(t.a, 'x')),
      'a condition other than',
    ],
    [
      'indexes with a negated condition',
      (t) => pg.index('i').on(t.a).where(isNull(t.a)),
      'a condition other than',
    ],
    [
      'indexes with one of two conditions',
      (t) =>
        pg
          .index('i')
          .on(t.a, t.b)
          .where(or(isNotNull(t.a), isNotNull(t.b))!),
      'a condition other than',
    ],
    [
      'indexes with a condition on another column',
      (t) => pg.index('i').on(t.a).where(isNotNull(t.b)),
      'a condition other than',
    ],
    [
      'indexes with half a condition',
      (t) =>
        pg
          .index('i')
          .on(t.a)
          .where(sql`${t.a} is not null and`),
      'a condition other than',
    ],
    [
      'indexes with one more condition',
      (t) =>
        pg
          .index('i')
          .on(t.a)
          .where(and(isNotNull(t.a), lt(t.a, 'x'))!),
      'a condition other than',
    ],
    ['policies', () => pg.pgPolicy('p'), 'row level security'],
    [
      'constraints with NULLS NOT DISTINCT',
      (t) => pg.unique().on(t.a).nullsNotDistinct(),
      'NULLS NOT DISTINCT',
    ],
  ] as readonly (readonly [string, (t: ReturnType<typeof own>) => pg.PgTableExtraConfigValue, string])[])(
    '%s',
    (_, extra, message) => {
      const table = pg.pgTable('t', columns(), (t) => [extra(t as never)])
      const error = refusal(() => toSchema([table, parents]))
      expect(error).toMatchObject({ code: 'UNSUPPORTED_MODEL', fix: expect.stringMatching(/.{10}/) })
      expect(error.message).toContain(message)
    },
  )

  it.each([
    ['row level security', () => pg.pgTable('t', id()).enableRLS(), 'row level security'],
    [
      'sequences by steps',
      () => pg.pgSequence('s', { increment: 2 }),
      'The sequence s has the option increment',
    ],
    ['sequences that begin again', () => pg.pgSequence('s', { cycle: true }), 'has the option cycle'],
    [
      'materialized views',
      () => pg.pgMaterializedView('m').as((qb) => qb.select().from(parents)),
      'm is a materialized view',
    ],
    [
      'checks of views',
      () =>
        pg
          .pgView('v')
          .with({ checkOption: 'local' })
          .as((qb) => qb.select().from(parents)),
      'The view v has options',
    ],
    [
      'views with placeholders',
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
        [' of a subquery', (view: Lost, qb: pg.QueryBuilder) => qb.select().from(view.as('inner'))],
        [
          ' of a set',
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
          `views with queries whose columns have lost their table${where}`,
          () => pg.pgView('v').as((qb) => around(withInnerQuery(qb), qb)),
          'a query within an expression, which names parentId without its table: it may be read of another. Make its query with new QueryBuilder(new SpannerPgDialect())',
        ] as const,
    ),
    [
      'checks with placeholders',
      () => pg.pgTable('t', id(), (t) => [pg.check('c', eq(t.id, sql.placeholder('p')))]),
      'A placeholder stands where a schema needs a value',
    ],
  ] as const)('%s', (_, declare, message) => {
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

describe('tables that make no schema', () => {
  it('are of two dialects', () => {
    const theirs = spannerTable('Own', { id: ownUuid(), name: string() })
    const error = refusal(() => toSchema({ theirs, parents }))
    expect(error).toMatchObject({ code: 'SCHEMA_INVALID' })
    expect(error.message).toContain(
      'Own is of spannerTable, and parents of pgTable: they are of two databases.',
    )
    expect(refusal(() => toSchema([theirs, pg.pgSequence('numbers')])).message).toContain(
      'numbers of pgTable',
    )
  })

  it.each([
    ['another type', { parentId: pg.text().primaryKey() }],
    ['another name', { parentId: pg.bigint('other', { mode: 'bigint' }).primaryKey() }],
    ['another property', { other: pg.bigint('parentId', { mode: 'bigint' }).primaryKey() }],
  ])('have a key part of the parent with %s', (_, own) => {
    const child = pg.pgTable('children', { ...own, line: pg.integer().primaryKey() } as Columns, () => [
      interleaveIn(parents),
    ])
    const error = refusal(() => toSchema({ parents, child }))
    expect(error).toMatchObject({ code: 'SCHEMA_INVALID', table: 'children', column: 'parentId' })
    expect(error.message).toContain('declares in another way')
  })

  it.each([
    [
      'an interleaved table without its parent',
      () => [
        pg.pgTable('c', { parentId: parentKey(parents.parentId), line: pg.integer().primaryKey() }, () => [
          interleaveIn(parents),
        ]),
      ],
      'is interleaved in parents, which is not in this schema',
    ],
    [
      'a foreign key to a table that is not there',
      () => [
        pg.pgTable('c', { ...id(), a: pg.bigint({ mode: 'bigint' }).references(() => parents.parentId) }),
      ],
      'refers to parents, which is not in this schema',
    ],
    ['a table without a key', () => [pg.pgTable('c', { a: pg.text() })], 'has no primary key'],
    [
      'a column with two makers',
      () => [pg.pgTable('c', { ...id(), at: commitTimestamp().default(sql`now()`) })],
      'a key value that is made for it and a default',
    ],
    [
      'a hash of what may change',
      () => [pg.pgTable('c', { shard: shardKey({ shards: 4, of: ['a'] }), ...columns() })],
      'immutable',
    ],
  ])('have %s', (_, tables, message) => {
    const error = refusal(() => toSchema(tables()))
    expect(error).toBeInstanceOf(SchemaError)
    expect(error.message).toContain(message)
  })
})

describe('tables that make a schema', () => {
  it('may repeat the key of the parent instead of naming it', () => {
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

  it('have indexes each of which has orders of its own', () => {
    const table = pg.pgTable('t', columns(), (t) => [
      ownIndex('one').on(t.a.desc().nullsFirst(), t.b.nullsFirst()),
      ownIndex('two').on(t.a, desc(t.b)),
      pg.index('three').on(t.a.desc(), t.b),
    ])
    // Each question has the third argument asked again.
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
