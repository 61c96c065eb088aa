import {
  alias,
  int64,
  spannerSchema,
  spannerTable,
  spannerView,
  string,
  uuidV4,
  timestamp,
} from '@isotherm/drizzle-adapter'
import { and, count, eq, gt, like, sql } from 'drizzle-orm'

// Exported, as users export theirs: their types have to have names outside of this package.

/** Columns that many tables have. */
export const common = {
  id: uuidV4(),
  createdAt: timestamp().notNull().defaultNow(),
  revision: int64().notNull().default(0n),
}

export const shop = spannerSchema('shop')
export const people = shop.table('Person', {
  id: int64().primaryKey(),
  name: string('full_name').notNull(),
  age: int64({ mode: 'number' }),
})
export const pets = spannerTable('Pet', { id: int64().primaryKey(), owner: int64().notNull() })
export const adults = shop.view('Adult').as((qb) =>
  qb
    .select()
    .from(people)
    .where(and(gt(people.age, 17), like(people.name, "%O'%"), gt(people.id, -5n))),
)
export const owners = spannerView('Owner').as((qb) =>
  qb
    .select({ id: adults.id, name: adults.name, pets: count().as('pets') })
    .from(adults)
    .innerJoin(pets, eq(pets.owner, adults.id))
    .groupBy(adults.id, adults.name),
)
export const written = spannerView('Written', { one: int64().notNull() }).as(sql`SELECT ${7n} AS one`)
export const elsewhere = spannerView('Elsewhere', { one: int64().notNull() }).existing()

export const other = alias(owners, 'other')
export const boss = alias(people, 'boss')
