import { defineSchema, defineTable, type Schema } from '@isotherm/core'
import type { CqlDialect } from '@isotherm/cassandra'
import { cql, keyspacesCql } from '@isotherm/cassandra'
import {
  describeChange,
  diffSchemas,
  losesData,
  planMigration,
  renameCandidates,
  type Renames,
} from '@isotherm/migrations'
import { describe, expect, it } from 'vitest'
import { refusal } from '../../../core/test/support/refusal.js'
import { postsWith, title, type Declared, type TableOptions } from '../support/posts.js'

// Plans and refusals for a keyspace whose models change.

interface Options {
  readonly dialect?: CqlDialect
  readonly renames?: Renames
}

function planned(from: Schema, to: Schema, options: Options = {}): readonly string[] {
  return planMigration(from, to, { dialect: cql, ...options }).map(({ kind, sql }) => {
    expect(kind).toBe('ddl')
    return sql
  })
}

function refused(from: Schema, to: Schema, options: Options = {}): readonly object[] {
  return diffSchemas(from, to, { dialect: cql, ...options }).refusals
}

function described(from: Schema, to: Schema, options: Options = {}): readonly string[] {
  return diffSchemas(from, to, { dialect: cql, ...options }).changes.map(describeChange)
}

const empty = defineSchema([])

/** Posts with a title and with further columns. */
function posts(more: Declared = () => ({}), options: TableOptions = {}): Schema {
  return defineSchema([postsWith((t) => ({ ...title(t), ...more(t) }), options)])
}

/** Owners, and their pets beside them or in a table of their own. */
function pets({ own, expires }: { readonly own?: true; readonly expires?: true }): Schema {
  const options = expires ? { writesExpire: true } : {}
  const owner = defineTable('owner', (t) => ({ id: t.int32().key(), name: t.string() }), options)
  const pet = defineTable(
    'pet',
    (t) => ({ id: t.parentKey<number>(), pet: t.int32().key(), kind: t.string() }),
    { ...options, interleaveIn: () => owner, ...(own ? { rows: 'own' } : { onDelete: 'cascade' }) },
  )
  return defineSchema([owner, pet])
}

