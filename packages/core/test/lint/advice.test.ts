import type { Workload, SqlDialect } from '@isotherm/core'
import { spannerPostgresql } from '@isotherm/spanner'
import { describe, expect, it } from 'vitest'
import { findingsOf, generated, live, verdicts, type LiveColumn, type LiveTable } from './support/live.js'

// The rules that report only warnings: nullable-first-key, spanner/wide-column-in-row-tree, spanner/interleaved-index-advice, storing-advice.

const inherited: LiveColumn = { type: { kind: 'int64' }, inherited: true }
const nullable: LiveColumn = { type: { kind: 'int64' }, nullable: true }
const unbounded: LiveColumn = { type: { kind: 'string', length: 'max' } }

describe('nullable-first-key', () => {
  const found = (table: LiveTable, dialect?: SqlDialect) =>
    findingsOf('nullable-first-key', live({ T: table }), dialect)

  it('reports a primary key of several parts whose first part may be NULL', () => {
    expect(found({ columns: { tenant: nullable, id: 'int64' }, key: ['tenant', 'id'] })).toMatchObject([
      {
        severity: 'warning',
        column: 'tenant',
        message:
          'The primary key starts with tenant, which may be NULL: all rows without a value lie side by side, at the ' +
          'beginning of the table.',
      },
    ])
    const [finding] = found({ columns: { tenant: nullable, id: 'int64' }, key: ['tenant desc', 'id'] })
    expect(finding!.message).toContain('at the end of the table')
  })

  it('accepts NULL in a key of one part, in a later part, and in a dialect whose key columns are never NULL', () => {
    expect(found({ columns: { id: nullable }, key: ['id'] })).toStrictEqual([])
    expect(found({ columns: { id: 'int64', n: nullable }, key: ['id', 'n'] })).toStrictEqual([])
    const table = { columns: { tenant: nullable, id: 'int64' }, key: ['tenant', 'id'] } as const
    expect(found(table, spannerPostgresql)).toStrictEqual([])
  })

  it('proposes to put first a key part that is NOT NULL and does not grow with time', () => {
    const columns = { tenant: nullable, at: 'timestamp', other: nullable, id: 'int64' } as const
    expect(found({ columns, key: ['tenant', 'at', 'other', 'id'] })[0]!.fix).toContain('put id first')
    expect(found({ columns, key: ['tenant', 'at', 'other'] })[0]!.fix).toContain(
      'a part first that every row has',
    )
  })

  it('reports a generated first key part only when a column that its expression reads may be NULL', () => {
    const hash: LiveColumn = { ...generated('FARM_FINGERPRINT(CAST(id AS STRING))'), nullable: true }
    expect(found({ columns: { hash, id: 'int64' }, key: ['hash', 'id'] })).toStrictEqual([])
    expect(found({ columns: { hash, id: nullable }, key: ['hash', 'id'] })).toHaveLength(1)
  })

  it('reports the key of the root table only, not the inherited key of an interleaved child', () => {
    const schema = live({
      Root: { columns: { n: nullable, id: 'int64' }, key: ['n', 'id'] },
      Child: { columns: { n: nullable, id: inherited, x: 'int64' }, key: ['n', 'id', 'x'], parent: 'Root' },
    })
    expect(verdicts(findingsOf('nullable-first-key', schema))).toStrictEqual(['Root.n warning'])
  })
})

describe('spanner/wide-column-in-row-tree', () => {
  function found(
    wide: { root?: LiveColumn; child?: LiveColumn },
    load: { root?: Workload; child?: Workload } = {},
  ) {
    const schema = live({
      Root: {
        columns: { r: 'int64', x: wide.root ?? 'int64' },
        key: ['r'],
        ...(load.root && { workload: load.root }),
      },
      Child: {
        columns: { r: inherited, c: 'int64', y: wide.child ?? 'int64' },
        key: ['r', 'c'],
        parent: 'Root',
        ...(load.child && { workload: load.child }),
      },
      Alone: { columns: { a: 'int64', z: unbounded }, key: ['a'], workload: { writesPerSecond: 1 } },
    })
    return verdicts(findingsOf('spanner/wide-column-in-row-tree', schema))
  }

  it.each<[string, LiveColumn]>([
    ['a string without a length', unbounded],
    ['bytes without a length', { type: { kind: 'bytes', length: 'max' } }],
    ['a JSON column', 'json'],
    ['a string of 65,537 characters', { type: { kind: 'string', length: 65_537 } }],
    [
      'an array of strings without a length',
      { type: { kind: 'array', of: { kind: 'string', length: 'max' } } },
    ],
  ])('reports %s in a table that has interleaved children', (_, root) => {
    expect(found({ root })).toStrictEqual(['Root.x warning'])
  })

  it.each<[string, LiveColumn]>([
    ['a string of 65,536 characters', { type: { kind: 'string', length: 65_536 } }],
    ['a number', 'numeric'],
    ['an array of numbers', 'array'],
  ])('accepts %s in a table that has interleaved children', (_, root) => {
    expect(found({ root })).toStrictEqual([])
  })

  it('reports a wide column of a leaf table only when the workload states writes to its row tree', () => {
    expect(found({ child: unbounded })).toStrictEqual([])
    expect(found({ child: unbounded }, { root: { writesPerSecond: 10 } })).toStrictEqual(['Child.y warning'])
    expect(found({ child: unbounded }, { child: { writesPerSecond: 10 } })).toStrictEqual(['Child.y warning'])
  })

  it('accepts an unbounded column when the workload states rows of 2,000 bytes, not of 2,000,000 bytes', () => {
    expect(found({ root: unbounded }, { root: { rowBytes: 2_000 } })).toStrictEqual([])
    expect(found({ root: unbounded }, { root: { rowBytes: 2_000_000 } })).toStrictEqual(['Root.x warning'])
  })
})

