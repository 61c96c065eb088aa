import type { SpannerPgDatabase, SpannerPgTransaction } from '@isotherm/drizzle-adapter/postgresql'
import { shardKey, uuidV4 } from '@isotherm/drizzle-adapter/postgresql'
import { count, eq, placeholder, relations, sql } from 'drizzle-orm'
import {
  alias,
  bigint,
  pgTable,
  text,
  timestamp,
  union,
  unionAll,
  type PgDatabase,
  type PgQueryResultHKT,
  type PgSelect,
} from 'drizzle-orm/pg-core'
import type { Equal } from './equal.js'

type Expect<Holds extends true> = Holds
type Rows<Query> = Query extends PromiseLike<infer Result> ? Result : never

// Types of queries of a PostgreSQL-dialect database. This file is compiled, not run.

const users = pgTable('users', {
  id: bigint({ mode: 'bigint' }).primaryKey(),
  name: text().notNull(),
  bossId: bigint({ mode: 'bigint' }),
})
const posts = pgTable('posts', {
  shardId: shardKey({ shards: 4, of: ['id'] }),
  id: uuidV4(),
  userId: bigint({ mode: 'bigint' }).notNull(),
  kind: text().$type<'note' | 'letter'>().notNull(),
  at: timestamp({ withTimezone: true }).defaultNow().notNull(),
  trace: text()
    .notNull()
    .$defaultFn(() => 'x'),
})
const userRelations = relations(users, ({ many, one }) => ({
  posts: many(posts),
  boss: one(users, { fields: [users.bossId], references: [users.id] }),
}))
const schema = { users, posts, userRelations }

declare const db: SpannerPgDatabase<typeof schema>
declare const tx: SpannerPgTransaction<typeof schema>

type User = { id: bigint; name: string; bossId: bigint | null }
type Count = { readonly rowCount: number }

const all = db.select().from(users)
export type All = Expect<Equal<Rows<typeof all>, User[]>>

// Nullability through joins.

const on = eq(posts.userId, users.id)
const fields = { user: users.name, post: { kind: posts.kind, at: posts.at } }
const left = db.select(fields).from(users).leftJoin(posts, on)
type Post = { kind: 'note' | 'letter'; at: Date }
export type Left = Expect<Equal<Rows<typeof left>, { user: string; post: Post | null }[]>>
const right = db.select(fields).from(users).rightJoin(posts, on)
export type Right = Expect<Equal<Rows<typeof right>, { user: string | null; post: Post }[]>>
const inner = db.select(fields).from(users).innerJoin(posts, on)
export type Inner = Expect<Equal<Rows<typeof inner>, { user: string; post: Post }[]>>
const full = db.select(fields).from(users).fullJoin(posts, on)
export type Full = Expect<Equal<Rows<typeof full>, { user: string | null; post: Post | null }[]>>
const cross = db.select(fields).from(users).crossJoin(posts)
export type Cross = Expect<Equal<Rows<typeof cross>, { user: string; post: Post }[]>>
const boss = alias(users, 'boss')
const bosses = db.select().from(users).leftJoin(boss, eq(boss.id, users.bossId))
export type Bosses = Expect<Equal<Rows<typeof bosses>, { users: User; boss: User | null }[]>>

// Subqueries and set operations.

const sub = db
  .select({ id: users.id, up: sql<string>`upper(${users.name})`.as('up') })
  .from(users)
  .as('sub')
const outer = tx.select({ up: sub.up, n: db.$count(posts) }).from(sub)
export type Outer = Expect<Equal<Rows<typeof outer>, { up: string; n: number }[]>>
const ids = () => db.select({ id: users.id }).from(users)
const both = union(ids(), db.select({ id: posts.userId }).from(posts)).orderBy(users.id)
export type Both = Expect<Equal<Rows<typeof both>, { id: bigint }[]>>
// @ts-expect-error other fields
unionAll(ids(), db.select({ id: users.name }).from(users))
const paged = <T extends PgSelect>(query: T) => query.limit(1).offset(1)
const page = paged(db.select({ n: count() }).from(users).$dynamic())
export type Page = Expect<Equal<Rows<typeof page>, { n: number }[]>>

// Writes.

db.insert(posts).values({ userId: 1n, kind: 'note' })
db.insert(posts).values([{ userId: placeholder('user'), kind: 'note', id: 'x', at: new Date(), trace: 't' }])
// @ts-expect-error another kind
db.insert(posts).values({ userId: 1n, kind: 'card' })
// @ts-expect-error userId is required
db.insert(posts).values({ kind: 'note' })
const inserted = db.insert(users).values({ id: 1n, name: 'a' })
export type Inserted = Expect<Equal<Rows<typeof inserted>, Count>>
const returned = db
  .update(users)
  .set({ name: 'a', bossId: sql`1` })
  .returning({ id: users.id })
export type Returned = Expect<Equal<Rows<typeof returned>, { id: bigint }[]>>
const gone = db.delete(users).returning()
export type Gone = Expect<Equal<Rows<typeof gone>, User[]>>
const prepared = db
  .select()
  .from(users)
  .where(eq(users.id, placeholder('id')))
  .prepare('by id')
export type Prepared = Expect<Equal<Awaited<ReturnType<typeof prepared.execute>>, User[]>>

function mutate() {
  tx.mutate(users).insert({ id: 1n, name: 'a' })
  tx.mutate(users).delete({ id: 1n })
  // @ts-expect-error name is required
  tx.mutate(users).upsert({ id: 1n })
  // @ts-expect-error mutations need a transaction
  db.mutate(users)
}
export type Mutate = typeof mutate

// Relations.

const nested = db.query.users
  .findMany({
    columns: { name: true },
    with: {
      posts: { columns: { kind: true }, limit: 1, orderBy: posts.at },
      boss: { columns: { id: true } },
    },
    extras: { up: sql<string>`upper(${users.name})`.as('up') },
    where: (user, { eq: equal }) => equal(user.id, placeholder('id')),
  })
  .$withCache({ tag: 'users' })
export type Nested = Expect<
  Equal<
    Rows<typeof nested>,
    { name: string; up: string; posts: { kind: 'note' | 'letter' }[]; boss: { id: bigint } | null }[]
  >
>
const first = tx.query.users.findFirst({ columns: { id: true } })
export type First = Expect<Equal<Rows<typeof first>, { id: bigint } | undefined>>
const preparedFirst = first.prepare()
export type PreparedFirst = Expect<
  Equal<Awaited<ReturnType<typeof preparedFirst.execute>>, { id: bigint } | undefined>
>
// @ts-expect-error no such relation
db.query.users.findMany({ with: { comments: true } })

const batched = () => db.batch([all, nested, inserted, db.$count(users)])
export type Batched = Expect<
  Equal<Awaited<ReturnType<typeof batched>>, [User[], Rows<typeof nested>, Count, number]>
>
const batchedPrepared = () => db.batch([all.prepare('all'), preparedFirst, inserted.prepare('one'), all])
export type BatchedPrepared = Expect<
  Equal<Awaited<ReturnType<typeof batchedPrepared>>, [User[], { id: bigint } | undefined, Count, User[]]>
>
// @ts-expect-error a table is not a query
void db.batch([users])

// The database is assignable to Drizzle's own PgDatabase.
function usersOf<Kind extends PgQueryResultHKT>(any: PgDatabase<Kind, typeof schema>) {
  return any.query.users.findMany()
}
export const own = () => usersOf(db)
