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

describe.each(REFUSED)('what $name does not have', (dialect, tables, column) => {
  const schema = defineSchema(tables)
  const [finding, ...others] = lint(schema, { dialect })

  it('is found, in the words in which compileDdl refuses it', () => {
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

  it('is a warning, or nothing, where that is asked for', () => {
    const severities = (severity: 'warning' | 'off'): string[] =>
      lint(schema, { dialect, severity: { 'unsupported-feature': severity } }).map((found) => found.severity)
    expect(severities('warning')).toStrictEqual(['warning'])
    expect(severities('off')).toStrictEqual([])
  })

  it('is suppressed by an exception, and refused all the same', () => {
    const except = [{ rule: 'unsupported-feature', reason: 'Made by hand.' }]
    const quiet = { ...schema, tables: schema.tables.map((table) => ({ ...table, exceptions: except })) }
    expect(lint(quiet, { dialect })).toStrictEqual([])
    expect(refusal(() => compileDdl(quiet, { dialect })).code).toBe('UNSUPPORTED_MODEL')
  })
})

it('a database is opened without compiling what its schema would be made by', () => {
  const ddl = vi.fn<typeof googlesql.ddl>(googlesql.ddl)
  const dialect = defineDialect({ ...googlesql, ddl })
  const driver: Driver = { ...bareDriver('Nothing is sent.'), dialect }
  openDatabase({ driver, schema: defineSchema([Parent]) })
  expect(ddl).not.toHaveBeenCalled()
  lint(defineSchema([Parent]), { dialect })
  expect(ddl).toHaveBeenCalledTimes(1)
})
