import { googlesql } from '@isotherm/spanner'
import {
  drizzle,
  int64,
  spannerSchema,
  spannerTable,
  string,
  type SpannerDatabase,
} from '@isotherm/drizzle-adapter'
import type { Casing } from 'drizzle-orm'
import { expect } from 'vitest'
import { sharedEmulator } from '../../support/spanner.js'

// Two related tables, a table with a column of the same name, and a table in a named schema.

export const users = spannerTable('Users', {
  id: int64('id').primaryKey(),
  name: string('name').notNull(),
  age: int64('age'),
  managerId: int64('managerId'),
})

export const pets = spannerTable('Pets', {
  id: int64('id').primaryKey(),
  ownerId: int64('ownerId'),
  name: string('name').notNull(),
})

export const tags = spannerTable('Tag', {
  id: int64('id').primaryKey(),
  tag: string('Tag'),
  status: string('status').$default(() => 'new'),
  touched: int64('touched').$onUpdate(() => 7n),
})

export const archive = spannerSchema('old').table('Users', {
  id: int64('id').primaryKey(),
  name: string('name'),
})

export const shopDdl = [
  `CREATE TABLE Users (id INT64 NOT NULL, name STRING(MAX) NOT NULL, age INT64, managerId INT64) PRIMARY KEY (id)`,
  'CREATE INDEX UsersByName ON Users (name)',
  'CREATE TABLE Pets (id INT64 NOT NULL, ownerId INT64, name STRING(MAX) NOT NULL) PRIMARY KEY (id)',
  `CREATE TABLE Tag (id INT64 NOT NULL, Tag STRING(MAX), status STRING(MAX) DEFAULT ('db'), touched INT64) PRIMARY KEY (id)`,
  'CREATE SCHEMA old',
  'CREATE TABLE old.Users (id INT64 NOT NULL, name STRING(MAX)) PRIMARY KEY (id)',
]

/** A database of its own for one test file. */
export async function shop(ddl: readonly string[] = shopDdl): Promise<(casing?: Casing) => SpannerDatabase> {
  const emulator = await sharedEmulator()
  const client = await emulator.database({ dialect: googlesql, ddl: [...ddl] })
  return (casing) => drizzle(client, casing && { casing })
}

/** Ada and her manager Grace, who has a cat and a dog; and Alan, who has no pet. */
export async function fill(db: SpannerDatabase): Promise<void> {
  await db.insert(users).values([
    { id: 1n, name: 'Ada', age: 36n, managerId: 2n },
    { id: 2n, name: 'Grace', age: 85n },
    { id: 3n, name: 'Alan', age: 41n, managerId: 2n },
  ])
  await db.insert(pets).values([
    { id: 1n, ownerId: 2n, name: 'Cat' },
    { id: 2n, ownerId: 2n, name: 'Dog' },
    { id: 3n, name: 'Stray' },
  ])
}

interface Statement<Result> extends PromiseLike<Result> {
  toSQL(): { sql: string; params: unknown[] }
}

/** Expects the text and the parameters of the statement, and returns its result. */
export async function runs<Result>(
  statement: Statement<Result>,
  text: string,
  params: unknown[] = [],
): Promise<Result> {
  expect(statement.toSQL()).toEqual({ sql: text, params })
  return statement
}
