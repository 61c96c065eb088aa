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

describe('a hash key', () => {
  it.each([
    [undefined, 'farm-fingerprint', { kind: 'int64' }],
    ['farm-fingerprint', 'farm-fingerprint', { kind: 'int64' }],
    ['sha256', 'sha256', { kind: 'bytes', length: 32 }],
    ['sha512', 'sha512', { kind: 'bytes', length: 64 }],
  ] as const)('by %s is a key part of the type that the hash has', (algorithm, stated, type) => {
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
  })

  it('may be the whole key, of columns that never change', () => {
    const Log = logTable((t) => ({ hash: t.hashKey({ of: ['url'] }), url: t.string({ immutable: true }) }))
    expect(defineSchema([Log]).tables[0]!.primaryKey).toHaveLength(1)
  })

  it('is in the primary key', () => {
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

  it('hashes something', () => {
    expect(findingsOf(keyed({ of: [] }))).toStrictEqual([
      {
        table: 'Log',
        column: 'hash',
        message: 'hashes no column.',
        fix: 'Name the columns that are unique together: of: [...].',
      },
    ])
  })

  it('hashes columns of the table', () => {
    expect(findingsOf(keyed({ of: ['url', 'path'] }))).toStrictEqual([
      {
        table: 'Log',
        column: 'hash',
        message: 'hashes path, which is not a column.',
        fix: 'Choose from hash, url, region.',
      },
    ])
  })

  it('hashes neither itself, nor a shard, nor another hash', () => {
    const fix = 'Hash the columns that tell rows apart.'
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
      'a float, whose text differs',
      (t) => t.float64({ immutable: true }),
      'hashes value, of type float64, whose text differs between engines.',
    ],
    [
      'a decimal, whose text differs',
      (t) => t.numeric({ immutable: true }) as never,
      'hashes value, of type numeric, whose text differs between engines.',
    ],
    [
      'what the database generates',
      (t) => t.string({ generated: 'LOWER(url)', immutable: true }) as never,
      'hashes value, which the database generates.',
    ],
    [
      'a commit timestamp',
      (t) => t.timestamp({ default: 'commit', immutable: true }) as never,
      'hashes value, a commit timestamp, which is not known when the key is made.',
    ],
    [
      'what may change',
      (t) => t.string() as never,
      'hashes value, which is neither a key part nor immutable: a change would leave the row in the wrong shard.',
    ],
  ]

  it.each(refused)('does not hash %s', (_, value, message) => {
    const Log = logTable((t) => ({ hash: t.hashKey({ of: ['value'] }), value: value(t) }))
    expect(findingsOf(Log)).toMatchObject([{ table: 'Log', column: 'hash', message }])
  })

  it('does not hash what the database counts', () => {
    const Log = logTable((t) => ({ hash: t.hashKey({ of: ['id'] }), id: t.bitReversedId() }))
    expect(findingsOf(Log)).toMatchObject([
      { column: 'hash', message: 'hashes id, which the database makes and which is spread already.' },
    ])
  })
})
