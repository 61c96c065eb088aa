import { type Dialect, defineSchema, defineTable } from '@isotherm/core'
import { defineDialect } from '@isotherm/core/tools'
import { cql, keyspacesCql } from '@isotherm/cassandra'
import { diffSchemas, planMigration, renameCandidates } from '@isotherm/migrations'
import { googlesql, spannerPostgresql } from '@isotherm/spanner'
import { describe, expect, it } from 'vitest'
import { differOf } from '../src/plan/diff-schemas.js'
import { refusal } from '../../core/test/support/refusal.js'

const empty = defineSchema([])
const schema = defineSchema([defineTable('Customer', (t) => ({ id: t.uuidV4().key() }))])

describe('differOf()', () => {
  it.each([cql, keyspacesCql])('returns the differ that the dialect $name has', (dialect) => {
    expect(differOf(dialect)).toBe(dialect.differ)
  })

  it.each([googlesql, spannerPostgresql])('returns the SQL differ for the dialect $name', (dialect) => {
    expect(dialect.differ).toBeUndefined()
    const differ = differOf(dialect)
    const [from, to] = [differ.layOut(empty), differ.layOut(schema)]
    const { changes } = differ.diff(from, to, { renames: {}, live: false, earlier: [] })
    expect(differ.statements(changes, to)).toEqual([
      { kind: 'ddl', sql: expect.stringContaining('CREATE TABLE') },
    ])
  })

  it('planMigration() and renameCandidates() use the differ of a custom dialect', () => {
    const { differ: own, ...rest } = cql
    const calls: string[] = []
    const differ: NonNullable<Dialect['differ']> = {
      layOut: (...args) => (calls.push('layOut'), own!.layOut(...args)),
      diff: (...args) => (calls.push('diff'), own!.diff(...args)),
      statements: (...args) => (calls.push('statements'), own!.statements(...args)),
      renameCandidates: (...args) => (calls.push('renameCandidates'), own!.renameCandidates(...args)),
      batchLength: () => 1,
    }
    const dialect: Dialect = defineDialect({ ...rest, name: 'other', differ })
    expect(planMigration(empty, schema, { dialect })).toEqual(planMigration(empty, schema, { dialect: cql }))
    renameCandidates(empty, schema, { dialect })
    expect(calls).toEqual(['layOut', 'layOut', 'diff', 'statements', 'layOut', 'layOut', 'renameCandidates'])
  })

  const { sql: _, ...silent } = googlesql
  const dialect: Dialect = defineDialect({ ...silent, name: 'silent' })
  it.each([
    ['diffSchemas', () => diffSchemas(empty, schema, { dialect })],
    ['planMigration', () => planMigration(empty, schema, { dialect })],
    ['renameCandidates', () => renameCandidates(empty, schema, { dialect })],
  ])('%s() rejects a dialect that has neither SQL nor a differ with UNSUPPORTED_FEATURE', (_call, call) => {
    expect(refusal(call)).toMatchObject({
      code: 'UNSUPPORTED_FEATURE',
      message:
        'Schemas of the dialect silent cannot be compared: it has no SQL and no differ. Use a dialect with the property sql or differ.',
    })
  })
})
