import {
  type ColumnBuilder,
  type Schema,
  type SchemaOptions,
  type SqlExpression,
  type TableBuilder,
  compileDdl,
  defineSchema,
  defineTable,
  introspect,
  lintRules,
  openDatabase,
  sql,
} from '@isotherm/core'
import { type Hashable, hashOf, shardOf } from '@isotherm/core/keys'
import { pglite, postgresql } from '@isotherm/postgresql'
import { precise } from '@isotherm/testing/data/precise'
import fc from 'fast-check'
import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { randomSchemas } from '../../../test/dialects/random-schemas.js'
import { runsInGate, scaled } from '../../../test/support/runs.js'
import { emptyPglite } from './support/pglite.js'

const empty = emptyPglite
const database = await empty()
const driver = pglite(database)

beforeEach(empty)

// The keys of these models are often hotspots.
const severity = Object.fromEntries(lintRules(postgresql).map((rule) => [rule, 'off' as const]))
const ddlOf = (schema: Schema): string[] => compileDdl(schema, { dialect: postgresql, severity })

/** The schema of the database, and the notes of introspect(). */
async function read(): Promise<{ readonly schema: Schema; readonly notes: readonly string[] }> {
  const notes: string[] = []
  const schema = await introspect({ driver, dialect: postgresql, onNote: (note) => notes.push(note) })
  return { schema, notes }
}

async function readBack(statements: readonly string[]): Promise<Schema> {
  await driver.applyDdl(statements)
  return (await read()).schema
}

const sorted = (statements: readonly string[]): string[] => statements.toSorted()

/** A table whose key is an integer, with these columns. */
function withColumns(columns: (t: TableBuilder) => Record<string, ColumnBuilder<unknown>>, options = {}) {
  return defineTable('Thing', (t) => ({ id: t.int64().key(), ...columns(t) }), options)
}

const Parent = defineTable('sales.Customer', (t) => ({
  shard: t.shardKey({ shards: 16, of: ['id'] }),
  id: t.uuidV4(),
  at: t.descTimestamp({ default: 'now' }),
  mail: t.string({ length: 80 }),
}))
const Child = defineTable(
  'sales.Order',
  (t) => ({ shard: t.parentKey(), id: t.parentKey(), at: t.parentKey(), line: t.int64().key() }),
  { interleaveIn: () => Parent, onDelete: 'cascade' },
)
const GrandChild = defineTable(
  'sales.Item',
  (t) => ({
    shard: t.parentKey(),
    id: t.parentKey(),
    at: t.parentKey(),
    line: t.parentKey(),
    item: t.string().key(),
  }),
  { interleaveIn: () => Child },
)
const Unique = withColumns((t) => ({ code: t.string(), part: t.int64() }), {
  indexes: [{ name: 'ByCode', on: ['code', 'part'], unique: true }],
})

const scalar = (t: TableBuilder, options: { readonly nullable?: boolean }) => ({
  flag: t.bool(options),
  whole: t.int64(options),
  short: t.float32(options),
  long: t.float64(options),
  decimal: t.numeric(options),
  text: t.string(options),
  code: t.string({ ...options, length: 17 }),
  raw: t.bytes(options),
  day: t.date(options),
  at: t.timestamp(options),
  document: t.json(options),
  own: t.uuid({ ...options, storage: 'native' }),
})

type Kind = readonly [models: readonly object[], options?: SchemaOptions]

