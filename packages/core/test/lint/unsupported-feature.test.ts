import {
  compileDdl,
  defineSchema,
  defineTable,
  lint,
  openDatabase,
  type Dialect,
  type Driver,
  type TableModel,
} from '@isotherm/core'
import { defineDialect } from '@isotherm/core/tools'
import { cql, keyspacesCql } from '@isotherm/cassandra'
import { googlesql, spannerPostgresql } from '@isotherm/spanner'
import { describe, expect, it, vi } from 'vitest'
import { bareDriver } from '../support/bare-driver.js'
import { refusal } from '../support/refusal.js'

const Duration: TableModel<object> = defineTable('Visit', (t) => ({ id: t.uuidV4(), stay: t.duration() }))
const Parent: TableModel<object> = defineTable('Site', (t) => ({ id: t.uuidV4() }))
const Watched: TableModel<object> = defineTable('Visit', (t) => ({ id: t.uuidV4(), page: t.string() }), {
  indexes: [{ name: 'ByPage', on: ['page'], nullFiltered: true }],
})

const REFUSED: readonly (readonly [Dialect, readonly TableModel<object>[], string | undefined])[] = [
  [googlesql, [Duration], 'stay'],
  [spannerPostgresql, [Duration], 'stay'],
  [cql, [Parent, Watched], undefined],
  [keyspacesCql, [Parent, Watched], undefined],
]

describe.each(REFUSED)('a model feature that $name does not support', (dialect, tables, column) => {
  const schema = defineSchema(tables)
  const [finding, ...others] = lint(schema, { dialect })

  it('lint() reports the unsupported feature with the message and the fix of the compileDdl() error', () => {
    const error = refusal(() => compileDdl(schema, { dialect }))
    expect(error.code).toBe('UNSUPPORTED_MODEL')
    expect(others).toStrictEqual([])
    expect(finding).toStrictEqual({
      rule: 'unsupported-feature',
      severity: 'error',
      table: 'Visit',
      ...(column !== undefined && { column }),
      message: expect.stringMatching(/\.$/) as string,
      fix: error.fix,
      link: 'docs/lint/unsupported-feature.md',
    })
    expect(`${finding!.message} ${finding!.fix}`).toBe(error.message)
  })

  it('lint() reports the unsupported feature as a warning or not at all when severity is warning or off', () => {
    const severities = (severity: 'warning' | 'off'): string[] =>
      lint(schema, { dialect, severity: { 'unsupported-feature': severity } }).map((found) => found.severity)
    expect(severities('warning')).toStrictEqual(['warning'])
    expect(severities('off')).toStrictEqual([])
  })

  it('lint() suppresses the unsupported feature with a suppression, but compileDdl() throws UNSUPPORTED_MODEL', () => {
    const except = [{ rule: 'unsupported-feature', reason: 'Made by hand.' }]
    const quiet = { ...schema, tables: schema.tables.map((table) => ({ ...table, suppressions: except })) }
    expect(lint(quiet, { dialect })).toStrictEqual([])
    expect(refusal(() => compileDdl(quiet, { dialect })).code).toBe('UNSUPPORTED_MODEL')
  })
})

it('openDatabase() does not compile the DDL of its schema, and lint() compiles it once', () => {
  const ddl = vi.fn<typeof googlesql.ddl>(googlesql.ddl)
  const dialect = defineDialect({ ...googlesql, ddl })
  const driver: Driver = { ...bareDriver('Nothing is sent.'), dialect }
  openDatabase({ driver, schema: defineSchema([Parent]) })
  expect(ddl).not.toHaveBeenCalled()
  lint(defineSchema([Parent]), { dialect })
  expect(ddl).toHaveBeenCalledTimes(1)
})
