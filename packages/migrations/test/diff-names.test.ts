import { defineSchema, defineTable, type Dialect, type Schema, type SchemaOptions } from '@isotherm/core'
import { cql } from '@isotherm/cassandra'
import { diffSchemas, type Renames } from '@isotherm/migrations'
import { describe, expect, it } from 'vitest'
import { both, tableT } from './plans/case.js'

/** A schema with an object of this kind that is named `Thing`. */
function withThing(kind: string): Schema {
  const options: Record<string, object> = {
    index: { indexes: [{ name: 'Thing', on: ['n'] }] },
    check: { checks: [{ name: 'Thing', expression: 'n > 0' }] },
    'foreign key': { foreignKeys: [{ name: 'Thing', columns: ['n'], references: () => Other }] },
  }
  const rest: Record<string, SchemaOptions> = {
    sequence: { sequences: [{ name: 'Thing' }] },
    view: {
      views: [
        { name: 'Thing', query: { googlesql: 'SELECT 1 AS x', 'spanner-postgresql': 'SELECT 1 AS x' } },
      ],
    },
    'change stream': { changeStreams: [{ name: 'Thing' }] },
    'named schema': { namespaces: ['Thing'] },
  }
  const Other = defineTable('Other', (t) => ({ id: t.int64().key() }))
  const Thing = defineTable('Thing', (t) => ({ id: t.int64().key() }))
  const T = tableT((t) => ({ n: t.int64({ nullable: true }) }), (options[kind] ?? {}) as never)
  return defineSchema([Other, T, ...(kind === 'table' ? [Thing] : [])], rest[kind])
}

/** A new object of a kind cannot take the name of a dropped object of these kinds, which the migration drops later. */
const taken = [
  ['index', ['table', 'sequence', 'named schema']],
  ['check', ['table', 'sequence', 'named schema']],
  ['foreign key', ['table', 'sequence', 'named schema']],
  ['sequence', ['table', 'index', 'check', 'foreign key', 'change stream', 'named schema']],
  ['table', ['sequence', 'named schema']],
  ['view', ['named schema']],
  ['change stream', ['named schema']],
  ['named schema', ['table', 'index', 'check', 'foreign key', 'sequence', 'change stream']],
] as const

const kinds = taken.map(([kind]) => kind)
const pairs = both.flatMap((dialect) =>
  taken.flatMap(([added, later]) =>
    kinds
      .filter((gone) => gone !== added)
      .map((gone) => ({ dialect, added, gone, isTaken: (later as readonly string[]).includes(gone) })),
  ),
)

describe('diffSchemas() when a new object has the name of a dropped object', () => {
  it.each(pairs)(
    'in $dialect.name, a new $added with the name of a dropped $gone is rejected: $isTaken',
    ({ dialect, added, gone, isTaken }) => {
      const { refusals } = diffSchemas(withThing(gone), withThing(added), { dialect })
      const found = refusals.filter(({ kind, table }) => kind === 'name' && table === 'Thing')
      expect(found).toHaveLength(isTaken ? 1 : 0)
      expect(refusals).toHaveLength(isTaken ? 1 : 0)
    },
  )

  it.each(both)('rejects renaming a table to the name of a dropped sequence in $name', (dialect) => {
    const table = (name: string): object => defineTable(name, (t) => ({ id: t.int64().key() }))
    const from = defineSchema([table('Old')], { sequences: [{ name: 'New' }] })
    const { refusals } = diffSchemas(from, defineSchema([table('New')]), {
      dialect,
      renames: { tables: { Old: 'New' } },
    })
    expect(refusals).toMatchObject([{ kind: 'name', table: 'New' }])
  })
})

describe('diffSchemas() with an invalid rename', () => {
  const tableOf = (...columns: readonly string[]): Schema =>
    defineSchema([
      defineTable('Customer', (t) => ({
        id: t.int64().key(),
        ...Object.fromEntries(columns.map((column) => [column, t.string({ nullable: true })])),
      })),
    ])
  const fixes = (dialect: Dialect, renames: Renames): readonly string[] =>
    diffSchemas(tableOf('email', 'note'), tableOf('mail', 'note'), { dialect, renames }).refusals.flatMap(
      ({ kind, fix }) => (kind === 'rename' ? [fix] : []),
    )
  const column = (from: string, to: string, table = 'Customer'): Renames => ({
    columns: { [table]: { [from]: to } },
  })

  it.each([...both, cql])('suggests similar or existing column names in $name', (dialect) => {
    expect(fixes(dialect, column('emial', 'mail'))).toEqual(['Did you mean email?'])
    expect(fixes(dialect, column('nope', 'mail'))).toEqual(['Did you mean note?'])
    expect(fixes(dialect, column('x', 'mail'))).toEqual(['Choose from id, email, note.'])
    expect(fixes(dialect, column('email', 'y'))).toEqual(['Choose from id, mail, note.'])
    expect(fixes(dialect, column('email', 'mail', 'Custumer'))).toEqual(['Did you mean Customer?'])
  })

  it.each([...both, cql])('explains that a column still has the old or the new name in $name', (dialect) => {
    expect(fixes(dialect, column('email', 'note'))).toEqual([
      'Leave the rename out, or use a name that no column has.',
    ])
    expect(fixes(dialect, column('note', 'mail'))).toEqual([
      'Leave the rename out, or remove that column from the model.',
    ])
  })

  it.each(both)('suggests similar or existing table names in $name', (dialect) => {
    expect(fixes(dialect, { tables: { Custmer: 'Customer' } })).toEqual(['Did you mean Customer?'])
    expect(fixes(dialect, { tables: { Customer: 'Zebra' } })).toEqual(['Choose from Customer.'])
  })
})

describe('diffSchemas() when an interleaved table is renamed', () => {
  const child = (name: string, columns: readonly string[], isAlone = false): Schema => {
    const Parent = defineTable('Parent', (t) => ({ id: t.int64().key() }))
    const noted = (t: Parameters<Parameters<typeof defineTable>[1]>[0]) =>
      Object.fromEntries(columns.map((column) => [column, t.string({ nullable: true })]))
    return defineSchema([
      Parent,
      isAlone
        ? defineTable(name, (t) => ({ id: t.int64().key(), line: t.int64().key(), ...noted(t) }))
        : defineTable(name, (t) => ({ id: t.parentKey<bigint>(), line: t.int64().key(), ...noted(t) }), {
            interleaveIn: () => Parent,
          }),
    ])
  }
  const renames = { tables: { Child: 'Note' } }

  it.each(both)('rejects a table name that a column of the table has in $name', (dialect) => {
    const [from, to] = [child('Child', ['note']), child('Note', ['note'])]
    expect(diffSchemas(from, to, { dialect, renames }).refusals).toMatchObject([
      { kind: 'rename', table: 'Child', message: expect.stringContaining('has a column of that name') },
    ])
  })

  it.each(both)(
    'accepts a name that no column has, and any name for a table without a parent, in $name',
    (dialect) => {
      const [from, to] = [child('Child', ['text']), child('Note', ['text'])]
      expect(diffSchemas(from, to, { dialect, renames }).refusals).toEqual([])
      const alone = [child('Child', ['note'], true), child('Note', ['note'], true)] as const
      expect(diffSchemas(...alone, { dialect, renames }).refusals).toEqual([])
    },
  )
})
