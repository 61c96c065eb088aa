import { defineSchema, defineTable, lint, type LintOptions } from '@isotherm/core'
import type { CqlDialect } from '@isotherm/cassandra'
import { cql, keyspacesCql } from '@isotherm/cassandra'
import { googlesql } from '@isotherm/spanner'
import { describe, expect, it } from 'vitest'
import { cqlFindings, live, verdicts, type LiveTable } from './support/live.js'

// The other rules of Cassandra: cassandra/allow-filtering, cassandra/useless-bit-reversal, cassandra/limits.

describe('cassandra/allow-filtering', () => {
  const Post = (...except: readonly string[]) =>
    defineTable('post', (t) => ({ id: t.uuidV4(), title: t.string() }), {
      suppress: except.map((rule) => ({ rule, reason: 'A table of ten rows.' })),
    })
  const found = (text: string, more: Partial<LintOptions> = {}, model = Post()) =>
    lint(defineSchema([model]), {
      dialect: cql,
      statements: [{ name: 'report.cql', text }],
      ...more,
    })

  it('reports a statement with ALLOW FILTERING and names its table', () => {
    expect(found('SELECT "id" FROM "post" WHERE "title" = ? ALLOW FILTERING')).toStrictEqual([
      {
        rule: 'cassandra/allow-filtering',
        severity: 'warning',
        table: 'post',
        message:
          'report.cql uses ALLOW FILTERING: every node reads all of its rows, and discards those that do not match.',
        fix: 'Read by the partition key, with fanOut over its shards; or keep another table whose key has the filtered columns.',
        link: 'docs/lint/cassandra/allow-filtering.md',
      },
    ])
  })

  it.each([
    [
      'in lower case with a comment between the words',
      'select * from blog.post -- why\n allow /* x */ filtering',
      'post',
    ],
    ['in a statement without a table, and names the statement', 'ALLOW FILTERING', 'report.cql'],
  ])('reports ALLOW FILTERING %s', (_, text, table) => {
    expect(found(text).map((finding) => finding.table)).toStrictEqual([table])
  })

  it.each([
    ['a string literal', "INSERT INTO post (title) VALUES ('ALLOW FILTERING')"],
    ['a quoted column name', 'SELECT "ALLOW FILTERING" FROM post'],
    ['a comment', 'SELECT id FROM post // ALLOW FILTERING'],
    ['two column names of a SELECT', 'SELECT allow, filtering FROM post'],
  ])('ignores the words ALLOW FILTERING in %s', (_, text) => {
    expect(found(text)).toStrictEqual([])
  })

  it('suppresses the ALLOW FILTERING finding by suppression or severity off, and raises the finding to an error', () => {
    const text = 'SELECT id FROM post ALLOW FILTERING'
    expect(found(text, {}, Post('cassandra/allow-filtering'))).toStrictEqual([])
    expect(found(text, { severity: { 'cassandra/allow-filtering': 'off' } })).toStrictEqual([])
    expect(found(text, { severity: { 'cassandra/allow-filtering': 'error' } })).toMatchObject([
      { severity: 'error' },
    ])
  })

  it('reports no ALLOW FILTERING with the GoogleSQL dialect', () => {
    expect(found('SELECT id FROM post ALLOW FILTERING', { dialect: googlesql })).toStrictEqual([])
  })
})

describe('cassandra/useless-bit-reversal', () => {
  const columns: LiveTable['columns'] = {
    id: { type: { kind: 'int64' }, source: { kind: 'bit-reversed', from: 'client' } },
    n: 'int64',
  }

  it('reports a bit-reversed id in the key, but not a plain INT64', () => {
    const schema = (key: readonly string[]) => live({ account: { columns, key } })
    expect(cqlFindings('cassandra/useless-bit-reversal', schema(['id']))).toMatchObject([
      {
        severity: 'warning',
        column: 'id',
        message:
          'id has its bits reversed, which has no effect: partitions are placed by a hash of their key.',
      },
    ])
    expect(cqlFindings('cassandra/useless-bit-reversal', schema(['n']))).toStrictEqual([])
  })
})

describe('cassandra/limits', () => {
  const text = (length: number) => ({ type: { kind: 'string', length } }) as const
  const found = (tables: Readonly<Record<string, LiveTable>>, dialect?: CqlDialect) =>
    verdicts(cqlFindings('cassandra/limits', live(tables), dialect))
  const plain = (more: Partial<LiveTable> = {}): LiveTable => ({
    columns: { id: 'int64', at: 'timestamp' },
    key: ['id', 'at'],
    ...more,
  })

  it.each([
    ['x'.repeat(48), [], []],
    ['x'.repeat(49), ['warning'], ['error']],
    ['x'.repeat(223), ['error'], ['error']],
    ['sales.order', ['error'], ['error']],
    ['bücher', ['error'], ['error']],
  ])(
    'checks the length and the characters of the table name %s for Cassandra and Keyspaces',
    (name, cassandra, keyspaces) => {
      expect(found({ [name]: plain() })).toStrictEqual(cassandra.map((severity) => `${name} ${severity}`))
      expect(found({ [name]: plain() }, keyspacesCql)).toStrictEqual(
        keyspaces.map((severity) => `${name} ${severity}`),
      )
    },
  )

  it('warns when declared lengths allow a partition key or clustering columns above the limit of the engine', () => {
    const keyed = (partition: number, clustering: number) => ({
      t: { columns: { p: text(partition), c: text(clustering) }, key: ['p', 'c'] },
    })
    expect(found(keyed(16_383, 16_383))).toStrictEqual([])
    expect(found(keyed(16_384, 16_384))).toStrictEqual(['t warning', 't warning'])
    expect(found(keyed(512, 212), keyspacesCql)).toStrictEqual([])
    expect(found(keyed(513, 213), keyspacesCql)).toStrictEqual(['t warning', 't warning'])
  })

  it('accepts a key of text without a declared length', () => {
    expect(
      found({ t: { columns: { p: { type: { kind: 'string', length: 'max' } } }, key: ['p'] } }),
    ).toStrictEqual([])
  })

  it('reports rows larger than 1 MiB on Keyspaces, and not on Cassandra', () => {
    const large = { t: plain({ workload: { rowBytes: 1_048_577 } }) }
    expect(found(large, keyspacesCql)).toStrictEqual(['t error'])
    expect(found(large)).toStrictEqual([])
    expect(found({ t: plain({ workload: { rowBytes: 1_048_576 } }) }, keyspacesCql)).toStrictEqual([])
  })
})
