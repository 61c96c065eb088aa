import {
  lint,
  type ColumnSchema,
  type Finding,
  type Schema,
  type SqlDialect,
  type TableSchema,
} from '@isotherm/core'
import { googlesql, spannerPostgresql } from '@isotherm/spanner'
import { describe, expect, it } from 'vitest'
import { findingsOf, generated, live, type LiveTable } from './support/live.js'

// A key part with few values before a timestamp: all inserts go to that many key ranges.

function withChecks(table: LiveTable, ...checks: string[]): Schema {
  const schema = live({ Log: table })
  const [log] = schema.tables
  const named = checks.map((expression, at) => ({ name: `c${at}`, expression }))
  return { ...schema, tables: [{ ...log!, checks: named }] }
}

const number: Partial<ColumnSchema> & { readonly type: ColumnSchema['type'] } = { type: { kind: 'int64' } }

function finding(schema: Schema, dialect: SqlDialect = googlesql): Finding | undefined {
  return findingsOf('monotonic-first-key', schema, dialect)[0]
}

function behind(first: ColumnSchema['type']['kind'] | typeof number, name = 'k'): LiveTable {
  return { columns: { [name]: first, at: 'timestamp', id: 'string' }, key: [name, 'at', 'id'] }
}

const positions = (found: Finding | undefined): string | undefined =>
  found && `${found.severity}: ${/(?:has|has only) [^,]+?values?/.exec(found.message)?.[0]}`

describe('a CHECK on the key part before a timestamp', () => {
  it.each<[string, number]>([
    ['k IN (1, 2, 3)', 3],
    ['k IN (1, 1, 2)', 2],
    ['`K` = 1 OR k = 2', 2],
    ['(k = 1) OR (k IN (2, 3))', 3],
    ['k BETWEEN 1 AND 4', 4],
    ['k BETWEEN -1 AND 1 AND k <> 5', 3],
    ['k >= 0 AND k < 8', 8],
    ['0 <= k AND 5 > k', 5],
    ['k > 0 AND k <= 10', 10],
    ['CAST(k AS INT64) IN (1, 2)', 2],
  ])('reports that CHECK (%s) leaves %i values', (check, values) => {
    expect(positions(finding(withChecks(behind(number), check)))).toBe(`warning: has ${values} values`)
  })

  it.each<[string, number]>([
    ["(k = ANY (ARRAY['1'::bigint, '2'::bigint]))", 2],
    ["((k >= '0'::bigint) AND (k < '6'::bigint))", 6],
  ])('reports that CHECK (%s) leaves %i values in the PostgreSQL dialect', (check, values) => {
    const schema = withChecks(behind(number), check)
    expect(positions(finding(schema, spannerPostgresql))).toBe(`warning: has ${values} values`)
  })

  it.each(['k = 0', 'k IN (7)', 'k BETWEEN 3 AND 3', 'k >= 1 AND k < 2', '0 = k'])(
    'reports an error for CHECK (%s), which leaves one value',
    (check) => {
      expect(positions(finding(withChecks(behind(number), check)))).toBe('error: has one value')
    },
  )

  it('uses the CHECK that leaves the fewest values when a column has several', () => {
    const schema = withChecks(behind(number), 'k >= 0', 'k < 9', 'k IN (1, 2)')
    expect(positions(finding(schema))).toBe('warning: has 2 values')
  })

  it('counts NULL as one more value of a nullable column, since a CHECK lets NULL pass', () => {
    const schema = withChecks(behind({ ...number, nullable: true }), 'k = 0')
    expect(positions(finding(schema))).toBe('warning: has 2 values')
  })

  it.each([
    'k >= 0',
    'k < 5',
    'k BETWEEN 0 AND 63',
    'k = 1 OR id IS NULL',
    'k = other',
    'k IN (SELECT 1)',
    'k + 1 = 2',
    'NOT k = 0',
    'other IN (1, 2)',
    'MOD(k, 2) = 0',
    'k != 3',
    '',
    'k',
    'k =',
    'k IN ()',
    'BETWEEN',
  ])('does not derive a small number of values from CHECK (%s)', (check) => {
    expect(finding(withChecks(behind(number), check))).toBeUndefined()
  })

  it('does not report a column named shard_id with 8 values, but reports an error when one value is left', () => {
    expect(finding(withChecks(behind(number, 'shard_id'), 'shard_id >= 0 AND shard_id < 8'))).toBeUndefined()
    expect(finding(withChecks(behind(number, 'shard_id'), 'shard_id = 0'))?.severity).toBe('error')
  })
})

describe('a generated key part before a timestamp', () => {
  it.each([
    '0',
    "'x'",
    '-1',
    'MOD(FARM_FINGERPRINT(id), 1)',
    'ABS(MOD(FARM_FINGERPRINT(id), 1))',
    '(CAST(0 AS INT64))',
  ])('reports an error for the expression %s, which has one value', (sql) => {
    expect(positions(finding(live({ Log: behind(generated(sql)) })))).toBe('error: has one value')
  })

  it.each<[string, number]>([
    ['IF(LENGTH(id) > 3, 1, 0)', 2],
    ['CASE WHEN id = "a" THEN 0 WHEN id = "b" THEN 1 ELSE 2 END', 3],
  ])('reports that the expression %s has %i values', (sql, values) => {
    expect(positions(finding(live({ Log: behind(generated(sql)) })))).toBe(`warning: has ${values} values`)
  })

  it.each([
    'MOD(FARM_FINGERPRINT(id), 16)',
    'IF(LENGTH(id) > 3, LENGTH(id), 0)',
    'CASE WHEN TRUE THEN LENGTH(id) END',
  ])('reports nothing for the expression %s, which has many values', (sql) => {
    expect(finding(live({ Log: behind(generated(sql)) }))).toBeUndefined()
  })
})

