import { compileDdl, defineSchema, defineTable, introspect } from '@isotherm/core'
import { cql } from '@isotherm/cassandra'
import { compareWithLive, describeChange, planMigration } from '@isotherm/migrations'
import { describe, expect, it, vi } from 'vitest'
import { cqlGoldens } from '../../../packages/cassandra/test/golden/schemas.js'
import { postsWith, title } from '../../../packages/migrations/test/support/posts.js'
import { someCases } from '../../support/runs.js'
import { emptyKeyspace } from './support/keyspace.js'

const TOO_SMALL = { severity: { 'cassandra/low-cardinality-partition': 'off' } } as const

describe('a keyspace that was created from the expected schema', () => {
  // The keyspace is the same for both dialects.
  const made = cqlGoldens.filter(({ dialect }) => dialect === cql)
  it.each(someCases(made))('shows no drift from the golden schema $name', async ({ schema, dialect }) => {
    const ddl = compileDdl(schema, { dialect, ...TOO_SMALL })
    const { driver } = await emptyKeyspace({ ddl, dialect })
    const live = await introspect({ driver, dialect: cql })
    expect(compareWithLive(schema, live, { dialect })).toEqual({ changes: [], refusals: [] })
    // What was read makes the same keyspace again, but for the order of columns.
    const again = await emptyKeyspace({ ddl: compileDdl(live, { dialect, ...TOO_SMALL }), dialect })
    expect(await introspect({ driver: again.driver, dialect: cql })).toEqual(live)
  })
})

const expected = defineSchema([
  postsWith(title, { ttlSeconds: 60, indexes: [{ name: 'post_title', on: ['title'] }] }),
  defineTable('person', (t) => ({ id: t.uuidV4() })),
])

describe('changes made by hand in a keyspace', () => {
  it('are reported as the changes that restore the expected schema', async () => {
    const ddl = compileDdl(expected, { dialect: cql })
    const { driver } = await emptyKeyspace({
      ddl: [
        ...ddl,
        'DROP TABLE person',
        'DROP INDEX post_title',
        'ALTER TABLE post ADD more int',
        'ALTER TABLE post WITH default_time_to_live = 0',
        'CREATE TYPE extra (a int)',
        'CREATE TABLE stranger (id int PRIMARY KEY, e frozen<extra>)',
        'CREATE TABLE isotherm_migrations (id int PRIMARY KEY)',
      ],
    })
    const options = { dialect: cql, ignore: (name: string) => name.startsWith('isotherm_') }
    const live = await introspect({ driver, dialect: cql })
    const { changes, refusals } = compareWithLive(expected, live, options)
    expect(refusals).toEqual([])
    expect(changes.map(describeChange)).toEqual([
      'post: let new rows expire after 60 seconds',
      'person: create the table',
      'post: create the index post_title (title)',
      'post: drop the column more, with its data',
      'stranger: drop the table, with its data',
      'extra: drop the user type',
    ])
    const statements = planMigration(live, expected, { ...options, live: true })
    await driver.applyDdl(statements.map(({ sql }) => sql))
    const restored = await introspect({ driver, dialect: cql })
    expect(compareWithLive(expected, restored, options)).toEqual({ changes: [], refusals: [] })
    const { tables } = await introspect({ driver: (await emptyKeyspace({ ddl })).driver, dialect: cql })
    expect(restored.tables.filter(({ name }) => !options.ignore(name))).toEqual(tables)
  })

  it('are reported as refusals if the database cannot change them back in place', async () => {
    const { driver } = await emptyKeyspace({
      ddl: [
        'CREATE TABLE person (id text PRIMARY KEY)',
        'CREATE TABLE post (day date PRIMARY KEY, title blob)',
      ],
    })
    const { refusals } = compareWithLive(expected, await introspect({ driver, dialect: cql }), {
      dialect: cql,
    })
    expect(refusals.map(({ kind, table }) => `${kind} ${table}`)).toEqual([
      'primary-key post',
      'column-type post',
      'column-type person',
    ])
  })

  it('make introspect() throw UNSUPPORTED_OBJECT for an index that no schema can declare', async () => {
    const { driver } = await emptyKeyspace({
      ddl: ['CREATE TABLE a (id int PRIMARY KEY, v int)', 'CREATE INDEX old ON a (v)'],
    })
    await expect(introspect({ driver, dialect: cql })).rejects.toMatchObject({
      code: 'UNSUPPORTED_OBJECT',
      table: 'a',
      message: expect.stringContaining('the index old over v'),
    })
  })

  it('make introspect() warn of materialized views', async () => {
    const { driver, client } = await emptyKeyspace({
      ddl: ['CREATE TABLE a (id int PRIMARY KEY, v int)'],
    })
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
    const query = driver.query.bind(driver)
    const seeing = {
      ...driver,
      query: async (...given: Parameters<typeof driver.query>) =>
        given[0].text.includes('system_schema.views') ? [['by_v']] : query(...given),
    }
    await introspect({ driver: seeing, dialect: cql })
    expect(warn).toHaveBeenCalledWith('Materialized views are not read: by_v.', {
      type: 'IsothermIntrospectionWarning',
    })
    warn.mockRestore()
    expect(client.keyspace).toBe(driver.keyspace)
  })
})
