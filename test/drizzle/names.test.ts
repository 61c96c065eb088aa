import { googlesql } from '@isotherm/spanner'
import {
  alias,
  int64,
  json,
  spannerSchema,
  spannerTable,
  spannerView,
  string,
  type SpannerDatabase,
} from '@isotherm/drizzle-adapter'
import { and, count, desc, eq, exists, gt, inArray, max, relations, sql } from 'drizzle-orm'
import { drizzle } from '@isotherm/drizzle-adapter'
import { beforeAll, describe, expect, test } from 'vitest'
import { sharedEmulator } from '../support/spanner.js'
import { runs } from './support/shop.js'

const tags = spannerTable('Tag', { id: int64({ mode: 'number' }).primaryKey(), tag: string('Tag') })
const docs = spannerTable('Doc', {
  id: int64({ mode: 'number' }).primaryKey(),
  doc: json('Doc'),
  n: int64({ mode: 'number' }),
})
const oldTags = spannerSchema('old').table('Tag', {
  id: int64({ mode: 'number' }).primaryKey(),
  tag: string('Tag'),
})
const uppers = spannerView('Shout').as((qb) =>
  qb.select({ id: tags.id, n: sql<string>`upper(${tags.tag})`.as('n') }).from(tags),
)
const odd = spannerTable('constructor', {
  toString: int64('select', { mode: 'number' }).primaryKey(),
  constructor: string('a\\b` --'),
  valueOf: string('hasOwnProperty'),
})
const chain = spannerTable('Chain', {
  id: int64({ mode: 'number' }).primaryKey(),
  next: int64('next', { mode: 'number' }),
})
const chains = relations(chain, ({ one }) => ({
  link: one(chain, { fields: [chain.next], references: [chain.id] }),
}))

const DDL = [
  'CREATE TABLE Tag (id INT64 NOT NULL, Tag STRING(MAX)) PRIMARY KEY (id)',
  'CREATE TABLE Doc (id INT64 NOT NULL, Doc JSON, n INT64) PRIMARY KEY (id)',
  'CREATE SCHEMA old',
  'CREATE TABLE old.Tag (id INT64 NOT NULL, Tag STRING(MAX)) PRIMARY KEY (id)',
  'CREATE VIEW Shout SQL SECURITY INVOKER AS SELECT Tag.id, UPPER(Tag.Tag) AS n FROM Tag',
  'CREATE TABLE Chain (id INT64 NOT NULL, next INT64) PRIMARY KEY (id)',
]

const client = await (await sharedEmulator()).database({ dialect: googlesql, ddl: DDL })
const db = drizzle(client, { schema: { tags, docs, chain, chains } })

beforeAll(async () => {
  await db.insert(tags).values([
    { id: 1, tag: 'b' },
    { id: 2, tag: 'a' },
    { id: 3, tag: 'b' },
  ])
  await db.insert(docs).values([
    { id: 1, doc: { n: 30 }, n: 1 },
    { id: 2, doc: { n: 10 }, n: 2 },
  ])
  await db.insert(chain).values({ id: 1, next: 1 })
})