describe('the rule monotonic-first-key with a workload', () => {
  const bools = (expected: TableSchema['workload']): Schema => {
    const table = { columns: { a: 'bool', b: 'bool', at: 'timestamp' }, key: ['a', 'b', 'at'] } as const
    return live({ Log: expected ? { ...table, workload: expected } : table })
  }

  it('multiplies the numbers of values of all key parts before the timestamp', () => {
    expect(finding(bools(undefined))?.message).toBe(
      'The primary key starts with a, which has 2 values, and then b, which has 2 values, and then at, which grows with ' +
        'time: inserts go to 4 splits.',
    )
  })

  it('reports nothing when the workload states no more writes than that number of splits can take', () => {
    expect(finding(bools({ writesPerSecond: 50 }))).toBeUndefined()
    expect(finding(bools({ writesPerSecond: 3_000 }))).toBeUndefined()
    expect(finding(bools({ writesPerSecond: 9_000 }))?.severity).toBe('warning')
  })

  it('prefers the number of values that workload.distinct states to the guess from the column name', () => {
    const table = behind({ type: { kind: 'string', length: 20 } }, 'status')
    expect(finding(live({ Log: table }))?.message).toContain(
      'status, which to judge by its name has few values, and then at, which grows with time: ' +
        'inserts go to one split for each value of status',
    )
    expect(finding(live({ Log: { ...table, workload: { distinct: { status: 5 } } } }))?.message).toContain(
      'has 5 values',
    )
    expect(finding(live({ Log: { ...table, workload: { distinct: { status: 5_000 } } } }))).toBeUndefined()
  })
})

describe('an index with a timestamp in its key', () => {
  const table: LiveTable = {
    columns: { id: 'string', status: 'string', user: 'string', at: 'timestamp' },
    key: ['id'],
  }
  const on = (...parts: string[]): readonly Finding[] =>
    findingsOf('monotonic-index', live({ Log: { ...table, indexes: [{ name: 'ByIt', on: parts }] } }))

  it('reports an index with few values before a timestamp, but not an index with many values before the timestamp', () => {
    expect(on('status', 'at')).toMatchObject([{ index: 'ByIt', column: 'at', severity: 'warning' }])
    expect(on('status', 'user', 'at')).toStrictEqual([])
    expect(on('status')).toStrictEqual([])
  })
})

describe('the index that the database keeps for a foreign key', () => {
  const schema = (columns: readonly string[], references: readonly string[], enforced?: false): Schema => {
    const made = live({
      Target: { columns: { id: 'string', at: 'timestamp', ulid: 'string' }, key: ['id', 'at'] },
      Log: {
        columns: { logId: 'string', of: 'string', seen: 'timestamp', message: 'string' },
        key: ['logId'],
      },
    })
    const foreignKey = { name: 'Fk', columns, table: 'Target', references, onDelete: 'no action' as const }
    const tables = made.tables.map((table) =>
      table.name === 'Log'
        ? { ...table, foreignKeys: [{ ...foreignKey, ...(enforced === false && { enforced }) }] }
        : table,
    )
    return { ...made, tables }
  }
  const found = (...args: Parameters<typeof schema>): readonly Finding[] =>
    findingsOf('monotonic-index', schema(...args))

  it('reports a foreign key whose first column is a timestamp', () => {
    expect(found(['seen', 'of'], ['at', 'id'])).toMatchObject([
      {
        table: 'Log',
        index: 'Fk',
        column: 'seen',
        severity: 'error',
        message: expect.stringContaining(
          'The index of Log that the database keeps behind the foreign key Fk starts with seen',
        ),
      },
    ])
  })

  it('warns about a foreign key to a column named ulid, whose values grow with time', () => {
    expect(found(['message'], ['ulid'])).toMatchObject([
      { table: 'Log', column: 'message', severity: 'warning' },
    ])
  })

  it('accepts a foreign key whose columns begin with one that does not grow on both sides', () => {
    expect(found(['of', 'seen'], ['id', 'at'])).toStrictEqual([])
  })

  it('ignores a foreign key that the database does not enforce', () => {
    expect(found(['seen', 'of'], ['at', 'id'], false)).toStrictEqual([])
  })

  it('suppresses the finding of a foreign key with a suppression that names the foreign key', () => {
    const made = schema(['seen', 'of'], ['at', 'id'])
    const tables = made.tables.map((table) => ({
      ...table,
      suppressions: table.name === 'Log' ? [{ rule: 'monotonic-index', on: 'Fk', reason: 'Few rows.' }] : [],
    }))
    expect(
      lint({ ...made, tables }, { dialect: googlesql }).filter(({ table }) => table === 'Log'),
    ).toStrictEqual([])
  })
})
