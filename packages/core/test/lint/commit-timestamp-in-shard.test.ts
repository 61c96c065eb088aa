import type { ColumnSchema } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { findingsOf, generated, live, verdicts, type LiveColumn, type LiveTable } from './support/live.js'

const commit: LiveColumn = { type: { kind: 'timestamp' }, source: { kind: 'timestamp', from: 'commit' } }
const byDefault: LiveColumn = { type: { kind: 'timestamp' }, default: { sql: 'PENDING_COMMIT_TIMESTAMP()' } }
const clock: LiveColumn = { type: { kind: 'timestamp' }, source: { kind: 'timestamp', from: 'now' } }

function found(
  columns: LiveTable['columns'],
  key: readonly string[],
  more: Partial<LiveTable> = {},
): string[] {
  return verdicts(findingsOf('spanner/commit-timestamp-in-shard', live({ Log: { columns, key, ...more } })))
}

describe('spanner/commit-timestamp-in-shard', () => {
  const sql = 'ABS(MOD(UNIX_MICROS(at), 16))'

  it.each<[string, LiveColumn]>([
    ['an option', commit],
    ['a default', byDefault],
    [
      'a default of the PostgreSQL dialect',
      { ...byDefault, default: { sql: 'SPANNER.PENDING_COMMIT_TIMESTAMP()' } },
    ],
  ])('reports a generated key part that reads a commit timestamp set by %s', (_, at) => {
    expect(found({ shard: generated(sql), at, id: 'int64' }, ['shard', 'id'])).toStrictEqual([
      'Log.shard error',
    ])
  })

  it('reports a generated column outside the key that reads a commit timestamp, stored or not', () => {
    for (const stored of [true, false]) {
      const shard = generated(sql, { kind: 'int64' }, stored)
      expect(found({ id: 'int64', shard, at: commit }, ['id'])).toStrictEqual(['Log.shard error'])
    }
  })

  it.each(['client', 'database'] as const)(
    'reports shards and hashes of a commit timestamp that the %s computes',
    (computedBy) => {
      const shard: ColumnSchema['source'] = {
        kind: 'shard',
        strategy: 'hash',
        shards: 4,
        of: ['id', 'at'],
        computedBy,
      }
      const hash: ColumnSchema['source'] = {
        kind: 'hash',
        algorithm: 'farm-fingerprint',
        of: ['at'],
        computedBy,
      }
      for (const source of [shard, hash]) {
        const columns = { made: { type: { kind: 'int64' }, source }, id: 'int64', at: commit } as const
        expect(found(columns, ['made', 'id'])).toStrictEqual(['Log.made error'])
      }
    },
  )

  it('reports an index shard that hashes a commit timestamp', () => {
    const shard = { column: 'ByAt_shard', shards: 4, of: ['at'] }
    const indexes = [{ name: 'ByAt', on: ['at'], shard }]
    expect(found({ id: 'int64', at: commit }, ['id'], { indexes })).toStrictEqual(['ByAt error'])
  })

  it('accepts an index over a commit timestamp whose shard hashes another column', () => {
    const shard = { column: 'ByAt_shard', shards: 4, of: ['id'] }
    expect(
      found({ id: 'int64', at: commit }, ['id'], { indexes: [{ name: 'ByAt', on: ['at'], shard }] }),
    ).toStrictEqual([])
  })

  it('accepts a shard that reads a timestamp of the client clock or a column other than the commit timestamp', () => {
    expect(found({ shard: generated(sql), at: clock, id: 'int64' }, ['shard', 'id'])).toStrictEqual([])
    const other = generated('ABS(MOD(id, 16))')
    expect(found({ shard: other, at: commit, id: 'int64' }, ['shard', 'id'])).toStrictEqual([])
    expect(found({ shard: other, at: commit, id: 'int64' }, ['shard', 'at', 'id'])).toStrictEqual([])
  })
})
