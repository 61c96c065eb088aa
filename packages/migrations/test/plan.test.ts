import { compileDdl, defineSchema, lintRules, type Dialect } from '@isotherm/core'
import { diffSchemas, planMigration } from '@isotherm/migrations'
import { googlesql } from '@isotherm/spanner'
import { describe, expect, it } from 'vitest'
import { goldens } from '../../spanner/test/golden/schemas.js'
import { both } from './plans/case.js'
import { planCases } from './plans/cases.js'

const noRules = (dialect: Dialect): Readonly<Record<string, 'off'>> =>
  Object.fromEntries(lintRules(dialect).map((rule) => [rule, 'off' as const]))

const planned = planCases.flatMap(({ name, from, to, renames, statements }) =>
  both.flatMap((dialect) => {
    const wanted = statements[dialect.name]
    return wanted ? [{ name, dialect, from, to, renames, wanted }] : []
  }),
)

describe('a migration plan', () => {
  it.each(planned)('planMigration() $name in $dialect.name', ({ from, to, renames, dialect, wanted }) => {
    const plan = planMigration(from, to, { dialect, ...(renames && { renames }) })
    expect(plan.map(({ sql }) => sql)).toEqual(wanted)
  })

  it.each(planned)(
    'diffSchemas() finds no change after a plan that $name in $dialect.name',
    ({ to, dialect }) => {
      const read = JSON.parse(JSON.stringify(to)) as typeof to
      expect(diffSchemas(read, to, { dialect })).toEqual({ changes: [], refusals: [] })
    },
  )

  it.each(goldens)(
    'planMigration() for all of $name in $dialect.name returns the statements of compileDdl()',
    ({ schema, dialect }) => {
      const plan = planMigration(defineSchema([]), schema, { dialect })
      expect(plan).toEqual(
        compileDdl(schema, { dialect, severity: noRules(dialect) }).map((sql) => ({ kind: 'ddl', sql })),
      )
    },
  )

  it.each(goldens)(
    'diffSchemas() from $name in $dialect.name to an empty schema drops every table',
    ({ schema, dialect }) => {
      const { changes, refusals } = diffSchemas(schema, defineSchema([]), { dialect })
      expect(refusals).toEqual([])
      expect(changes.filter(({ kind }) => kind === 'drop-table')).toHaveLength(schema.tables.length)
      expect(changes.filter(({ kind }) => kind.startsWith('create'))).toEqual([])
    },
  )

  it('planMigration() copies renamed columns by partitioned DML, which may run again', () => {
    const { from, to, renames } = planCases.find(({ name }) => name === 'gives a column another name')!
    const plan = planMigration(from, to, { dialect: googlesql, renames: renames! })
    expect(plan.filter(({ kind }) => kind === 'partitioned')).toHaveLength(3)
    expect(new Set(plan.map(({ kind }) => kind))).toEqual(new Set(['ddl', 'partitioned']))
  })
})
