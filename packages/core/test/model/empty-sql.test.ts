import { describe, expect, it } from 'vitest'
import { looseTable } from '../support/layout.js'
import { findingsOf, findingsWith } from '../support/refusal.js'

const EMPTY = ['', '   ', '\n', { googlesql: '' }, { googlesql: '1 > 0', 'spanner-postgresql': ' ' }, {}]
const FIX = /^Give SQL that is not empty/

const table = (more: object = {}) => looseTable('T', (t) => ({ id: t.uuidV4(), n: t.int64() }), more)

describe.each(EMPTY)('defineSchema() with the empty SQL %j', (sql) => {
  it.each([
    [
      'a check',
      () => findingsOf(table({ checks: [{ name: 'c', expression: sql }] })),
      'checks[0].expression',
    ],
    ['a view', () => findingsWith({ views: [{ name: 'V', query: sql as string }] }, table()), 'query'],
    [
      'an opaque column',
      () => findingsOf(table({ opaqueColumns: [{ name: 'o', definition: sql }] })),
      'opaqueColumns[0].definition',
    ],
    [
      'an opaque statement',
      () => findingsWith({ opaqueStatements: [{ create: sql as string }] }, table()),
      'create',
    ],
    [
      'a generated column',
      () =>
        findingsOf(looseTable('T', (t) => ({ id: t.uuidV4(), n: t.int64({ generated: sql as string }) }))),
      'generated',
    ],
  ] as const)('rejects empty SQL in %s, with the path of the option in the message', (_, findings, path) => {
    const found = findings()
    expect(found).toHaveLength(1)
    expect(found[0]!.message).toContain(path)
    expect(found[0]!.fix).toMatch(FIX)
  })
})
