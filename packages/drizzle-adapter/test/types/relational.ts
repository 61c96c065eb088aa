import {
  int64,
  spannerTable,
  string,
  timestamp,
  type DrizzleDatabase,
  type SpannerDatabase,
  type SpannerTransaction,
} from '@isotherm/drizzle-adapter'
import { placeholder, relations, sql } from 'drizzle-orm'
import type { Equal } from './equal.js'

type Expect<Holds extends true> = Holds
type Rows<Query> = Query extends PromiseLike<infer Result> ? Result : never

// Types of relational queries. This file is compiled, not run.

const users = spannerTable('User', {
  id: int64().primaryKey(),
  name: string('full_name').notNull(),
  bossId: int64(),
})
const posts = spannerTable('Post', {
  id: int64({ mode: 'number' }).primaryKey(),
  userId: int64().notNull(),
  at: timestamp(),
  tags: string().array().notNull(),
})
const userRelations = relations(users, ({ many, one }) => ({
  posts: many(posts),
  boss: one(users, { fields: [users.bossId], references: [users.id], relationName: 'boss' }),
  team: many(users, { relationName: 'boss' }),
  profile: one(posts),
}))
const postRelations = relations(posts, ({ one }) => ({
  user: one(users, { fields: [posts.userId], references: [users.id] }),
}))
const schema = { users, posts, userRelations, postRelations }

declare const db: SpannerDatabase<typeof schema>
declare const driven: DrizzleDatabase<typeof schema, string>
declare const tx: SpannerTransaction<typeof schema>
declare const bare: SpannerDatabase

type User = { id: bigint; name: string; bossId: bigint | null }
type Tags = (typeof posts.$inferSelect)['tags']
type Post = { id: number; userId: bigint; at: Date | null; tags: Tags }

const all = db.query.users.findMany()
export type All = Expect<Equal<Rows<typeof all>, User[]>>
const first = tx.query.posts.findFirst()
export type First = Expect<Equal<Rows<typeof first>, Post | undefined>>
const ofDriver = driven.query.posts.findMany({ columns: { at: false } })
export type OfDriver = Expect<Equal<Rows<typeof ofDriver>, { id: number; userId: bigint; tags: Tags }[]>>

const nested = db.query.users.findMany({
  columns: { name: true },
  with: {
    posts: {
      columns: { tags: false, userId: false },
      with: { user: { columns: { id: true }, with: { boss: true, team: { columns: { name: true } } } } },
      extras: { age: sql<number>`1`.as('age') },
    },
    boss: { columns: { id: true } },
    profile: true,
  },
  extras: (user) => ({ upper: sql<string>`upper(${user.name})`.as('upper') }),
})
export type Nested = Expect<
  Equal<
    Rows<typeof nested>,
    {
      name: string
      upper: string
      posts: {
        id: number
        at: Date | null
        age: number
        user: { id: bigint; boss: User | null; team: { name: string }[] }
      }[]
      boss: { id: bigint } | null
      profile: Post | null
    }[]
  >
>

const prepared = db.query.users
  .findFirst({ columns: { id: true }, with: { posts: { columns: { id: true }, limit: placeholder('n') } } })
  .$withCache({ tag: 'x' })
  .prepare()
export type Prepared = Expect<
  Equal<Awaited<ReturnType<typeof prepared.execute>>, { id: bigint; posts: { id: number }[] } | undefined>
>

async function batched() {
  return db.batch([db.query.users.findMany(), db.query.posts.findFirst({ columns: { id: true } })])
}
export type Batched = Expect<Equal<Awaited<ReturnType<typeof batched>>, [User[], { id: number } | undefined]>>

db.query.users.findMany({
  where: (user, { eq, and, ilike }) => and(eq(user.id, 1n), ilike(user.name, 'a')),
  orderBy: (user, { desc }) => [desc(user.name), user.id],
  with: { posts: { where: (post, { gt }) => gt(post.id, 1), orderBy: posts.at, limit: 1 } },
  limit: 1,
  offset: placeholder('o'),
})
// @ts-expect-error no such column
db.query.users.findMany({ columns: { title: true } })
// @ts-expect-error no such relation
db.query.users.findMany({ with: { comments: true } })
// @ts-expect-error no such column
db.query.users.findMany({ where: (user, { eq }) => eq(user.title, 'x') })
// @ts-expect-error findFirst() has no limit
db.query.users.findFirst({ limit: 1 })
// @ts-expect-error a nested query has no offset
db.query.users.findMany({ with: { posts: { offset: 1 } } })
// @ts-expect-error a relation to one row has no order
db.query.posts.findMany({ with: { user: { orderBy: users.id } } })
// @ts-expect-error no such table
export type NoTable = typeof db.query.userRelations
// @ts-expect-error a database without a schema has no tables
export type NoTables = typeof bare.query.users