describe('spanner/interleaved-index-advice', () => {
  function found(index: Omit<NonNullable<LiveTable['indexes']>[number], 'name'>): readonly string[] {
    const schema = live({
      A: { columns: { a: 'int64' }, key: ['a'] },
      B: { columns: { a: inherited, b: 'int64' }, key: ['a', 'b desc'], parent: 'A' },
      C: {
        columns: { a: inherited, b: inherited, c: 'int64', x: 'int64' },
        key: ['a', 'b desc', 'c'],
        parent: 'B',
        indexes: [{ name: 'I', ...index }],
      },
    })
    return findingsOf('spanner/interleaved-index-advice', schema).map(
      ({ fix }) => /\(\) => (\w+)/.exec(fix)![1]!,
    )
  }

  it('proposes to interleave an index in the closest ancestor whose key its parts begin with', () => {
    expect(found({ on: ['a', 'x'] })).toStrictEqual(['A'])
    expect(found({ on: ['a', 'b desc', 'x'] })).toStrictEqual(['B'])
    expect(found({ on: ['a', 'b', 'x'] })).toStrictEqual(['A'])
  })

  it('accepts an index that is interleaved or sharded, or that does not start with the key of an ancestor', () => {
    expect(found({ on: ['a', 'x'], interleaveIn: 'A' })).toStrictEqual([])
    expect(found({ on: ['a', 'x'], shard: { column: 's', shards: 4, of: ['c'] } })).toStrictEqual([])
    expect(found({ on: ['x', 'a'] })).toStrictEqual([])
    expect(found({ on: ['a desc', 'x'] })).toStrictEqual([])
  })

  it('accepts an index that starts with a shard or a time, which other rules report', () => {
    const shard: LiveColumn = {
      type: { kind: 'int64' },
      source: { kind: 'shard', strategy: 'hash', shards: 4, of: ['x'], computedBy: 'client' },
    }
    const clock: LiveColumn = {
      type: { kind: 'int64' },
      default: { sql: 'UNIX_MICROS(CURRENT_TIMESTAMP())' },
    }
    for (const first of [shard, clock, { type: { kind: 'date' } } as const]) {
      // A child inherits no default.
      const { default: _, ...inheritable } = first
      const schema = live({
        A: { columns: { s: first }, key: ['s'] },
        B: {
          columns: { s: { ...inheritable, inherited: true }, b: 'int64', x: 'int64' },
          key: ['s', 'b'],
          parent: 'A',
          indexes: [{ name: 'I', on: ['s', 'x'] }],
        },
      })
      expect(findingsOf('spanner/interleaved-index-advice', schema)).toStrictEqual([])
    }
  })
})

describe('storing-advice', () => {
  const schema = live({
    T: {
      columns: { id: 'int64', a: 'int64', text: unbounded, doc: 'json', name: 'string' },
      key: ['id'],
      indexes: [
        { name: 'Wide', on: ['a'], storing: ['name', 'text', 'doc'] },
        { name: 'Narrow', on: ['name'], storing: ['a'] },
      ],
    },
  })

  it('reports each unbounded or JSON column in the STORING list of an index', () => {
    const found = findingsOf('storing-advice', schema)
    expect(found.map(({ index, column, severity }) => [index, column, severity])).toStrictEqual([
      ['Wide', 'text', 'warning'],
      ['Wide', 'doc', 'warning'],
    ])
  })

  it('tells the user to remove the column from STORING in GoogleSQL and from INCLUDE in the PostgreSQL dialect', () => {
    expect(findingsOf('storing-advice', schema)[0]!.fix).toContain('out of STORING')
    expect(findingsOf('storing-advice', schema, spannerPostgresql)[0]!.fix).toContain('out of INCLUDE')
  })
})