// After the select list, a column hides the table of the same name.
describe('a table with a column of the same name', () => {
  test('gets an alias in a select with ORDER BY', async () => {
    const rows = await runs(
      db.select().from(tags).orderBy(desc(tags.tag), tags.id),
      'select `Tag_`.`id`, `Tag_`.`Tag` from `Tag` `Tag_` order by `Tag_`.`Tag` desc, `Tag_`.`id`',
    )
    expect(rows.map(({ id }) => id)).toEqual([1, 3, 2])
  })

  test('gets an alias, so that ORDER BY reads its column and not a field of its JSON document', async () => {
    const rows = await runs(
      db
        .select({ doc: docs.doc })
        .from(docs)
        .orderBy(sql`abs(int64(to_json(${docs.n})))`),
      'select `Doc_`.`Doc` from `Doc` `Doc_` order by abs(int64(to_json(`Doc_`.`n`)))',
    )
    expect(rows).toEqual([{ doc: { n: 30 } }, { doc: { n: 10 } }])
  })

  test('gets an alias in a select with GROUP BY and HAVING', async () => {
    const rows = await runs(
      db
        .select({ tag: tags.tag, n: count() })
        .from(tags)
        .groupBy(tags.tag)
        .having(gt(max(tags.id), 2))
        .orderBy(max(tags.id)),
      'select `Tag_`.`Tag`, count(*) from `Tag` `Tag_` group by `Tag_`.`Tag` having max(`Tag_`.`id`) > @p1 order by max(`Tag_`.`id`)',
      [2],
    )
    expect(rows).toEqual([{ tag: 'b', n: 2 }])
  })

  test('keeps its alias in a correlated subquery, and has no alias in a subquery that reads the table', async () => {
    const rows = await runs(
      db
        .select({ tag: sql<string>`${tags.tag}` })
        .from(tags)
        .where(
          and(
            exists(db.select({ id: docs.id }).from(docs).where(eq(docs.id, tags.id))),
            inArray(tags.id, db.select({ id: tags.id }).from(tags).where(eq(tags.tag, 'b'))),
          ),
        )
        .orderBy(tags.id),
      'select `Tag_`.`Tag` from `Tag` `Tag_` where (exists (select `Doc`.`id` from `Doc` where `Doc`.`id` = `Tag_`.`id`) and `Tag_`.`id` in (select `Tag`.`id` from `Tag` where `Tag`.`Tag` = @p1)) order by `Tag_`.`id`',
      ['b'],
    )
    expect(rows).toEqual([{ tag: 'b' }])
  })

  test('gets an alias when it is a subquery in WITH, and is readable inside another subquery', async () => {
    const n = db.$with('n').as(db.select({ id: docs.id, n: sql<number>`${docs.n} * 2`.as('n') }).from(docs))
    const rows = await runs(
      db.with(n).select().from(n).where(gt(n.n, 2)).orderBy(n.id),
      'with `n` as (select `Doc`.`id`, `Doc`.`n` * 2 as `n` from `Doc`) select `n_`.`id`, `n_`.`n` from `n` `n_` where `n_`.`n` > @p1 order by `n_`.`id`',
      [2],
    )
    expect(rows).toEqual([{ id: 2, n: 4n }])
    const inner = db.with(n).select().from(n).orderBy(n.id).limit(1).as('inner')
    expect(await db.select({ id: inner.id }).from(inner)).toEqual([{ id: 1 }])
  })

  test('gets an alias when it is an alias of a table in a named schema, or a lateral subquery', async () => {
    const tag = alias(oldTags, 'tag')
    expect(db.select().from(tag).orderBy(tag.id).toSQL().sql).toBe(
      'select `tag_`.`id`, `tag_`.`Tag` from `old`.`Tag` `tag_` order by `tag_`.`id`',
    )
    const n = db.select({ n: docs.n }).from(docs).where(eq(docs.id, tags.id)).as('n')
    const rows = await runs(
      db
        .select({ id: tags.id, n: n.n })
        .from(tags)
        .innerJoinLateral(n, sql`true`)
        .orderBy(desc(n.n)),
      'select `Tag`.`id`, `n_`.`n` from `Tag` inner join unnest(array(select as struct * from (select `Doc`.`n` from `Doc` where `Doc`.`id` = `Tag`.`id`))) `n_` on true order by `n_`.`n` desc',
    )
    expect(rows).toEqual([
      { id: 2, n: 2 },
      { id: 1, n: 1 },
    ])
  })
})

