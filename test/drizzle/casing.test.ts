import { type SqlDialect, compileDdl } from '@isotherm/core'
import * as google from '@isotherm/drizzle-adapter'
import * as postgres from '@isotherm/drizzle-adapter/postgresql'
import { asc, count, desc, eq, exists, gt, relations, sql } from 'drizzle-orm'
import * as pg from 'drizzle-orm/pg-core'
import { beforeEach, describe, expect, test } from 'vitest'
import { dialects, sharedEmulator } from '../support/spanner.js'

// The casing turns a property into the column name, wherever a statement writes the column.

const own = () => ({
  people: google.spannerTable(
    'people',
    {
      personId: google.int64({ mode: 'number' }).primaryKey(),
      firstName: google.string({ length: 20 }),
      bornIn: google.int64({ mode: 'number' }),
    },
    (t) => [google.index('by_first_name').on(t.firstName)],
  ),
})

const ofPostgres = () => ({
  people: pg.pgTable(
    'people',
    {
      personId: pg.bigint({ mode: 'number' }).primaryKey(),
      firstName: pg.varchar({ length: 20 }),
      bornIn: pg.bigint({ mode: 'number' }),
    },
    (t) => [postgres.index('by_first_name').on(t.firstName)],
  ),
})

async function cased(dialect: SqlDialect) {
  const isOwn = dialect.name === 'googlesql'
  const { toSchema, drizzle } = (isOwn ? google : postgres) as typeof google
  const { people } = (isOwn ? own() : ofPostgres()) as ReturnType<typeof own>
  const casing = 'snake_case'
  const schema = {
    people,
    peopleRelations: relations(people, ({ many, one }) => ({
      born: many(people, { relationName: 'born' }),
      same: one(people, { fields: [people.bornIn], references: [people.personId], relationName: 'born' }),
    })),
  }
  const statements = compileDdl(toSchema([people], { casing }), { dialect })
  const db = drizzle(await (await sharedEmulator()).database({ dialect, ddl: statements }), {
    schema,
    casing,
  })
  return {
    db,
    people,
    ddl: statements.join('\n'),
    union: (isOwn ? google.union : pg.union) as typeof google.union,
  }
}

describe.each(dialects)('casing snake_case in $name', async (dialect) => {
  const { db, people, ddl, union } = await cased(dialect)
  const ada = { personId: 1, firstName: 'Ada', bornIn: 2 }
  const bob = { personId: 2, firstName: 'Bob', bornIn: 2 }

  beforeEach(async () => {
    await db.delete(people)
    await db.insert(people).values([ada, bob])
  })

  test('converts the column names of a table and its index in the DDL', () => {
    expect(ddl).toMatch(/first_name/)
    expect(ddl).not.toMatch(/firstName|personId|bornIn/)
  })

  test('converts the column names in the order of a union, also in SQL expressions', async () => {
    const one = db.select().from(people).where(eq(people.personId, 1))
    const other = db.select().from(people).where(gt(people.personId, 1))
    for (const order of [desc(people.firstName), sql`${people.firstName} desc`]) {
      const query = union(one, other).orderBy(order)
      expect(query.toSQL().sql).not.toMatch(/firstName/)
      expect(await query).toEqual([bob, ada])
      // The union did not change the expression.
      expect(await db.select().from(people).orderBy(order)).toEqual([bob, ada])
    }
    expect(await union(one, other).orderBy(people.firstName).limit(1)).toEqual([ada])
  })

  test('converts the column names in UPDATE, DELETE, upserts and returning()', async () => {
    const [updated] = await db
      .update(people)
      .set({ firstName: sql`upper(${people.firstName})` })
      .where(eq(people.firstName, 'Ada'))
      .returning({ firstName: people.firstName, loud: sql<string>`lower(${people.firstName})` })
    expect(updated).toEqual({ firstName: 'ADA', loud: 'ada' })
    const upsert =
      dialect.name === 'googlesql'
        ? db
            .insert(people)
            .values({ ...bob, firstName: 'Bo' })
            .orUpdate()
        : (
            db.insert(people).values(bob) as unknown as {
              onConflictDoUpdate(config: object): Promise<unknown>
            }
          ).onConflictDoUpdate({
            target: people.personId,
            set: {
              personId: sql`excluded.person_id`,
              firstName: sql`excluded.first_name`,
              bornIn: sql`excluded.born_in`,
            },
          })
    await upsert
    expect(
      await db.delete(people).where(gt(people.bornIn, 0)).returning({ personId: people.personId }),
    ).toHaveLength(2)
  })

  test('converts the column names in groups, subqueries, SQL expressions and relational queries', async () => {
    expect(
      await db
        .select({ bornIn: people.bornIn, n: count(people.firstName) })
        .from(people)
        .groupBy(people.bornIn),
    ).toEqual([{ bornIn: 2, n: 2 }])
    const some = db
      .$with('some')
      .as(db.select({ firstName: people.firstName, personId: people.personId }).from(people))
    expect(
      await db.with(some).select({ firstName: some.firstName }).from(some).orderBy(asc(some.personId)),
    ).toEqual([{ firstName: 'Ada' }, { firstName: 'Bob' }])
    const found = await db.query.people.findMany({
      columns: { firstName: true },
      extras: { loud: sql<string>`upper(${people.firstName})`.as('loud') },
      where: exists(db.select().from(people).where(eq(people.bornIn, 2))),
      orderBy: desc(people.firstName),
      with: { born: { columns: { personId: true }, where: eq(people.firstName, 'Ada') } },
    })
    expect(found).toEqual([
      { firstName: 'Bob', loud: 'BOB', born: [{ personId: 1 }] },
      { firstName: 'Ada', loud: 'ADA', born: [] },
    ])
  })
})