/** SQL in a schema is worded as PostgreSQL prints it, so that the text is the same. */
const kinds: Readonly<Record<string, Kind>> = {
  'columns of each type': [[withColumns((t) => scalar(t, {}))]],
  'nullable columns': [[withColumns((t) => scalar(t, { nullable: true }))]],
  arrays: [
    [
      withColumns((t) => ({
        flags: t.array({ kind: 'bool' }),
        texts: t.array({ kind: 'string', length: 'max' }, { nullable: true }),
        codes: t.array({ kind: 'string', length: 5 }),
        times: t.array({ kind: 'timestamp' }),
        documents: t.array({ kind: 'json' }),
      })),
    ],
  ],
  'defaults that are values': [
    [
      withColumns((t) => ({
        flag: t.bool({ default: false }),
        whole: t.int64({ default: -(2n ** 63n) }),
        short: t.float32({ default: 0.1 }),
        long: t.float64({ default: -0 }),
        nan: t.float64({ default: NaN }),
        decimal: t.numeric({ default: '12.50' }),
        text: t.string({ default: "it's \\ \n 東京" }),
        code: t.string({ length: 17, default: '' }),
        raw: t.bytes({ default: Buffer.from('00ff', 'hex') }),
        day: t.date({ default: '0001-01-01' }),
        at: t.timestamp({ default: '2026-08-01T00:00:00.123456Z' }),
        document: t.json({ default: { 'a b': [1, 'x y', null] } }),
        codes: t.array({ kind: 'string', length: 5 }, { default: ['a', null] }),
        numbers: t.array({ kind: 'int64' }, { default: [] }),
        flags: t.array({ kind: 'bool' }, { default: [true, null] }),
      })),
    ],
  ],
  'defaults in SQL': [[withColumns((t) => ({ whole: t.int64({ default: sql('1 + 2') }) }))]],
  'generated columns': [
    [withColumns((t) => ({ n: t.int64(), twice: t.int64({ nullable: true, generated: 'n * 2' }) }))],
  ],
  'defaults of the current time': [[withColumns((t) => ({ at: t.timestamp({ default: 'now' }) }))]],
  'keys of several parts': [
    [
      defineTable('Thing', (t) => ({
        a: t.string({ length: 9 }).key(),
        b: t.date().key(),
        c: t.bytes().key(),
      })),
    ],
  ],
  'UUID keys': [
    [
      defineTable('AsText', (t) => ({ id: t.uuidV4() })),
      defineTable('Native', (t) => ({ id: t.uuidV4({ storage: 'native' }) })),
      defineTable('Bytes', (t) => ({ id: t.uuidV4({ storage: 'bytes' }) })),
    ],
  ],
  'descending keys': [
    [
      defineTable('Newest', (t) => ({ at: t.timestamp().key('desc'), id: t.int64().key('desc') })),
      defineTable('Days', (t) => ({ id: t.int64().key(), day: t.date().key('desc') })),
    ],
  ],
  'shards of one column': [
    [
      defineTable('Whole', (t) => ({ s: t.shardKey({ shards: 7, of: ['v'] }), v: t.int64().key() })),
      defineTable('Text', (t) => ({ s: t.shardKey({ shards: 200, of: ['v'] }), v: t.string().key() })),
      defineTable('Raw', (t) => ({ s: t.shardKey({ shards: 1, of: ['v'] }), v: t.bytes().key() })),
      defineTable('Flag', (t) => ({ s: t.shardKey({ shards: 2, of: ['v'] }), v: t.bool().key() })),
      defineTable('Day', (t) => ({ s: t.shardKey({ shards: 4, of: ['v'] }), v: t.date().key() })),
      defineTable('At', (t) => ({ s: t.shardKey({ shards: 64, of: ['v'] }), v: t.timestamp().key() })),
      defineTable('Uuid', (t) => ({ s: t.shardKey({ shards: 10_000, of: ['v'] }), v: t.uuidV4() })),
      defineTable('Own', (t) => ({
        s: t.shardKey({ shards: 16, of: ['v'] }),
        v: t.uuidV4({ storage: 'native' }),
      })),
    ],
  ],
  'shards of several columns, from 1, and signed shards': [
    [
      defineTable('First', (t) => ({
        s: t.shardKey({ shards: 16, first: 1, of: ['b', 'a'] }),
        a: t.string().key(),
        b: t.int64().key(),
      })),
      defineTable('Signed', (t) => ({
        s: t.shardKey({ shards: 16, signed: true, of: ['a', 'b', 'c'] }),
        a: t.bytes().key(),
        b: t.date().key(),
        c: t.int64({ nullable: true, immutable: true }),
      })),
    ],
  ],
  'whole hashes': [
    [
      defineTable('Short', (t) => ({
        h: t.hashKey({ of: ['v'], algorithm: 'sha256' }),
        v: t.string().key(),
      })),
      defineTable('Long', (t) => ({
        v: t.string().key(),
        h: t.hashKey({ of: ['v', 'n'], algorithm: 'sha512' }),
        n: t.bytes().key(),
      })),
    ],
  ],
  'the range of a client-computed shard': [
    [
      defineTable('Random', (t) => ({ s: t.shardKey({ shards: 16, strategy: 'random' }), id: t.uuidV4() })),
      defineTable('Turns', (t) => ({
        s: t.shardKey({ shards: 9, first: 1, strategy: 'round-robin' }),
        id: t.uuidV4(),
      })),
    ],
  ],
  'bit-reversed ids': [
    [
      defineTable('Own', (t) => ({ id: t.bitReversedId() })),
      defineTable('sales.Own', (t) => ({ id: t.bitReversedId({ startCounter: 7n }) })),
      defineTable('Named', (t) => ({ id: t.bitReversedId({ from: 'sequence' }) })),
      defineTable('Shared', (t) => ({ id: t.bitReversedId({ from: 'sequence', sequence: 'sales.Ids' }) })),
    ],
    { sequences: [{ name: 'sales.Ids', startCounter: 500n }] },
  ],
  'parents and children': [[Parent, Child, GrandChild]],
  'foreign keys': [
    [
      Unique,
      withKeys('Whose', [
        { name: 'OtherFirst', columns: ['part'], references: () => Unique, onDelete: 'cascade' },
        { name: 'OtherThing', columns: ['code', 'part'], references: () => Unique, on: ['code', 'part'] },
      ]),
    ],
  ],
  checks: [
    [
      withColumns((t) => ({ n: t.int64(), s: t.string() }), {
        checks: [
          { name: 'Positive', expression: 'n > 0' },
          { name: 'Word', expression: "(s <> ''::text) AND (s <> 'a)(b'::text)" },
        ],
      }),
    ],
  ],
  indexes: [
    [
      defineTable(
        'sales.Thing',
        (t) => ({
          id: t.int64().key(),
          a: t.int64({ nullable: true }),
          b: t.string({ nullable: true }),
          c: t.string({ length: 9 }),
          e: t.bool(),
        }),
        {
          indexes: [
            { name: 'sales.Plain', on: ['a'] },
            { name: 'sales.OfTwo', on: ['c', { property: 'a', order: 'desc' }], unique: true },
            {
              name: 'sales.Nulls',
              on: [
                { property: 'a', nulls: 'first' },
                { property: 'b', order: 'desc', nulls: 'last' },
              ],
            },
            { name: 'sales.Stored', on: ['e'], storing: ['c', 'a'] },
            { name: 'sales.Filtered', on: ['b', 'a'], nullFiltered: true },
            { name: 'sales.Partial', on: ['b', 'a'], notNull: ['a'] },
          ],
        } as never,
      ),
    ],
  ],
  'sharded indexes': [
    [
      defineTable(
        'sales.Log',
        (t) => ({ id: t.int64().key(), at: t.timestamp(), who: t.string({ nullable: true }), n: t.int64() }),
        {
          indexes: [
            {
              name: 'sales.ByPerson',
              on: ['who', 'at'],
              notNull: ['who'],
              storing: ['n'],
              shard: { shards: 4, of: ['who', 'n'] },
            },
            {
              name: 'sales.ByTime',
              on: [{ property: 'at', order: 'desc' }],
              shard: { shards: 16, of: ['id'] },
            },
          ],
        },
      ),
    ],
  ],
  views: [
    [withColumns((t) => ({ n: t.int64() }))],
    {
      views: [
        { name: 'Zero', query: 'SELECT id,\n    n\n   FROM "Thing"\n  WHERE (n = 0)', security: 'invoker' },
        { name: 'All', query: 'SELECT id\n   FROM "Zero"', security: 'definer' },
      ],
    },
  ],
  'sequences and named schemas': [
    [],
    { sequences: [{ name: 'A' }, { name: 'sales.B', startCounter: 500n }], namespaces: ['archive', 'sales'] },
  ],
}