describe('a name with another meaning in a subquery', () => {
  test('gets an alias when a table in another schema has the same name', async () => {
    const query = db
      .select({ id: tags.id })
      .from(tags)
      .where(exists(db.select({ id: oldTags.id }).from(oldTags).where(eq(oldTags.id, tags.id))))
    expect(
      await runs(
        query,
        'select `Tag_`.`id` from `Tag` `Tag_` where exists (select `Tag__`.`id` from `old`.`Tag` `Tag__` where `Tag__`.`id` = `Tag_`.`id`)',
      ),
    ).toEqual([])
    const archived = alias(oldTags, 'archived')
    const fixed = db
      .select({ id: tags.id })
      .from(tags)
      .where(exists(db.select({ id: archived.id }).from(archived).where(eq(archived.id, tags.id))))
    expect(
      await runs(
        fixed,
        'select `Tag_`.`id` from `Tag` `Tag_` where exists (select `archived`.`id` from `old`.`Tag` `archived` where `archived`.`id` = `Tag_`.`id`)',
      ),
    ).toEqual([])
  })

  test('is rejected when a column of the inner table hides a field of the outer view', async () => {
    const query = db
      .select({ id: uppers.id })
      .from(uppers)
      .where(exists(db.select({ id: docs.id }).from(docs).where(eq(uppers.n, 'A'))))
    expect(() => query.toSQL()).toThrow('The field n would be read as the column of Doc')
    expect(await db.select().from(uppers).where(eq(uppers.n, 'A'))).toEqual([{ id: 2, n: 'A' }])
  })
})

describe('column names that are properties of Object.prototype', () => {
  test('are read only from own properties of rows and placeholder values', () => {
    expect(
      db
        .insert(odd)
        .values({ toString: 1 } as never)
        .toSQL(),
    ).toEqual({
      sql: 'insert into `constructor` (`select`) values (@p1)',
      params: ['1'],
    })
    expect(
      db
        .update(odd)
        .set({ constructor: 'x' } as never)
        .toSQL(),
    ).toEqual({
      sql: 'update `constructor` set `a\\\\b\\` --` = @p1 where true',
      params: ['x'],
    })
    expect(() => db.update(tags).set({ valueOf: 1 } as never)).toThrow('Tag has no column valueOf')
    const prepared = db
      .select()
      .from(tags)
      .where(eq(tags.tag, sql.placeholder('constructor')))
      .prepare()
    return expect(prepared.execute({})).rejects.toThrow('The placeholder "constructor" has no value.')
  })

  test('fields named toString and __proto__ are own properties of the result rows', async () => {
    const fields = Object.fromEntries([
      ['__proto__', tags.id],
      ['toString', { constructor: tags.tag }],
    ]) as unknown as { toString: never }
    const rows = await db.select(fields).from(tags).where(eq(tags.id, 2))
    expect(Object.entries(rows[0]!)).toEqual([
      ['__proto__', 2],
      ['toString', { constructor: 'a' }],
    ])
    const raw = await db.execute(sql`select ${'x'} as ${sql.identifier('__proto__')}`)
    expect(Object.entries(raw[0]!)).toEqual([['__proto__', 'x']])
  })
})

describe('nested relations in db.query', () => {
  type Link = { link?: Link | null }
  const nested = (depth: number): Record<string, unknown> => ({
    columns: { id: true },
    ...(depth > 0 && { with: { link: nested(depth - 1) } }),
  })
  const find = (database: SpannerDatabase<{ chain: typeof chain; chains: typeof chains }>, depth: number) =>
    database.query.chain.findMany(nested(depth) as never) as unknown as PromiseLike<Link[]> & {
      toSQL(): unknown
    }

  test('relations are read 24 levels deep, and rejected at 25 levels', async () => {
    const [first] = await find(db as never, 24)
    let depth = 0
    for (let link = first?.link; link; link = link.link) depth++
    expect(depth).toBe(24)
    expect(() => find(db as never, 25).toSQL()).toThrow(
      'are 25 within one another, and Spanner nests no more than 24',
    )
  })
})
