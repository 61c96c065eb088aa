import {
  drizzle,
  int64,
  SpannerDialect,
  spannerSchema,
  spannerTable,
  string,
} from '@isotherm/drizzle-adapter'
import { aliasedTable, and, eq, inArray, placeholder, sql, type SQL } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { decoderOf } from '../../src/drizzle-internals.js'
import { atAlias } from '../../src/relational/plan.js'

const users = spannerTable('User', { id: int64().primaryKey(), name: string() })
const others = spannerSchema('old').table('User', { id: int64().primaryKey() })
const boss = aliasedTable(users, 'boss')
const db = drizzle.mock()

const text = (expression: SQL) => new SpannerDialect().toQuery(atAlias(expression, users, 'u')).sql

describe('an expression at an alias', () => {
  it('has the columns of its table alone renamed, however deep', () => {
    expect(text(and(eq(users.id, boss.id), eq(others.id, sql`${sql`${users.id}`} + 1`))!)).toBe(
      '(`u`.`id` = `boss`.`id` and `User`.`id` = `u`.`id` + 1)',
    )
    expect(text(sql`coalesce${[users.name, sql`lower(${users.name})`]}`)).toBe(
      'coalesce(`u`.`name`, lower(`u`.`name`))',
    )
  })

  it('leaves queries of builders as they are', () => {
    const query = db.select({ id: users.id }).from(users)
    expect(text(inArray(users.id, query))).toBe('`u`.`id` in (select `User`.`id` from `User`)')
  })

  it('takes in what counts rows', () => {
    expect(text(sql`${db.$count(others, eq(others.id, users.id))} > 1`)).toBe(
      '(select count(*) from `old`.`User` where `User`.`id` = `u`.`id`) > 1',
    )
  })

  it('keeps types of values, decoders, and that values are written out', () => {
    const { types } = new SpannerDialect().toQuery(
      atAlias(sql`${eq(users.id, 1n)} or ${inArray(users.name, [placeholder('a')])}`, users, 'u'),
    )
    expect(types).toMatchObject([{ kind: 'int64' }, { kind: 'string' }])
    expect(decoderOf(atAlias(sql`${users.id}`.mapWith(Number), users, 'u')).mapFromDriverValue('7')).toBe(7)
    expect(text(eq(users.name, 'a').inlineParams())).toBe("`u`.`name` = 'a'")
  })
})
