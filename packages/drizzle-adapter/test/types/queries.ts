import {
  alias,
  int64,
  QueryBuilder,
  shardKey,
  spannerTable,
  spannerView,
  string,
  timestamp,
  union,
  uuidV4,
  type SpannerDatabase,
  type SpannerDelete,
  type SpannerInsert,
  type SpannerSelect,
} from '@isotherm/drizzle-adapter'
import { count, eq, sql } from 'drizzle-orm'
import type { Equal } from './equal.js'

type Expect<Holds extends true> = Holds

// Types of queries. This file is compiled, not run.

declare const db: SpannerDatabase

const users = spannerTable('Users', {
  id: int64().primaryKey(),
  name: string().notNull(),
  age: int64(),
  born: int64()
    .notNull()
    .$default(() => 1n),
})
const pets = spannerTable('Pets', { id: int64().primaryKey(), ownerId: int64(), name: string().notNull() })
const adults = spannerView('Adults').as((qb) => qb.select({ id: users.id, age: users.age }).from(users))

type User = { id: bigint; name: string; age: bigint | null; born: bigint }
type Pet = { id: bigint; ownerId: bigint | null; name: string }
type Rows<Query> = Query extends PromiseLike<infer Result> ? Result : never

// Fields.

const all = db.select().from(users)
export type All = Expect<Equal<Rows<typeof all>, User[]>>

const some = db
  .select({
    key: users.id,
    own: { name: users.name, up: sql<string>`upper(${users.name})`.as('up') },
    n: count(),
  })
  .from(users)
export type Some = Expect<
  Equal<Rows<typeof some>, { key: bigint; own: { name: string; up: string }; n: number }[]>
>

const view = db.select().from(adults)
export type OfView = Expect<Equal<Rows<typeof view>, { id: bigint; age: bigint | null }[]>>

// Nullability through joins.

const left = db.select().from(users).leftJoin(pets, eq(pets.ownerId, users.id))
export type Left = Expect<Equal<Rows<typeof left>, { Users: User; Pets: Pet | null }[]>>

const right = db.select().from(users).rightJoin(pets, eq(pets.ownerId, users.id))
export type Right = Expect<Equal<Rows<typeof right>, { Users: User | null; Pets: Pet }[]>>

const inner = db.select().from(users).innerJoin(pets, eq(pets.ownerId, users.id))
export type Inner = Expect<Equal<Rows<typeof inner>, { Users: User; Pets: Pet }[]>>

const full = db.select().from(users).fullJoin(pets, eq(pets.ownerId, users.id))
export type Full = Expect<Equal<Rows<typeof full>, { Users: User | null; Pets: Pet | null }[]>>

const cross = db.select().from(users).crossJoin(pets)
export type Cross = Expect<Equal<Rows<typeof cross>, { Users: User; Pets: Pet }[]>>

const boss = alias(users, 'boss')
const picked = db
  .select({ name: users.name, boss: boss.name, pet: pets })
  .from(users)
  .leftJoin(boss, eq(boss.id, users.age))
  .leftJoin(pets, eq(pets.ownerId, users.id))
export type Picked = Expect<
  Equal<Rows<typeof picked>, { name: string; boss: string | null; pet: Pet | null }[]>
>

db.select()
  .from(users)
  .leftJoin(pets, ({ Users, Pets }) => eq(Users.id, Pets.ownerId))

const petOf = db.select({ name: pets.name }).from(pets).where(eq(pets.ownerId, users.id)).as('petOf')
const leftLateral = db
  .select()
  .from(users)
  .leftJoinLateral(petOf, sql`true`)
export type LeftLateral = Expect<
  Equal<Rows<typeof leftLateral>, { Users: User; petOf: { name: string } | null }[]>
>
const innerLateral = db
  .select({ id: users.id, pet: petOf.name })
  .from(users)
  .innerJoinLateral(petOf, sql`true`)
export type InnerLateral = Expect<Equal<Rows<typeof innerLateral>, { id: bigint; pet: string }[]>>
const crossLateral = db.select({ pet: petOf.name }).from(users).crossJoinLateral(petOf)
export type CrossLateral = Expect<Equal<Rows<typeof crossLateral>, { pet: string }[]>>

const several = db
  .select({ user: users, pet: { id: pets.id, called: pets.name }, boss: { name: boss.name, pet: pets.name } })
  .from(users)
  .leftJoin(pets, eq(pets.ownerId, users.id))
  .innerJoin(boss, eq(boss.id, users.age))
export type Several = Expect<
  Equal<
    Rows<typeof several>,
    {
      user: User
      pet: { id: bigint; called: string } | null
      boss: { name: string; pet: string | null }
    }[]
  >
