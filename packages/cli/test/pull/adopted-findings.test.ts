import { defineSchema, defineTable, lint, type Dialect, type Schema } from '@isotherm/core'
import { cql } from '@isotherm/cassandra'
import { googlesql, spannerPostgresql } from '@isotherm/spanner'
import { describe, expect, it } from 'vitest'
import { ADOPTED, adoptFindings, lintErrors } from '../../src/pull/adopted-findings.js'
import { writeModels } from '../../src/pull/write-models.js'

function schemaOf(dialect: Dialect): Schema {
  if (dialect.name === 'cql') {
    return defineSchema([
      defineTable('log', (t) => ({ day: t.date().key(), at: t.timestamp().key(), id: t.uuidV4() }), {
        partitionKey: ['day'],
      }),
    ])
  }
  return defineSchema([
    defineTable('log', (t) => ({ at: t.timestamp().key(), seen: t.timestamp(), read: t.timestamp() }), {
      indexes: [
        { name: 'log_by_seen', on: ['seen'] },
        { name: 'log_by_read', on: ['read'] },
      ],
    }),
    defineTable('cold', (t) => ({ id: t.uuidV4() })),
  ])
}

describe.each([googlesql, spannerPostgresql, cql])('adoptFindings() in $name', (dialect) => {
  const schema = schemaOf(dialect)
  const errors = lintErrors(schema, { dialect })
  const adopted = adoptFindings(schema, errors)

  it('adds one suppression for each lint error, and no unused suppressions', () => {
    expect(errors).toHaveLength(dialect.name === 'cql' ? 1 : 3)
    expect(lintErrors(adopted, { dialect })).toEqual([])
    expect(lint(adopted, { dialect }).filter(({ rule }) => rule === 'unused-suppression')).toEqual([])
    const suppressions = adopted.tables.flatMap((table) => table.suppressions)
    expect(suppressions).toEqual(
      errors.map(({ rule, index, column }) => ({ rule, on: index ?? column, reason: ADOPTED })),
    )
  })

  it('lintErrors() reports an error again after its suppression is removed', () => {
    const without = adopted.tables.map((table) => ({ ...table, suppressions: table.suppressions.slice(1) }))
    expect(lintErrors({ ...adopted, tables: without }, { dialect })).toEqual(errors.slice(0, 1))
  })

  it('lintErrors() leaves out the errors of a rule whose severity is off', () => {
    const { rule } = errors[0]!
    const others = errors.filter((each) => each.rule !== rule)
    expect(lintErrors(schema, { dialect, severity: { [rule]: 'off' } })).toEqual(others)
  })

  const styles = ['decorators', 'tables', ...(dialect.name === 'cql' ? [] : (['drizzle'] as const))] as const
  it.each(styles)(
    'writeModels() writes the suppressions in the style %s only when adopts is true',
    (style) => {
      const written = (adopts: boolean): string =>
        writeModels(schema, { dialect, style, adopts })
          .files.map(({ text }) => text)
          .join('\n')
      expect(written(true).split(ADOPTED)).toHaveLength(errors.length + 1)
      expect(written(false)).not.toContain(ADOPTED)
    },
  )
})

describe.each([googlesql, spannerPostgresql])('adoptFindings() with a foreign key, in $name', (dialect) => {
  it('adds a suppression for the index behind the foreign key under the name of the foreign key', () => {
    const log = defineTable('log', (t) => ({ at: t.timestamp().key() }))
    const read = defineTable('read', (t) => ({ id: t.uuidV4(), at: t.timestamp() }), {
      foreignKeys: [{ name: 'read_of_log', columns: ['at'], references: () => log, on: ['at'] }],
    })
    const schema = defineSchema([log, read])
    const adopted = adoptFindings(schema, lintErrors(schema, { dialect }))
    expect(adopted.tables.map(({ suppressions }) => suppressions)).toEqual([
      [{ rule: 'monotonic-first-key', on: 'at', reason: ADOPTED }],
      [{ rule: 'monotonic-index', on: 'read_of_log', reason: ADOPTED }],
    ])
  })
})
