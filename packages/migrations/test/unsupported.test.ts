import { defineSchema, defineTable, type Dialect, type SchemaOptions } from '@isotherm/core'
import { cql, keyspacesCql } from '@isotherm/cassandra'
import { compareWithLive, diffSchemas, planMigration } from '@isotherm/migrations'
import { googlesql, spannerPostgresql } from '@isotherm/spanner'
import { describe, expect, it } from 'vitest'
import { refusal } from '../../core/test/support/refusal.js'

// An object that a dialect does not support is rejected: it is neither reported as a change nor ignored.

const columns = defineTable('T', (t) => ({ id: t.uuidV4(), n: t.int64() }))
const base = defineSchema([columns])

const withObjects = (options: SchemaOptions) => defineSchema([columns], options)

const SQL = [
  { dialect: googlesql, other: 'spanner-postgresql' },
  { dialect: spannerPostgresql, other: 'googlesql' },
] as const

describe.each(SQL)('a schema with SQL for another dialect in $dialect.name', ({ dialect, other }) => {
  const view = withObjects({ views: [{ name: 'V', query: { [other]: 'SELECT 1 AS one' } }] })
  const check = defineSchema([
    defineTable('T', (t) => ({ id: t.uuidV4(), n: t.int64() }), {
      checks: [{ name: 'positive', expression: { [other]: 'n > 0' } }],
    }),
  ])

  it.each([
    ['a view', view, `V has no SQL for its query in ${dialect.name}.`],
    ['a check', check, `T has no SQL for the check positive in ${dialect.name}.`],
  ] as const)(
    'diffSchemas(), compareWithLive() and planMigration() reject %s with SQL for another dialect only',
    (_, schema, said) => {
      for (const call of calls(dialect, schema)) {
        const error = refusal(call)
        expect(error.code).toBe('UNSUPPORTED_MODEL')
        expect(error.message).toContain(said)
      }
    },
  )
})

describe.each([cql, keyspacesCql])('a schema with objects that $name does not support', (dialect) => {
  it.each<[string, SchemaOptions, string]>([
    ['a view', { views: [{ name: 'V', query: 'SELECT 1 AS one' }] }, 'V is a view'],
    ['a sequence', { sequences: [{ name: 'S' }] }, 'S is a sequence of the database'],
    ['a change stream', { changeStreams: [{ name: 'C', watch: 'all' }] }, 'C is a change stream'],
  ])(
    'diffSchemas(), compareWithLive() and planMigration() reject %s with UNSUPPORTED_MODEL',
    (_, options, said) => {
      for (const call of calls(dialect, withObjects(options))) {
        const error = refusal(call)
        expect(error.code).toBe('UNSUPPORTED_MODEL')
        expect(error.message).toContain(said)
      }
    },
  )
})

function calls(dialect: Dialect, schema: typeof base): readonly (() => unknown)[] {
  return [
    () => diffSchemas(base, schema, { dialect }),
    () => compareWithLive(schema, base, { dialect }),
    () => planMigration(base, schema, { dialect }),
  ]
}