function withKeys(name: string, foreignKeys: readonly object[]) {
  return defineTable(name, (t) => ({ id: t.int64().key(), code: t.string(), part: t.int64() }), {
    foreignKeys,
  } as never)
}

describe('introspect() of the DDL of compileDdl()', () => {
  it.each(Object.keys(kinds))('returns a schema with the same DDL for %s', async (kind) => {
    const [models, options] = kinds[kind]!
    const ddl = ddlOf(defineSchema(models as never, options))
    await driver.applyDdl(ddl)
    const { schema, notes } = await read()
    expect(sorted(ddlOf(schema)).map(spaced)).toEqual(sorted(ddl).map(spaced))
    expect(notes).toEqual([])
  })

  it('returns the sources of values and the parents that the models declare', async () => {
    const schema = await readBack(ddlOf(defineSchema([Parent, Child])))
    const [customer, order] = schema.tables
    expect(customer).toMatchObject({
      name: 'sales.Customer',
      columns: [
        {
          name: 'shard',
          source: { kind: 'shard', strategy: 'hash', shards: 16, of: ['id'], computedBy: 'database' },
        },
        { name: 'id', type: { kind: 'uuid' }, source: { kind: 'uuid-v4' } },
        { name: 'at', type: { kind: 'timestamp' }, source: { kind: 'timestamp', from: 'now' } },
        { name: 'mail', type: { kind: 'string', length: 80 } },
      ],
      primaryKey: [
        { property: 'shard', order: 'asc' },
        { property: 'id', order: 'asc' },
        { property: 'at', order: 'desc' },
      ],
    })
    expect(order).toMatchObject({
      parent: { table: 'sales.Customer', onDelete: 'cascade' },
      foreignKeys: [],
      columns: [
        { inherited: true },
        { inherited: true, type: { kind: 'uuid' } },
        { inherited: true },
        { inherited: false },
      ],
    })
  })

  it('returns a UUID in two integers as two int64 columns with defaults', async () => {
    const Pair = defineTable('Pair', (t) => ({ id: t.uuidV4({ storage: 'int64-pair' }) }))
    const first = await readBack(ddlOf(defineSchema([Pair])))
    expect(first.tables[0]?.columns).toMatchObject([
      { name: 'id_high', type: { kind: 'int64' }, default: { sql: {} } },
      { name: 'id_low', type: { kind: 'int64' }, default: { sql: {} } },
    ])
    await empty()
    expect(await readBack(ddlOf(first))).toEqual(first)
  })

  const RANDOM = runsInGate(1_000, 20)

  it('returns a schema with the same DDL for random schemas', async () => {
    await fc.assert(
      fc.asyncProperty(randomSchemas(postgresql), async (schema) => {
        await empty()
        const ddl = ddlOf(schema)
        const first = await readBack(ddl)
        const again = ddlOf(first)
        expect(sorted(again).map(comparable)).toEqual(sorted(ddl).map(comparable))
        await empty()
        const second = await readBack(again)
        expect(second).toEqual(first)
        expect(ddlOf(second)).toEqual(again)
      }),
      { numRuns: RANDOM },
    )
  })
})

