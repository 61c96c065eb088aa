import { cappedKey } from '@isotherm/core/tools'
import { defineSchema, defineTable, lint } from '@isotherm/core'
import { cql } from '@isotherm/cassandra'
import { googlesql, spannerPostgresql } from '@isotherm/spanner'
import { describe, expect, it } from 'vitest'
import { live } from '../lint/support/live.js'
import { findingsOf } from '../support/refusal.js'

describe('defineSchema() with a hash shard that is the whole key', () => {
  it('rejects a hash shard as the only key part when the hashed column is outside the key', () => {
    const Log = defineTable('Log', (t) => ({
      shard: t.shardKey({ shards: 16, of: ['user'] }),
      user: t.int64({ immutable: true }),
    }))
    expect(findingsOf(Log)).toEqual([
      {
        table: 'Log',
        column: 'shard',
        message:
          'makes the key without user, which it hashes: rows of one shard would be one row, 16 at most.',
        fix: 'Add what is unique to the key: @Key() user, or @UuidV4.',
      },
    ])
  })

  it('rejects a hash shard whose only other key part is a time bucket or the inherited key of a parent', () => {
    const Day = defineTable(
      'Day',
      (t) => ({
        day: t.timeBucket({ by: 'day', of: 'at' }),
        shard: t.shardKey({ shards: 4, of: ['user'] }),
        at: t.timestamp({ immutable: true }),
        user: t.int64({ immutable: true }),
      }),
      { partitionKey: ['day', 'shard'] },
    )
    expect(findingsOf(Day)).toMatchObject([{ table: 'Day', column: 'shard' }])
    const Parent = defineTable('Parent', (t) => ({ id: t.uuidV4() }))
    const Child = defineTable(
      'Child',
      (t) => ({
        id: t.parentKey<string>(),
        shard: t.shardKey({ shards: 4, of: ['user'] }),
        user: t.int64({ immutable: true }),
      }),
      { interleaveIn: () => Parent },
    )
    expect(findingsOf(Parent, Child)).toMatchObject([{ table: 'Child', column: 'shard' }])
  })

  it('accepts a hash shard when another key part makes the rows of one shard distinct', () => {
    const Parent = defineTable('Parent', (t) => ({
      shard: t.shardKey({ shards: 4, of: ['id'] }),
      id: t.int64().key(),
    }))
    const Child = defineTable(
      'Child',
      (t) => ({ shard: t.parentKey<bigint>(), id: t.parentKey<bigint>(), line: t.int64().key() }),
      { interleaveIn: () => Parent },
    )
    const Only = defineTable('Only', (t) => ({ shard: t.parentKey<bigint>(), id: t.parentKey<bigint>() }), {
      interleaveIn: () => Parent,
    })
    const Hashed = defineTable('Hashed', (t) => ({
      shard: t.shardKey({ shards: 4, of: ['url'] }),
      hash: t.hashKey({ of: ['url'], algorithm: 'sha256' }),
      url: t.string({ immutable: true }),
    }))
    const Daily = defineTable('Daily', (t) => ({
      shard: t.shardKey({ shards: 4, of: ['user'] }),
      day: t.date().key(),
      user: t.int64({ immutable: true }),
    }))
    expect(defineSchema([Parent, Child, Only, Hashed, Daily]).tables).toHaveLength(5)
  })

  it.each([googlesql, spannerPostgresql, cql])(
    'lint() reports a hash shard that is the whole key as an error in $name',
    (dialect) => {
      const shard = {
        type: { kind: 'int64' },
        source: { kind: 'shard', strategy: 'hash', shards: 16, of: ['user'], computedBy: 'client' },
      } as const
      const schema = live({
        Log: { columns: { shard, user: 'int64' }, key: ['shard'] },
        Sound: { columns: { shard, user: 'int64' }, key: ['shard', 'user'] },
      })
      expect(lint(schema, { dialect }).filter(({ rule }) => rule === cappedKey.name)).toMatchObject([
        {
          severity: 'error',
          table: 'Log',
          column: 'shard',
          message: 'Log holds at most 16 rows: its key is shard, which hashes user outside of it.',
        },
      ])
    },
  )
})