describe('planMigration() in CQL', () => {
  it('creates the table of a new model with its clustering order', () => {
    expect(planned(empty, posts())).toEqual([
      [
        'CREATE TABLE "post" (',
        '  "day" date,',
        '  "shard" int,',
        '  "at" timestamp,',
        '  "id" uuid,',
        '  "title" text,',
        '  PRIMARY KEY (("day", "shard"), "at", "id")',
        ') WITH CLUSTERING ORDER BY ("at" DESC, "id" ASC)',
      ].join('\n'),
    ])
  })

  it('plans no statement when nothing has changed', () => {
    expect(planned(posts(), posts())).toEqual([])
  })

  it('accepts an earlier schema that compileDdl() would reject today', () => {
    const refusedToday = defineSchema([
      defineTable(
        'shared',
        (t) => ({
          shard: t.shardKey({ shards: 16, of: ['user'] }),
          room: t.int32().key(),
          id: t.int32().key(),
          user: t.int32({ immutable: true, static: true }),
        }),
        { partitionKey: ['shard', 'room'] },
      ),
    ])
    const more = posts((t) => ({ more: t.int32({ nullable: true }) }))
    expect(() => described(empty, refusedToday)).toThrow('shared.user is static')
    expect(described(refusedToday, empty)).toEqual(['shared: drop the table, with its data'])
    expect(renameCandidates(refusedToday, empty, { dialect: cql })).toEqual([])
    const { changes } = diffSchemas(posts(), more, { dialect: cql, earlier: [refusedToday] })
    expect(changes.map(describeChange)).toEqual(['post: add the column more (int32, nullable)'])
  })

  it('adds static columns, then other columns, and drops columns last', () => {
    const from = posts((t) => ({ old: t.int32({ nullable: true }) }))
    const to = posts((t) => ({
      tags: t.set({ kind: 'string', length: 'max' }, { nullable: true }),
      theme: t.string({ nullable: true, static: true }),
    }))
    expect(planned(from, to)).toEqual([
      'ALTER TABLE "post" ADD "theme" text static',
      'ALTER TABLE "post" ADD "tags" set<text>',
      'ALTER TABLE "post" DROP "old"',
    ])
    expect(described(from, to)).toEqual([
      'post: add the static column theme (string of length max, nullable)',
      'post: add the column tags (set of string, nullable)',
      'post: drop the column old, with its data',
    ])
  })

  it('adds NOT NULL columns, and describes that existing rows have NULL in the new columns', () => {
    const to = posts((t) => ({
      note: t.string(),
      at2: t.timestamp({ default: 'now' }),
      theme: t.string({ static: true }),
    }))
    expect(planned(posts(), to)).toEqual([
      'ALTER TABLE "post" ADD "theme" text static',
      'ALTER TABLE "post" ADD "note" text',
      'ALTER TABLE "post" ADD "at2" timestamp',
    ])
    expect(described(posts(), to)).toEqual([
      'post: add the static column theme (string of length max, NULL in partitions that are there until it is written)',
      'post: add the column note (string of length max, NULL in rows that are there, which cannot be read until it is written)',
      'post: add the column at2 (timestamp, NULL in rows that are there, which cannot be read until it is written)',
    ])
    const hits = (more: Declared): Schema =>
      defineSchema([defineTable('hits', (t) => ({ page: t.string().key(), n: t.counter(), ...more(t) }))])
    // A counter that was never incremented is zero.
    expect(
      described(
        hits(() => ({})),
        hits((t) => ({ more: t.counter() })),
      ),
    ).toEqual(['hits: add the column more (counter, not null)'])
  })

  it('rejects a new NOT NULL column in a table whose rows expire', () => {
    for (const options of [{ ttlSeconds: 60 }, { writesExpire: true }]) {
      const { changes, refusals } = diffSchemas(
        posts(undefined, options),
        posts((t) => ({ note: t.string() }), options),
        {
          dialect: cql,
        },
      )
      expect(changes).toEqual([])
      expect(refusals).toMatchObject([{ kind: 'not-null', table: 'post', column: 'note' }])
    }
  })

  it('plans no statement when a column of expiring rows becomes NOT NULL, but marks the change as data loss', () => {
    const noted = (nullable: boolean, options?: TableOptions): Schema =>
      posts((t) => ({ note: nullable ? t.string({ nullable: true }) : t.string() }), options)
    for (const options of [{ ttlSeconds: 60 }, { writesExpire: true }]) {
      const [from, to] = [noted(true, options), noted(false, options)]
      const { changes } = diffSchemas(from, to, { dialect: cql })
      expect(changes.map(losesData)).toEqual([true])
      expect(described(from, to)).toEqual([
        'post: treat rows in which note is NULL as expired, which reads leave out',
      ])
      expect(planned(from, to)).toEqual([])
      expect([...described(to, from), ...described(to, to)]).toEqual([])
      // Rows that begin to expire with the same change.
      expect(described(noted(true), to)[0]).toBe(described(from, to)[0])
    }
    // Rows that begin to expire after the column was added: which rows lack the column is not known.
    const [without, required] = [posts(), noted(false)]
    const expiring = noted(false, { writesExpire: true })
    const later = diffSchemas(required, expiring, { dialect: cql, earlier: [without] }).changes
    expect(later.map(describeChange)).toEqual(described(noted(true), expiring))
    expect(diffSchemas(required, expiring, { dialect: cql, earlier: [required] }).changes).toEqual([])
    // The rows of a table that was dropped are gone: the table that was made anew has required the column from the beginning.
    expect(diffSchemas(required, expiring, { dialect: cql, earlier: [without, empty] }).changes).toEqual([])
    // The column that marks a parent's row beside its children is not a column of the model.
    const [alone, family] = [pets({ own: true }), pets({})]
    const both = diffSchemas(family, pets({ expires: true }), { dialect: cql, earlier: [alone, family] })
    expect(both.changes.map(describeChange)).toEqual([
      'owner: treat rows in which kind is NULL as expired, which reads leave out',
    ])
    // Where rows do not expire, a read reports that the row lacks the column.
    expect(described(noted(true), noted(false))).toEqual([])
  })

  it('sets and resets default_time_to_live, and enables TTL first in keyspaces-cql', () => {
    const [from, to] = [posts(), posts(undefined, { ttlSeconds: 60 })]
    expect(planned(from, to)).toEqual(['ALTER TABLE "post" WITH default_time_to_live = 60'])
    expect(planned(to, from)).toEqual(['ALTER TABLE "post" WITH default_time_to_live = 0'])
    expect(planned(from, to, { dialect: keyspacesCql })).toEqual([
      `ALTER TABLE "post" WITH CUSTOM_PROPERTIES = {'ttl': {'status': 'enabled'}}`,
      'ALTER TABLE "post" WITH default_time_to_live = 60',
    ])
    expect([...described(from, to), ...described(to, from)]).toEqual([
      'post: let new rows expire after 60 seconds',
      'post: let new rows stay; older ones still expire: keep writesExpire until they are gone',
    ])
  })

  it('renames a key column in cql, and rejects the rename in keyspaces-cql', () => {
    const table = (id: string): Schema =>
      defineSchema([
        defineTable('person', (t) => ({ id: t.uuidV4({ name: id }), name: t.string({ nullable: true }) })),
      ])
    const [from, to] = [table('id'), table('person_id')]
    const renames = { columns: { person: { id: 'person_id' } } }
    expect(planned(from, to, { renames })).toEqual(['ALTER TABLE "person" RENAME "id" TO "person_id"'])
    expect(described(from, to, { renames })).toEqual(['person: rename the key column id to person_id'])
    expect(renameCandidates(from, to, { dialect: cql })).toEqual([
      { kind: 'column', table: 'person', from: 'id', to: 'person_id', likeness: 1 },
    ])
    expect(refused(from, to, { renames, dialect: keyspacesCql })).toMatchObject([
      { kind: 'rename', message: expect.stringContaining('this dialect does not support renames') },
      { kind: 'primary-key' },
    ])
  })

  it('drops and creates indexes, and drops an index before its table', () => {
    const indexed = (...names: readonly string[]): Schema =>
      defineSchema([
        defineTable(
          'person',
          (t) => ({ id: t.uuidV4(), a: t.string({ nullable: true }), b: t.string({ nullable: true }) }),
          {
            indexes: names.map((name) => ({ name: `by_${name.at(-1)}`, on: [name[0] as 'a'] })),
          },
        ),
      ])
    expect(planned(indexed('a1'), indexed('b1', 'a2'))).toEqual([
      'DROP INDEX "by_1"',
      `CREATE INDEX "by_1" ON "person" ("b") USING 'sai'`,
      `CREATE INDEX "by_2" ON "person" ("a") USING 'sai'`,
    ])
    expect(planned(indexed('a1'), empty)).toEqual(['DROP INDEX "by_1"', 'DROP TABLE "person"'])
    const { changes } = diffSchemas(indexed(), empty, { dialect: cql })
    expect(changes.map(losesData)).toEqual([true])
  })

  it('creates one table for a new parent and its child', () => {
    const { tables } = folded()
    expect(planned(empty, folded())).toHaveLength(1)
    expect(tables).toHaveLength(2)
    expect(planned(folded(), empty)).toEqual(['DROP TABLE "order"'])
  })
})