>
const turned = db
  .select({ user: users.name, pet: pets.name })
  .from(users)
  .rightJoin(pets, sql`true`)
  .fullJoin(boss, sql`true`)
export type Turned = Expect<Equal<Rows<typeof turned>, { user: string | null; pet: string | null }[]>>

// Subqueries.

const sub = db
  .select({ id: users.id, up: sql<string>`upper(${users.name})`.as('up'), raw: sql<number>`1` })
  .from(users)
  .as('sub')
const outer = db.select({ id: sub.id, up: sub.up }).from(sub)
export type Outer = Expect<Equal<Rows<typeof outer>, { id: bigint; up: string }[]>>
// @ts-expect-error an expression without a name
db.select({ raw: sub.raw }).from(users).where(eq(sub.raw, 1))

const joined = db
  .select({ user: users, pet: pets.name })
  .from(users)
  .leftJoin(pets, sql`true`)
  .as('joined')
const ofJoined = db.select({ pet: joined.pet, name: joined.user.name }).from(joined)
export type OfJoined = Expect<Equal<Rows<typeof ofJoined>, { pet: string | null; name: string }[]>>

const cte = db.$with('cte').as((qb) => qb.select({ id: users.id, age: users.age }).from(users))
const fromCte = db.with(cte).select().from(cte)
export type FromCte = Expect<Equal<Rows<typeof fromCte>, { id: bigint; age: bigint | null }[]>>
// @ts-expect-error Spanner has no writes in a common table expression
db.$with('w').as(db.delete(users).returning())

const scalar = db
  .select({ n: count().as('n') })
  .from(pets)
  .as('scalar')
const withScalar = db.select({ id: users.id, n: scalar, m: db.$count(pets) }).from(users)
export type WithScalar = Expect<Equal<Rows<typeof withScalar>, { id: bigint; n: number; m: number }[]>>

// Methods that were called already.

// @ts-expect-error where() was called already
all.where(sql`true`).where(sql`true`)
all
  .limit(1)
  .where(sql`true`)
  .orderBy(users.id)
  .offset(1)
// @ts-expect-error for() was called already
all.for('update').for('update')
// @ts-expect-error no such lock
all.for('share')
// @ts-expect-error GoogleSQL has no DISTINCT ON
db.selectDistinctOn([users.id])

const dynamic = all.$dynamic()
const twice = dynamic
  .where(sql`true`)
  .where(sql`false`)
  .limit(1)
  .limit(2)
export type Twice = Expect<Equal<Rows<typeof twice>, User[]>>

function paged<T extends SpannerSelect>(query: T, size: number) {
  return query.limit(size).offset(1)
}
const pagedUsers = paged(db.select({ id: users.id }).from(users).$dynamic(), 10)
export type PagedUsers = Expect<Equal<Rows<typeof pagedUsers>, { id: bigint }[]>>

function withPets<T extends SpannerSelect>(query: T) {
  return query.leftJoin(pets, eq(pets.ownerId, users.id))
}
const usersWithPets = withPets(db.select().from(users).$dynamic())
export type UsersWithPets = Expect<Equal<Rows<typeof usersWithPets>, { Users: User; Pets: Pet | null }[]>>

const query = new QueryBuilder().select({ id: users.id }).from(users)
export type NotAwaited = Expect<Equal<Rows<typeof query>, never>>

// Set operations.

const ids = () => db.select({ id: users.id }).from(users)
const both = ids()
  .union(db.select({ id: pets.id }).from(pets))
  .orderBy(users.id)
export type Both = Expect<Equal<Rows<typeof both>, { id: bigint }[]>>
const three = union(ids(), ids(), ids()).limit(1)
export type Three = Expect<Equal<Rows<typeof three>, { id: bigint }[]>>
const called = ids().unionAll(({ intersect }) => intersect(ids(), ids()))
export type Called = Expect<Equal<Rows<typeof called>, { id: bigint }[]>>
// @ts-expect-error other fields
ids().union(db.select({ key: users.id }).from(users))
// @ts-expect-error other types
ids().union(db.select({ id: users.name }).from(users))
// @ts-expect-error more fields
union(ids(), db.select({ id: users.id, name: users.name }).from(users))
// @ts-expect-error a set operation has no where()
both.where(sql`true`)

// Writes.

db.insert(users).values({ id: 1n, name: 'a' })
db.insert(users).values([{ id: 1n, name: sql`'a'`, age: null }])
db.insert(users).values({ id: sql.placeholder('id'), name: 'a' })
// @ts-expect-error a name is needed
db.insert(users).values({ id: 1n })
// @ts-expect-error no such column
db.insert(users).values({ id: 1n, name: 'a', nam: 'b' })

