import { drizzle, int64, spannerTable, string } from '@isotherm/drizzle-adapter'
import { eq, ilike, relations } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'

const users = spannerTable('User', { id: int64().primaryKey(), name: string() })
const posts = spannerTable('Post', { id: int64().primaryKey(), userId: int64(), editorId: int64() })
const strays = spannerTable('Stray', { id: int64().primaryKey(), userId: int64() })

const userRelations = relations(users, ({ many }) => ({ posts: many(posts), strays: many(strays) }))
const postRelations = relations(posts, ({ one }) => ({
  user: one(users, { fields: [posts.userId], references: [users.id] }),
  editor: one(users, { fields: [posts.editorId], references: [users.id] }),
  stray: one(strays, { fields: [posts.id], references: [strays.id] }),
}))

const db = drizzle.mock({ schema: { users, posts, userRelations, postRelations } })

describe('findMany() with an invalid query', () => {
  it('rejects a query that selects nothing from a table, at any level', () => {
    expect(() => db.query.users.findMany({ columns: {} }).toSQL()).toThrow(
      'Nothing is selected of the table users. Name columns, with or extras',
    )
    const nested = { with: { user: { columns: { id: undefined } } } }
    expect(() => db.query.posts.findMany(nested).toSQL()).toThrow('Nothing is selected of the table users.')
  })

  it('rejects a relation that is not declared', () => {
    const config = { with: { comments: true, constructor: true } } as object
    expect(() => db.query.users.findMany(config).toSQL()).toThrow('The table users has no relation comments.')
    expect(() => db.query.users.findMany({ with: { constructor: true } } as object).toSQL()).toThrow(
      'The table users has no relation constructor.',
    )
  })

  it('rejects a relation without fields when several relations match', () => {
    expect(() => db.query.users.findMany({ with: { posts: true } }).toSQL()).toThrow(
      /There are multiple relations between "posts" and "User".* Give fields and references in one/,
    )
  })

  it('rejects a relation to a table outside of the schema', () => {
    expect(() => db.query.posts.findMany({ with: { stray: true } }).toSQL()).toThrow(
      'The relation stray leads to Stray, which is not a table of the schema.',
    )
    expect(() => db.query.users.findMany({ with: { strays: true } }).toSQL()).toThrow('"Stray" not found')
  })

  it('rejects a condition with ilike(), because GoogleSQL has no ILIKE', () => {
    expect(() => db.query.users.findMany({ where: ilike(users.name, 'a') }).toSQL()).toThrow(
      'GoogleSQL has no ILIKE.',
    )
  })
})

describe('a relational query', () => {
  it('omits relations that are undefined or false', () => {
    const config = { columns: { id: true }, with: { user: undefined, editor: false } } as object
    expect(db.query.posts.findMany(config).toSQL().sql).toBe('select `posts`.`id` from `Post` `posts`')
  })

  it('keeps the table names of columns of other tables in its condition', () => {
    expect(
      db.query.users.findMany({ columns: { id: true }, where: eq(posts.userId, users.id) }).toSQL().sql,
    ).toBe('select `users`.`id` from `User` `users` where `Post`.`userId` = `users`.`id`')
  })

  it('changes a table alias that differs from a table name only in case', () => {
    const { sql } = drizzle
      .mock({ schema: { user: users, Post: posts } })
      .query.user.findMany({ columns: { id: true } })
      .toSQL()
    expect(sql).toBe('select `user_`.`id` from `User` `user_`')
  })

  it('db.query has a property for each table of the schema, also for a schema under the key default', () => {
    expect(Object.keys(db.query)).toEqual(['users', 'posts'])
    expect(drizzle.mock().query).toEqual({})
    const byDefault = drizzle.mock({ schema: { default: { users } } }) as unknown as typeof db
    expect(byDefault.query.users.findFirst({ columns: { id: true } }).toSQL().sql).toBe(
      'select `users`.`id` from `User` `users` limit 1',
    )
  })
})