/** @param own whether the lines have a table of their own */
function folded({ own = false, lines = true } = {}): Schema {
  const Order = defineTable('order', (t) => ({ id: t.uuidV4(), customer: t.string({ nullable: true }) }))
  const Line = defineTable(
    'order_line',
    (t) => ({ id: t.parentKey(), line: t.int32().key(), sku: t.string({ nullable: true }) }),
    { interleaveIn: () => Order, ...(own ? { rows: 'own' } : { onDelete: 'cascade' }) },
  )
  return defineSchema(lines ? [Order, Line] : [Order])
}

describe('diffSchemas() in CQL with a change that a migration cannot make', () => {
  it('rejects another partition key and another clustering order', () => {
    const key = (build: Declared, partitionKey: readonly string[]): Schema =>
      defineSchema([defineTable('t', build, { partitionKey } as object)])
    const from = key(
      (t) => ({ a: t.int64().key(), b: t.int64().key(), c: t.int64({ nullable: true }) }),
      ['a'],
    )
    const wider = key(
      (t) => ({ a: t.int64().key(), b: t.int64().key(), c: t.int64({ nullable: true }) }),
      ['a', 'b'],
    )
    const turned = key(
      (t) => ({ a: t.int64().key(), b: t.int64().key('desc'), c: t.int64({ nullable: true }) }),
      ['a'],
    )
    expect(refused(from, wider)).toMatchObject([
      {
        kind: 'primary-key',
        table: 't',
        message: 'has the primary key ((a), b), and the model has ((a, b)).',
        fix: expect.stringContaining('write to both in the application'),
      },
    ])
    expect(refused(from, turned)).toMatchObject([{ message: expect.stringContaining('((a), b DESC)') }])
    expect(refusal(() => planned(from, wider))).toMatchObject({ code: 'MIGRATION_REFUSED' })
  })

  it('rejects another type of a key column, and an undeclared rename of a key column', () => {
    const key = (build: Declared): Schema => defineSchema([defineTable('t', build)])
    const from = key((t) => ({ a: t.int64().key(), b: t.int64().key() }))
    const typed = key((t) => ({ a: t.int64().key(), b: t.string().key() }))
    const named = key((t) => ({ a: t.int64().key(), c: t.int64().key() }))
    expect(refused(from, typed)).toMatchObject([
      { column: 'b', fix: expect.stringMatching(/^Create a table with another name,/) },
    ])
    expect(refused(from, named)).toMatchObject([
      { fix: expect.stringMatching(/^If b was renamed to c, add --rename t\.b:c\. Otherwise: Create/) },
    ])
  })

  it('rejects another column type, and a regular column that becomes static', () => {
    expect(
      refused(
        posts((t) => ({ n: t.int32({ nullable: true }), s: t.string({ nullable: true }) })),
        posts((t) => ({ n: t.int64({ nullable: true }), s: t.string({ nullable: true, static: true }) })),
      ),
    ).toMatchObject([
      {
        kind: 'static',
        column: 's',
        message: 'is a value of each row, and the model has one value for a partition.',
      },
      { kind: 'column-type', column: 'n', message: 'is of type int, and the model has bigint.' },
    ])
  })

  it('rejects other shards and another bucket size, but accepts more random shards', () => {
    const log = (shards: number, by: 'day' | 'hour', of: 'userId' | 'page' = 'userId'): Schema =>
      defineSchema([
        defineTable('log', (t) => ({
          day: t.timeBucket({ by, of: 'at', since: '2024-01-01' }),
          shard: t.shardKey({ shards, of: [of] }),
          at: t.descTimestamp({ default: 'now' }),
          userId: t.int64({ name: 'user_id' }).key(),
          page: t.int64({ nullable: false, immutable: true }),
        })),
      ])
    expect(refused(log(8, 'day'), log(4, 'day'))).toMatchObject([
      { kind: 'primary-key', column: 'shard', message: expect.stringContaining('shards 0 to 7') },
    ])
    expect(refused(log(8, 'day'), log(16, 'day'))).toMatchObject([{ column: 'shard' }])
    expect(refused(log(8, 'day'), log(8, 'day', 'page'))).toMatchObject([{ column: 'shard' }])
    expect(refused(log(8, 'day'), log(8, 'hour'))).toMatchObject([{ kind: 'primary-key' }, {}])
    const random = (shards: number): Schema =>
      defineSchema([
        defineTable('t', (t) => ({ s: t.shardKey({ strategy: 'random', shards }), id: t.uuidV4() }), {
          partitionKey: ['s', 'id'],
        }),
      ])
    // Random shards are all read anyway, and so their number may grow.
    expect(refused(random(4), random(8))).toEqual([])
    expect(refused(random(8), random(4))).toMatchObject([{ column: 's' }])
  })

  it('rejects moving a child into or out of the table of its parent', () => {
    const moved = [{ kind: 'interleaving', table: 'order', fix: expect.stringContaining("rows: 'own'") }]
    expect(refused(folded({ lines: false }), folded())).toMatchObject(moved)
    expect(refused(folded(), folded({ own: true }))).toMatchObject(moved)
    expect(refused(folded(), folded())).toEqual([])
    expect(planned(folded({ lines: false }), folded({ own: true }))).toHaveLength(1)
  })

  it('rejects changing a plain table to a table of counters, and back', () => {
    const hits = (counter: boolean): Schema =>
      defineSchema([
        defineTable('hits', (t) => ({
          page: t.string().key(),
          n: counter ? t.counter() : t.int64({ nullable: true }),
        })),
      ])
    expect(refused(hits(false), hits(true))).toMatchObject([
      { kind: 'counter', message: 'is not a table of counters, which cannot be changed.' },
    ])
    expect(refused(hits(true), hits(false))).toMatchObject([{ kind: 'counter' }])
  })

  it('rejects renaming a table or a column that is not in the key', () => {
    const renames = { tables: { post: 'article' }, columns: { post: { title: 'headline' } } }
    const to = posts((t) => ({ headline: t.string({ nullable: true }) }))
    expect(refused(posts(), to, { renames })).toMatchObject([
      { kind: 'rename', table: 'post', message: expect.stringContaining('Cassandra cannot rename tables') },
      {
        kind: 'rename',
        column: 'title',
        message: expect.stringContaining('the model still has a column of the old name'),
      },
    ])
  })

  it('rejects dropping a column in keyspaces-cql', () => {
    const from = posts((t) => ({ old: t.int32({ nullable: true }) }))
    expect(refused(from, posts(), { dialect: keyspacesCql })).toMatchObject([{ kind: 'drop', column: 'old' }])
  })

  it('rejects adding a dropped column again with another type', () => {
    const [text, number, without] = [
      posts((t) => ({ old: t.string({ nullable: true }) })),
      posts((t) => ({ old: t.int32({ nullable: true }) })),
      posts(),
    ]
    const again = (...earlier: readonly Schema[]): readonly object[] =>
      diffSchemas(without!, number!, { dialect: cql, earlier }).refusals
    expect(again(text!, without!)).toMatchObject([
      {
        kind: 'dropped-column',
        table: 'post',
        column: 'old',
        message: expect.stringContaining('was of type text'),
      },
    ])
    expect(again(number!, without!)).toEqual([])
    // The table that had it is gone.
    expect(again(text!, empty, without!)).toEqual([])
    expect(again()).toEqual([])
  })
})