// Columns that an insert may omit.

const events = spannerTable('Event', {
  shardId: shardKey({ shards: 4, of: ['userId'] }),
  id: uuidV4(),
  at: timestamp().defaultNow().notNull(),
  userId: int64().notNull(),
  kind: string().$type<'login' | 'logout'>().notNull(),
  trace: string()
    .notNull()
    .$defaultFn(() => 'x'),
  upper: string().generatedAlwaysAs(sql`upper(kind)`),
  note: string(),
})
db.insert(events).values({ userId: 1n, kind: 'login' })
db.insert(events).values([{ userId: 1n, kind: 'logout', id: 'x', at: new Date(), trace: 't', note: null }])
db.insert(events).values({
  userId: sql.placeholder('user'),
  kind: sql`'login'`,
  note: sql.placeholder('note'),
})
// @ts-expect-error another kind
db.insert(events).values({ userId: 1n, kind: 'sleep' })
// @ts-expect-error userId is required
db.insert(events).values({ kind: 'login' })
// @ts-expect-error the database computes this column
db.insert(events).values({ userId: 1n, kind: 'login', upper: 'LOGIN' })
export type Kind = Expect<Equal<(typeof events.$inferSelect)['kind'], 'login' | 'logout'>>

const inserted = db.insert(users).values({ id: 1n, name: 'a' })
export type Inserted = Expect<Equal<Rows<typeof inserted>, { readonly rowCount: number }>>
const returned = inserted.orUpdate().returning()
export type Returned = Expect<Equal<Rows<typeof returned>, User[]>>
const returnedSome = db.delete(users).returning({ id: users.id, up: sql<string>`upper(${users.name})` })
export type ReturnedSome = Expect<Equal<Rows<typeof returnedSome>, { id: bigint; up: string }[]>>
// @ts-expect-error orUpdate() and orIgnore() exclude each other
inserted.orUpdate().orIgnore()
// @ts-expect-error returning() was called already
returned.returning()

db.insert(users).select(
  db.select({ id: users.id, name: users.name, age: users.age, born: users.born }).from(users),
)
db.insert(pets).select((qb) => qb.select({ id: users.id, name: users.name }).from(users))
// @ts-expect-error a name is needed
db.insert(pets).select(db.select({ id: users.id }).from(users))
// @ts-expect-error id has another type
db.insert(pets).select(db.select({ id: users.name, name: users.name }).from(users))

db.update(users)
  .set({ name: 'a', age: sql`1`, born: undefined })
  .where(eq(users.id, 1n))
db.update(users).set({ age: users.born, name: sql.placeholder('name') })
// @ts-expect-error name has another type
db.update(users).set({ name: 1 })
// @ts-expect-error an update reads no other table
db.update(users).set({ name: 'a' }).from(pets)
const updated = db.update(users).set({ name: 'a' }).returning({ id: users.id })
export type Updated = Expect<Equal<Rows<typeof updated>, { id: bigint }[]>>

function first<T extends SpannerDelete>(query: T) {
  return query.where(sql`true`)
}
const firstUsers = first(db.update(users).set({ name: 'a' }).returning({ id: users.id }).$dynamic())
export type FirstUsers = Expect<Equal<Rows<typeof firstUsers>, { id: bigint }[]>>
function ignoring<T extends SpannerInsert>(query: T) {
  return query.orIgnore()
}
const ignored = ignoring(inserted.$dynamic())
export type Ignored = Expect<Equal<Rows<typeof ignored>, { readonly rowCount: number }>>

const prepared = db
  .select()
  .from(users)
  .where(eq(users.id, sql.placeholder('id')))
  .prepare()
export type Prepared = Expect<Equal<Awaited<ReturnType<typeof prepared.execute>>, User[]>>

const batched = db.batch([db.select().from(users), inserted, db.$count(users)])
export type Batched = Expect<Equal<Rows<typeof batched>, [User[], { readonly rowCount: number }, number]>>

const preparedInsert = db
  .insert(users)
  .values({ id: sql.placeholder('id'), name: sql.placeholder('name') })
  .returning({ id: users.id })
  .prepare()
export type PreparedInsert = Expect<
  Equal<Awaited<ReturnType<typeof preparedInsert.execute>>, { id: bigint }[]>
>
const preparedUpdate = db
  .update(users)
  .set({ name: sql.placeholder('name') })
  .where(eq(users.id, sql.placeholder('id')))
  .prepare()
export type PreparedUpdate = Expect<
  Equal<Awaited<ReturnType<typeof preparedUpdate.execute>>, { readonly rowCount: number }>
>
