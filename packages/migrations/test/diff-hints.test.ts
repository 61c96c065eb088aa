import { defineSchema, defineTable, type Schema } from '@isotherm/core'
import { diffSchemas } from '@isotherm/migrations'
import { describe, expect, it } from 'vitest'
import { both, tableT } from './plans/case.js'

type Dialect = (typeof both)[number]

const hint = (dialect: Dialect, text: string): string =>
  dialect.name === 'googlesql' ? `@{${text}}` : ` /*@ ${text} */`

function viewed(query: string, { indexes = ['x'], other = true } = {}): Schema {
  const Other = defineTable('b', (t) => ({ id: t.int64().key(), s: t.string({ nullable: true }) }))
  return defineSchema(
    [
      tableT((t) => ({ n: t.int64({ nullable: true }) }), {
        indexes: indexes.map((name) => ({ name, on: ['n'] })),
      } as never),
      ...(other ? [Other] : []),
    ],
    { views: [{ name: 'V', query: { googlesql: query, 'spanner-postgresql': query } }] },
  )
}

describe('diffSchemas() of a view whose query has hints', () => {
  it.each(both)('replaces the view when a hint changes in $name', (dialect) => {
    const forced = (index: string): Schema =>
      viewed(`SELECT t.n FROM t${hint(dialect, `FORCE_INDEX=${index}`)} AS t`, { indexes: ['x', 'y'] })
    expect(diffSchemas(forced('x'), forced('x'), { dialect }).changes).toEqual([])
    expect(diffSchemas(forced('x'), forced('y'), { dialect }).changes).toMatchObject([
      { kind: 'replace-view', view: { name: 'V' } },
    ])
  })

  it.each(both)('rejects dropping a table that the view joins after a hint in $name', (dialect) => {
    const query = `SELECT b.s FROM t JOIN${hint(dialect, 'JOIN_METHOD=HASH_JOIN, BATCH_MODE=FALSE')} b ON b.id = t.id`
    const { refusals } = diffSchemas(viewed(query), viewed(query, { other: false }), { dialect })
    expect(refusals).toMatchObject([
      { kind: 'in-use', table: 'V', message: 'reads b, which would no longer exist under this name.' },
    ])
  })

  it.each(both)('rejects dropping an index that a hint names in other letters in $name', (dialect) => {
    const query = `SELECT t.n FROM t${hint(dialect, 'force_index = X')} AS t`
    const [from, to] = [viewed(query), viewed(query, { indexes: [] })]
    expect(diffSchemas(from, to, { dialect }).refusals).toMatchObject([
      {
        kind: 'in-use',
        table: 'V',
        message: 'reads the index x, which would no longer exist under this name.',
      },
    ])
    const none = viewed('SELECT t.n FROM t')
    expect(diffSchemas(none, viewed('SELECT t.n FROM t', { indexes: [] }), { dialect })).toMatchObject({
      changes: [{ kind: 'drop-index' }],
      refusals: [],
    })
  })
})
