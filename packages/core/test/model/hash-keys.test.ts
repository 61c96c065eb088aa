import { defineSchema, type HashKeyOptions, type TableBuilder } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { logTable } from '../support/layout.js'
import { findingsOf } from '../support/refusal.js'

type Column = ReturnType<TableBuilder['float64']>

const keyed = (options: HashKeyOptions) =>
  logTable((t) => ({
    hash: t.hashKey(options),
    url: t.string().key(),
    region: t.string({ immutable: true }),
  }))

describe('defineSchema() with hash keys', () => {
  it.each([
    [undefined, 'farm-fingerprint', { kind: 'int64' }],
    ['farm-fingerprint', 'farm-fingerprint', { kind: 'int64' }],
    ['sha256', 'sha256', { kind: 'bytes', length: 32 }],
    ['sha512', 'sha512', { kind: 'bytes', length: 64 }],
  ] as const)(
    'gives a hash key the column type that the algorithm %s returns, and puts the hash key first in the key',
    (algorithm, stated, type) => {
      const { tables } = defineSchema([
        keyed({ of: ['url'], name: 'url_hash', ...(algorithm && { algorithm }) }),
      ])
      expect(tables[0]!.columns[0]).toStrictEqual({
        property: 'hash',
        name: 'url_hash',
        type,
        nullable: false,
        immutable: false,
        inherited: false,
        source: { kind: 'hash', algorithm: stated, of: ['url'], computedBy: 'database' },
      })
      expect(tables[0]!.primaryKey).toStrictEqual([
        { property: 'hash', order: 'asc' },
        { property: 'url', order: 'asc' },
      ])
    },
  )

  it('accepts a hash key as the whole primary key when the hashed column is immutable', () => {
    const Log = logTable((t) => ({ hash: t.hashKey({ of: ['url'] }), url: t.string({ immutable: true }) }))
    expect(defineSchema([Log]).tables[0]!.primaryKey).toHaveLength(1)
  })

  it('rejects a hash key that primaryKey leaves out', () => {
    const Log = logTable((t) => ({ hash: t.hashKey({ of: ['url'] }), url: t.string().key() }), {
      primaryKey: ['url'],
    })
    expect(findingsOf(Log)).toStrictEqual([
      {
        table: 'Log',
        column: 'hash',
        message: 'is a hash key, but not in the primary key.',
        fix: 'Put it in primaryKey.',
      },
    ])
  })

  it('rejects a hash key that hashes no column', () => {
    expect(findingsOf(keyed({ of: [] }))).toStrictEqual([
      {
        table: 'Log',
        column: 'hash',
        message: 'hashes no column.',
        fix: 'Name the columns that are unique together: of: [...].',
      },
    ])
  })

  it('rejects a hash key that hashes a property which is not a column', () => {
    expect(findingsOf(keyed({ of: ['url', 'path'] }))).toStrictEqual([
      {
        table: 'Log',
        column: 'hash',
        message: 'hashes path, which is not a column.',
        fix: 'Choose from hash, url, region.',
      },
    ])
  })

  it('rejects a hash key that hashes its own column, a shard or another hash key', () => {
    const fix = 'Hash the columns that identify a row.'
    expect(findingsOf(keyed({ of: ['hash'] }))).toStrictEqual([
      { table: 'Log', column: 'hash', message: 'hashes hash, which is a hash itself.', fix },
    ])
    const Log = logTable((t) => ({
      shardId: t.shardKey({ shards: 4, of: ['url'] }),
      first: t.hashKey({ of: ['shardId'] }),
      second: t.hashKey({ of: ['first'], algorithm: 'sha512' }),
      url: t.string().key(),
    }))
    expect(findingsOf(Log)).toStrictEqual([
      { table: 'Log', column: 'first', message: 'hashes shardId, which is a shard itself.', fix },
      { table: 'Log', column: 'second', message: 'hashes first, which is a hash itself.', fix },
    ])
  })

  const refused: readonly (readonly [string, (t: TableBuilder) => Column, string])[] = [
    [
      'a float64, whose text differs between engines',
      (t) => t.float64({ immutable: true }),
      'hashes value, of type float64, whose text differs between engines.',
    ],
    [
      'a numeric, whose text differs between engines',
      (t) => t.numeric({ immutable: true }) as never,
      'hashes value, of type numeric, whose text differs between engines.',
    ],
    [
      'a generated column',
      (t) => t.string({ generated: 'LOWER(url)', immutable: true }) as never,
      'hashes value, which the database generates.',
    ],
    [
      'a commit timestamp',
      (t) => t.timestamp({ default: 'commit', immutable: true }) as never,
      'hashes value, a commit timestamp, which is not known when the key is made.',
    ],
    [
      'a mutable column outside the key',
      (t) => t.string() as never,
      'hashes value, which is neither a key part nor immutable: a change would leave the row in the wrong shard.',
    ],
  ]

  it.each(refused)('rejects a hash key that hashes %s', (_, value, message) => {
    const Log = logTable((t) => ({ hash: t.hashKey({ of: ['value'] }), value: value(t) }))
    expect(findingsOf(Log)).toMatchObject([{ table: 'Log', column: 'hash', message }])
  })

  it('rejects a hash key that hashes a bit-reversed id, which the database makes', () => {
    const Log = logTable((t) => ({ hash: t.hashKey({ of: ['id'] }), id: t.bitReversedId() }))
    expect(findingsOf(Log)).toMatchObject([
      { column: 'hash', message: 'hashes id, which the database computes and which is spread already.' },
    ])
  })
})