/** The text of SQL that a schema has for this dialect. */
function inPostgresql(text: SqlExpression): string {
  return typeof text === 'string' ? text : (text.postgresql ?? '')
}

/** PostgreSQL writes a query in several lines. */
function spaced(statement: string): string {
  return statement.startsWith('CREATE VIEW') ? statement.replaceAll(/\s+/g, ' ') : statement
}

/** Queries, checks, and the defaults of a UUID's halves are worded as PostgreSQL prints them. */
function comparable(statement: string): string {
  return statement
    .replace(/^(CREATE VIEW .*?) AS .*$/s, '$1')
    .replaceAll(/CHECK \((?:"plain"|plain) > 0\)/g, 'CHECK (plain > 0)')
    .replaceAll(/(_(?:high|low)" bigint NOT NULL) DEFAULT .*/g, '$1')
}

describe('introspect() of objects that Isotherm does not model', () => {
  /** Introspects the statements, and checks that the DDL of the result has the same introspection. */
  async function kept(
    statements: string,
  ): Promise<{ readonly schema: Schema; readonly notes: readonly string[] }> {
    await database.exec(statements)
    const first = await read()
    await empty()
    await driver.applyDdl(ddlOf(first.schema))
    expect((await read()).schema).toEqual(first.schema)
    return first
  }

  const textsOf = ({ opaqueStatements = [] }: Schema) =>
    opaqueStatements.map(({ create }) => inPostgresql(create))

  it('keeps columns of unsupported types as opaque columns', async () => {
    const { schema } = await kept(`
      CREATE TYPE mood AS ENUM ('sad', 'it''s fine');
      CREATE DOMAIN positive AS integer DEFAULT 1 CHECK (VALUE > 0);
      CREATE SCHEMA sales; CREATE TYPE sales.pair AS (a integer, b text);
      CREATE TABLE t (small integer NOT NULL, id bigint PRIMARY KEY, price numeric(10,2) DEFAULT 1.5, local timestamp(3),
        feeling mood, size positive, two sales.pair, twice integer GENERATED ALWAYS AS (small * 2) STORED,
        later bigint GENERATED ALWAYS AS (id + 1) VIRTUAL, counted integer GENERATED ALWAYS AS IDENTITY,
        name char(3) COLLATE "POSIX", at interval)`)
    const [table] = schema.tables
    expect(table?.columns.map(({ name }) => name)).toEqual(['id'])
    expect(
      table?.opaqueColumns?.map(({ name, definition, before }) => [name, inPostgresql(definition), before]),
    ).toEqual([
      ['small', 'integer NOT NULL', 'id'],
      ['price', 'numeric(10,2) DEFAULT (1.5)', 'local'],
      ['local', 'timestamp(3) without time zone', 'feeling'],
      ['feeling', 'mood', 'size'],
      ['size', 'positive', 'two'],
      ['two', 'sales.pair', 'twice'],
      ['twice', 'integer GENERATED ALWAYS AS (small * 2) STORED', 'later'],
      ['later', 'bigint GENERATED ALWAYS AS (id + 1) VIRTUAL', 'counted'],
      ['counted', 'integer GENERATED ALWAYS AS IDENTITY', 'name'],
      ['name', 'character(3) COLLATE "POSIX"', 'at'],
      ['at', 'interval', undefined],
    ])
    expect(textsOf(schema)).toEqual([
      "CREATE TYPE mood AS ENUM ('sad', 'it''s fine')",
      'CREATE DOMAIN positive AS integer DEFAULT 1 CONSTRAINT positive_check CHECK ((VALUE > 0))',
      'CREATE TYPE sales.pair AS (a integer, b text)',
    ])
  })

  it('keeps unsupported indexes as statements', async () => {
    const { schema } = await kept(`
      CREATE TABLE t (id bigint PRIMARY KEY, name text COLLATE "C", doc jsonb, tags bigint[], small integer, u bigint, v bigint);
      CREATE INDEX by_expression ON t (lower(name));
      CREATE INDEX by_document ON t USING gin (doc);
      CREATE INDEX by_hash ON t USING hash (name);
      CREATE INDEX by_small ON t (small);
      CREATE INDEX by_class ON t (name text_pattern_ops);
      CREATE INDEX by_other ON t (name COLLATE "POSIX");
      CREATE INDEX few ON t (name) WHERE id > 5;
      CREATE INDEX beside ON t (name) WHERE u IS NOT NULL;
      CREATE INDEX either ON t (u, v) WHERE u IS NOT NULL OR v IS NOT NULL;
      CREATE UNIQUE INDEX one_null ON t (u) NULLS NOT DISTINCT;
      CREATE INDEX full_pages ON t (u) WITH (fillfactor = 50);
      CREATE INDEX kept ON t (u, v) WHERE u IS NOT NULL AND v IS NOT NULL`)
    expect(schema.tables[0]?.indexes.map(({ name }) => name)).toEqual(['kept'])
    expect(textsOf(schema)).toHaveLength(11)
    expect(textsOf(schema)).toContain('CREATE INDEX by_expression ON t USING btree (lower(name))')
  })

  it('keeps unsupported constraints as statements', async () => {
    const { schema, notes } = await kept(`
      CREATE TABLE t (id bigint PRIMARY KEY, a bigint, b bigint, CONSTRAINT plain UNIQUE (a),
        CONSTRAINT late UNIQUE (b) DEFERRABLE, CONSTRAINT apart EXCLUDE USING hash (b WITH =));
      CREATE TABLE u (id bigint PRIMARY KEY, a bigint CONSTRAINT nulled REFERENCES t ON DELETE SET NULL,
        b bigint CONSTRAINT moved REFERENCES t (a) ON UPDATE CASCADE, c bigint CONSTRAINT plain_key REFERENCES t);
      ALTER TABLE u ADD CONSTRAINT old CHECK (a > 0) NOT VALID`)
    const [t, u] = schema.tables
    expect(t?.indexes).toMatchObject([{ name: 'plain', unique: true }])
    expect(notes).toEqual([expect.stringContaining('The constraint plain of t was read as a unique index')])
    expect(u?.foreignKeys.map(({ name }) => name)).toEqual(['plain_key'])
    expect(textsOf(schema)).toEqual([
      'ALTER TABLE "t" ADD CONSTRAINT "apart" EXCLUDE USING hash (b WITH =)',
      'ALTER TABLE "t" ADD CONSTRAINT "late" UNIQUE (b) DEFERRABLE',
      'ALTER TABLE "u" ADD CONSTRAINT "moved" FOREIGN KEY (b) REFERENCES t(a) ON UPDATE CASCADE',
      'ALTER TABLE "u" ADD CONSTRAINT "nulled" FOREIGN KEY (a) REFERENCES t(id) ON DELETE SET NULL',
      'ALTER TABLE "u" ADD CONSTRAINT "old" CHECK ((a > 0)) NOT VALID',
    ])
  })

  it('keeps unsupported sequences and identity columns as statements', async () => {
    const { schema } = await kept(`
      CREATE SEQUENCE odd INCREMENT BY 2 START WITH 5; CREATE SEQUENCE even START WITH 4;
      CREATE TABLE t (id bigserial PRIMARY KEY, n bigint GENERATED BY DEFAULT AS IDENTITY (START WITH 10),
        m bigint DEFAULT nextval('odd'))`)
    expect(schema.sequences).toEqual([{ name: 'even', startCounter: '4' }, { name: 't_id_seq' }])
    expect(textsOf(schema)).toEqual([
      expect.stringMatching(/^CREATE SEQUENCE "odd" AS bigint INCREMENT BY 2 .* START WITH 5 /),
      'ALTER SEQUENCE "t_id_seq" OWNED BY "t"."id"',
      expect.stringMatching(
        /^ALTER TABLE "t" ALTER COLUMN "n" ADD GENERATED BY DEFAULT AS IDENTITY \(.*START WITH 10/,
      ),
    ])
  })

  it('keeps functions, triggers, rules, policies, views with options and materialized views as statements', async () => {
    const { schema } = await kept(`
      CREATE TABLE t (id bigint PRIMARY KEY, n bigint) WITH (fillfactor = 70);
      CREATE TABLE u (id bigint PRIMARY KEY);
      CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN -- why
        RETURN new; END $$;
      CREATE TRIGGER same BEFORE UPDATE ON t FOR EACH ROW EXECUTE FUNCTION f();
      CREATE TRIGGER same BEFORE UPDATE ON u FOR EACH ROW EXECUTE FUNCTION f();
      ALTER TABLE t ENABLE ROW LEVEL SECURITY;
      CREATE POLICY own ON t FOR SELECT USING (n > 0);
      CREATE RULE quiet AS ON DELETE TO u DO INSTEAD NOTHING;
      CREATE STATISTICS two_columns ON id, n FROM t;
      CREATE VIEW fenced WITH (security_barrier = true) AS SELECT id FROM t;
      CREATE VIEW plain AS SELECT id FROM t;
      CREATE MATERIALIZED VIEW stored AS SELECT id FROM plain;
      CREATE UNIQUE INDEX stored_id ON stored (id)`)
    const texts = textsOf(schema)
    expect(texts).toHaveLength(10)
    expect(texts[0]).toMatch(/^CREATE OR REPLACE FUNCTION f\(\)/)
    expect(texts.slice(1, 6)).toEqual([
      'CREATE POLICY own ON t FOR SELECT TO PUBLIC USING ((n > 0))',
      'CREATE STATISTICS two_columns ON id, n FROM t',
      'CREATE TRIGGER same BEFORE UPDATE ON t FOR EACH ROW EXECUTE FUNCTION f()',
      'CREATE TRIGGER same BEFORE UPDATE ON u FOR EACH ROW EXECUTE FUNCTION f()',
      expect.stringMatching(/^CREATE RULE quiet AS\s+ON DELETE TO u DO INSTEAD NOTHING$/),
    ])
    expect(schema.views.map(({ name }) => name)).toEqual(['plain'])
    expect(texts.at(-1)).toMatch(
      /^CREATE MATERIALIZED VIEW "stored" AS SELECT.*; CREATE UNIQUE INDEX stored_id ON stored/s,
    )
  })

  it('reports a note for each object that no statement keeps', async () => {
    await database.exec(`
      CREATE TABLE keyless (n bigint);
      CREATE TABLE parts (id bigint, day date, PRIMARY KEY (id, day)) PARTITION BY RANGE (day);
      CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM ('2026-01-01') TO ('2027-01-01');
      CREATE TABLE base (id bigint PRIMARY KEY); CREATE TABLE heir (PRIMARY KEY (id)) INHERITS (base);
      CREATE UNLOGGED TABLE fleeting (id bigint PRIMARY KEY);
      CREATE TABLE worded (id text COLLATE "unicode" PRIMARY KEY, "B" text COLLATE "C");
      CREATE TYPE span AS RANGE (subtype = bigint)`)
    const { schema, notes } = await read()
    expect(schema.tables.map(({ name }) => name)).toEqual(['base', 'fleeting', 'heir', 'parts', 'worded'])
    expect(notes).toEqual([
      'fleeting is UNLOGGED, which models do not have: it was read as a table that is logged.',
      'heir inherits from another table: it was read with all columns as its own.',
      'keyless has no primary key, by which rows are found: it was left out.',
      'parts is partitioned by RANGE (day): it was read as one table, without its partitions.',
      expect.stringContaining('worded has text whose order is not that of its bytes: "id" (unicode).'),
      'PostgreSQL does not report the statement that creates the type span: it was left out.',
    ])
  })

  it('rejects a key column of type integer, and names the column', async () => {
    await database.exec('CREATE TABLE t (id integer PRIMARY KEY)')
    await expect(read()).rejects.toThrow('t.id is a key part of type integer, which Isotherm does not model.')
    // As the message says.
    await database.exec('CREATE SCHEMA shop; SET search_path = shop; CREATE TABLE u (id bigint PRIMARY KEY)')
    expect((await read()).schema.tables.map(({ name }) => name)).toEqual(['u'])
  })

  it('returns columns whose names differ only in case, which compileDdl() rejects', async () => {
    await database.exec('CREATE TABLE t (id bigint PRIMARY KEY, "A" bigint, a bigint)')
    const { schema } = await read()
    expect(() => ddlOf(schema)).toThrow(
      expect.objectContaining({
        message: expect.stringContaining('t would have two columns named a.'),
        fix: 'Rename one of them: case does not count. One may be made for another column or an index.',
      }),
    )
  })

  it('rejects a table with a dot in its name, and names the table', async () => {
    await database.exec('CREATE TABLE "a.b" (id bigint PRIMARY KEY)')
    await expect(read()).rejects.toThrow('the name "a.b" has a dot in it')
  })
})

describe('introspect() of objects that resemble objects of Isotherm', () => {
  it("reads a generated column or a default with another expression than Isotherm's as plain SQL", async () => {
    await database.exec(
      `
      CREATE TABLE t (s bigint GENERATED ALWAYS AS (abs(mod(('x' || substr(md5(v), 1, 15))::bit(64)::bigint, 16))) STORED,
        v text COLLATE "C", PRIMARY KEY (s, v));
      CREATE TABLE u (at_desc bigint GENERATED ALWAYS AS (-2 - at) STORED, at bigint, PRIMARY KEY (at_desc, at));
      CREATE TABLE w (id bigint DEFAULT ('1' || reverse(nextval('public.w_id_seq')::bit(63)::text))::bit(64)::bigint PRIMARY KEY)
    `.replace('CREATE TABLE w', 'CREATE SEQUENCE w_id_seq; CREATE TABLE w'),
    )
    const { schema } = await read()
    const [t, u, w] = schema.tables
    expect(t?.columns[0]).toMatchObject({ name: 's', generated: { stored: true } })
    expect(u?.primaryKey.map(({ property }) => property)).toEqual(['at_desc', 'at'])
    expect(w?.columns[0]?.source).toBeUndefined()
  })

  it('keeps a mirror column that an index names', async () => {
    const Newest = defineTable('Newest', (t) => ({ at: t.int64().key('desc'), id: t.int64().key() }))
    await driver.applyDdl(ddlOf(defineSchema([Newest])))
    await database.exec('CREATE INDEX by_mirror ON "Newest" (at_desc)')
    const { schema } = await read()
    expect(schema.tables[0]?.primaryKey.map(({ property }) => property)).toEqual(['at_desc', 'at', 'id'])
  })

  it.each([
    ['another index names', 'CREATE INDEX again ON t ("n", "ByN_shard")'],
    ['a check names', 'ALTER TABLE t ADD CHECK ("ByN_shard" < 3)'],
    ['descends in it', 'DROP INDEX "ByN"; CREATE INDEX "ByN" ON t ("ByN_shard" DESC, n)'],
    [
      'has it in a condition',
      'DROP INDEX "ByN"; CREATE INDEX "ByN" ON t ("ByN_shard", n) WHERE "ByN_shard" IS NOT NULL',
    ],
    ['has another name', 'ALTER TABLE t RENAME COLUMN "ByN_shard" TO "shard"'],
    ['is shifted', undefined],
  ])('keeps the shard column of an index that %s', async (_, statement) => {
    const hash = `mod(('x' || substr(md5(id::text), 1, 16))::bit(64)::bigint, 4)`
    await database.exec(`
      CREATE TABLE t (id bigint PRIMARY KEY, n bigint,
        "ByN_shard" bigint NOT NULL GENERATED ALWAYS AS (${statement ? `abs(${hash})` : `1 + abs(${hash})`}) STORED);
      CREATE INDEX "ByN" ON t ("ByN_shard", n)`)
    if (statement) await database.exec(statement)
    const { schema } = await read()
    expect(schema.tables[0]?.columns.map(({ name }) => name)).toHaveLength(3)
    expect(schema.tables[0]?.indexes[0]?.shard).toBeUndefined()
  })

  it("keeps a foreign key that has only the name of a parent's constraint", async () => {
    await database.exec(`
      CREATE TABLE p (id bigint PRIMARY KEY);
      CREATE TABLE c (n bigint, id bigint, PRIMARY KEY (n, id), CONSTRAINT c_parent FOREIGN KEY (id) REFERENCES p)`)
    const { schema } = await read()
    expect(schema.tables[0]).toMatchObject({ name: 'c', foreignKeys: [{ name: 'c_parent', table: 'p' }] })
    expect(schema.tables[0]?.parent).toBeUndefined()
  })
})

it('introspect() reads only the current schema when the current schema is not public', async () => {
  await database.exec('CREATE SCHEMA own; CREATE TABLE other (id bigint PRIMARY KEY)')
  await database.exec(`SET search_path = own; CREATE SEQUENCE "Own_id_seq"`)
  await driver.applyDdl(ddlOf(defineSchema([defineTable('Named', (t) => ({ id: t.bitReversedId() }))])))
  const { schema, notes } = await read()
  expect(schema.tables.map(({ name }) => name)).toEqual(['Named'])
  expect(schema.tables[0]?.columns[0]?.source).toEqual({ kind: 'bit-reversed', from: 'identity' })
  expect(schema.namespaces).toEqual([])
  expect(notes).toEqual(['The schema own, the first of search_path, was read alone. Left out: public.'])
})

describe('keys that PostgreSQL computes', () => {
  const ROWS = 1_000
  const VALUES = scaled(runsInGate(100_000, ROWS))
  const seconds = fc.oneof(
    fc.integer({ min: -62_135_596_800, max: 253_402_300_799 }),
    fc.integer({ min: -2_000_000, max: 2_000_000 }),
  )
  const moments = fc
    .tuple(seconds, fc.nat(999_999))
    .map(([second, micros]) =>
      precise(`${new Date(second * 1000).toISOString().slice(0, 19)}.${String(micros).padStart(6, '0')}Z`),
    )
  const texts = fc
    .oneof(
      fc.string({ maxLength: 40 }),
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.constantFrom('', '\\N', '\\', '\\x41', '\\001', '|', "'", '\u{10FFFF}', '東京'),
    )
    .map((text) => text.replaceAll('\0', ''))

  interface Case {
    readonly values: fc.Arbitrary<Hashable>
    readonly column: (t: TableBuilder, options: object) => ColumnBuilder<unknown>
  }
  const cases: Readonly<Record<string, Case>> = {
    int64: {
      values: fc.oneof(
        fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
        fc.constantFrom(-(2n ** 63n), 2n ** 63n - 1n, 0n, -1n),
      ),
      column: (t, options) => t.int64(options),
    },
    string: { values: texts, column: (t, options) => t.string(options) },
    varchar: { values: texts, column: (t, options) => t.string({ ...options, length: 80 }) },
    bytes: {
      values: fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array)),
      column: (t, options) => t.bytes(options),
    },
    bool: { values: fc.boolean(), column: (t, options) => t.bool(options) },
    date: {
      values: seconds.map((second) => new Date(second * 1000).toISOString().slice(0, 10)),
      column: (t, options) => t.date(options),
    },
    timestamp: { values: moments, column: (t, options) => t.timestamp(options) },
    uuid: { values: fc.constant(0).map(() => randomUUID()), column: (t, options) => t.uuid(options) },
    'native uuid': {
      values: fc.constant(0).map(() => randomUUID()),
      column: (t, options) => t.uuid({ ...options, storage: 'native' }),
    },
  }
  const SHARDS = 97

  it.each(Object.keys(cases))(
    `shards of PostgreSQL equal shardOf() for ${VALUES} values of type %s, with NULL`,
    async (name) => {
      const { values, column } = cases[name]!
      const Keyed = defineTable('Keyed', (t) => ({
        shard: t.shardKey({ shards: SHARDS, of: ['value'], computedBy: 'database' }),
        id: t.int64().key(),
        value: column(t, { nullable: true, immutable: true }),
      }))
      await driver.applyDdl(ddlOf(defineSchema([Keyed])))
      const db = openDatabase({ driver, schema: defineSchema([Keyed]) })
      const rows = fc
        .sample(fc.option(values, { freq: 50 }), {
          numRuns: VALUES,
          seed: Number(process.env['ISOTHERM_SEED']),
        })
        .map((value, id) => ({ id: BigInt(id), value }))
      expect(rows.some(({ value }) => value === null)).toBe(true)
      for (let from = 0; from < rows.length; from += ROWS) {
        await db.insert('Keyed', rows.slice(from, from + ROWS))
      }
      const stored = await driver.query(
        { text: 'SELECT id, shard FROM "Keyed" ORDER BY id', parameters: [] },
        [{ kind: 'int64' }, { kind: 'int64' }],
      )
      expect(stored).toEqual(
        rows.map(({ id, value }) => [id, BigInt(shardOf(value, SHARDS, { dialect: postgresql }))]),
      )
    },
  )

  it(`shards and hashes of PostgreSQL equal shardOf() and hashOf() for ${VALUES} rows of several columns`, async () => {
    const of = ['text', 'raw', 'at', 'day', 'id']
    const Keyed = defineTable('Keyed', (t) => ({
      shard: t.shardKey({ shards: SHARDS, of, computedBy: 'database' }),
      short: t.hashKey({ of, algorithm: 'sha256' }),
      long: t.hashKey({ of: ['text', 'at', 'day', 'id'], algorithm: 'sha512' }),
      text: t.string().key(),
      raw: t.bytes().key(),
      at: t.timestamp().key(),
      day: t.date().key(),
      id: t.int64().key(),
    }))
    await driver.applyDdl(ddlOf(defineSchema([Keyed])))
    const db = openDatabase({ driver, schema: defineSchema([Keyed]) })
    const { string, bytes, timestamp, date } = cases as Record<
      'string' | 'bytes' | 'timestamp' | 'date',
      Case
    >
    const rows = fc
      .sample(fc.record({ text: string.values, raw: bytes.values, at: timestamp.values, day: date.values }), {
        numRuns: VALUES,
        seed: Number(process.env['ISOTHERM_SEED']),
      })
      .map((row, id) => ({ ...row, id: BigInt(id) }))
    for (let from = 0; from < rows.length; from += ROWS) {
      await db.insert('Keyed', rows.slice(from, from + ROWS))
    }
    const stored = await driver.query(
      { text: 'SELECT id, shard, short, long FROM "Keyed" ORDER BY id', parameters: [] },
      [
        { kind: 'int64' },
        { kind: 'int64' },
        { kind: 'bytes', length: 'max' },
        { kind: 'bytes', length: 'max' },
      ],
    )
    expect(stored).toEqual(
      rows.map(({ text, raw, at, day, id }) => [
        id,
        BigInt(shardOf([text, raw, at, day, id], SHARDS, { dialect: postgresql })),
        hashOf([text, raw, at, day, id], 'sha256'),
        hashOf([text, at, day, id], 'sha512'),
      ]),
    )
  })
})
