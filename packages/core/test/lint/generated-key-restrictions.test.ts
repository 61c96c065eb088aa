import { defineSchema, defineTable, lint } from '@isotherm/core'
import { googlesql } from '@isotherm/spanner'
import { describe, expect, it } from 'vitest'
import { findingsOf, generated, live, type LiveColumn, type LiveTable } from './support/live.js'

function findings(columns: LiveTable['columns'], key: readonly string[]) {
  const found = findingsOf('spanner/generated-key-restrictions', live({ Log: { columns, key } }))
  return found.map(({ severity, message }) => `${severity}: ${message}`)
}

const immutable: LiveColumn = { type: { kind: 'string', length: 20 }, immutable: true }
const hash = (...columns: string[]) => generated(`FARM_FINGERPRINT(CONCAT(${columns.join(", '|', ")}))`)

describe('spanner/generated-key-restrictions', () => {
  it('reports a generated key part that is not stored', () => {
    const shard = generated('ABS(MOD(id, 16))', { kind: 'int64' }, false)
    expect(findings({ shard, id: 'int64' }, ['shard', 'id'])).toStrictEqual([
      'error: shard is a generated part of the key, but not stored: a key is made of stored values.',
    ])
  })

  it('reports a generated key part that reads another generated column, inside or outside the key', () => {
    const shard = generated('ABS(MOD(fingerprint, 16))')
    const fingerprint = generated('FARM_FINGERPRINT(CAST(id AS STRING))')
    const message = 'error: shard is a generated part of the key and reads fingerprint, generated as well.'
    expect(findings({ shard, fingerprint, id: 'int64' }, ['shard', 'id'])).toStrictEqual([message])
    expect(findings({ shard, fingerprint, id: 'int64' }, ['shard', 'fingerprint', 'id'])).toStrictEqual([
      message,
    ])
  })

  it('reports a generated key part that reads two columns outside the key', () => {
    expect(
      findings({ shard: hash('a', 'b'), a: immutable, b: immutable, id: 'int64' }, ['shard', 'id']),
    ).toStrictEqual([
      'error: shard is a generated part of the key and reads a and b: only one of them may be outside the key.',
    ])
  })

  it.each<[string, LiveColumn]>([
    [
      'a default',
      {
        ...(immutable as object),
        type: { kind: 'string', length: 20 },
        immutable: true,
        default: { sql: "'x'" },
      },
    ],
    ['a UUID', { type: { kind: 'uuid' }, immutable: true, source: { kind: 'uuid-v4' } }],
    [
      'the clock',
      { type: { kind: 'timestamp' }, immutable: true, source: { kind: 'timestamp', from: 'now' } },
    ],
    [
      'a sequence',
      {
        type: { kind: 'int64' },
        immutable: true,
        source: { kind: 'bit-reversed', from: 'sequence', sequence: 's' },
      },
    ],
  ])('reports a generated key part that reads a column outside the key whose value comes from %s', (_, a) => {
    expect(findings({ shard: hash('a'), a, id: 'int64' }, ['shard', 'id'])).toStrictEqual([
      'error: shard is a generated part of the key and reads a, outside the key and with a default.',
    ])
  })

  it('warns about a generated key part that reads a mutable column', () => {
    expect(findings({ shard: hash('a'), a: 'string', id: 'int64' }, ['shard', 'id'])).toStrictEqual([
      'warning: shard is a generated part of the key and reads a, which can change: after a change the row is not found ' +
        'under its new key, and an upsert writes it a second time.',
    ])
  })

  it('checks the columns of a hash that the database computes, and not of a hash that the client computes', () => {
    const source = { kind: 'hash', algorithm: 'sha256', of: ['a', 'b'], computedBy: 'database' } as const
    const columns = {
      made: { type: { kind: 'bytes', length: 32 }, source },
      a: 'string',
      b: immutable,
      id: 'int64',
    } as const
    expect(findings(columns, ['made', 'id']).map((each) => each.split(':')[0])).toStrictEqual([
      'error',
      'warning',
    ])
    const client = {
      ...columns,
      made: { ...columns.made, source: { ...source, computedBy: 'client' } },
    } as const
    expect(findings(client, ['made', 'id'])).toStrictEqual([])
  })

  it.each<[string, LiveTable['columns']]>([
    [
      'two key columns, with and without a default',
      {
        shard: hash('a', 'b'),
        a: { type: { kind: 'string', length: 9 }, default: { sql: "''" } },
        b: 'string',
      },
    ],
    [
      'a key column and one immutable column outside the key',
      { shard: hash('a', 'c'), a: 'string', b: 'string', c: immutable },
    ],
    [
      'a key column and an immutable identity column outside the key',
      {
        shard: hash('a', 'c'),
        a: 'string',
        b: 'string',
        c: { type: { kind: 'int64' }, immutable: true, source: { kind: 'bit-reversed', from: 'identity' } },
      },
    ],
  ])('accepts a generated key part that reads %s', (_, columns) => {
    expect(findings(columns, ['shard', 'a', 'b'])).toStrictEqual([])
  })

  it('ignores generated columns outside the key', () => {
    const x = generated('FARM_FINGERPRINT(CONCAT(a, y))', { kind: 'int64' }, false)
    const y = generated('UPPER(a)', { kind: 'string', length: 'max' }, false)
    expect(findings({ id: 'int64', a: 'string', x, y }, ['id'])).toStrictEqual([])
  })

  it('accepts a database-computed shard of one key column and one immutable column that defineSchema() allows', () => {
    const Log = defineTable('Log', (t) => ({
      shardId: t.shardKey({ shards: 4, of: ['userId', 'region'] }),
      userId: t.int64().key(),
      region: t.string({ length: 20, immutable: true }),
    }))
    expect(lint(defineSchema([Log]), { dialect: googlesql })).toStrictEqual([])
  })
})
