// Compiled in both decorator modes, never run: what the options of a column ask of its field, and what they refuse.
// For the names of its dialects, which SQL may be for.
export type { SpannerOptions } from '@isotherm/spanner'
import {
  BitReversedId,
  Column,
  HashKey,
  ShardKey,
  Table,
  UuidV4,
  type Counter,
  type Generated,
  sql,
} from '@isotherm/core'

declare const counter: Counter

@Table('Fits')
export class Fits {
  @HashKey({ of: ['userId'] })
  fingerprint!: Generated<bigint>

  @HashKey({ of: ['userId'], algorithm: 'farm-fingerprint' })
  plainFingerprint!: bigint

  @HashKey({ of: ['userId'], algorithm: 'sha256' })
  digest!: Generated<Uint8Array>

  @HashKey({ of: ['userId'], algorithm: 'sha512' })
  longDigest!: Buffer

  @BitReversedId({ from: counter })
  counted!: Generated<bigint>

  @UuidV4({ storage: 'int64-pair' })
  pair!: Generated<string>

  @Column.uuid({ storage: 'bytes', nullable: true })
  nullableRaw!: string | null

  @Column.int64({ as: 'number' })
  number!: number

  @Column.int64({ as: 'number', nullable: true })
  nullableNumber!: number | null

  @Column.int64({ as: 'number', default: 0 })
  generatedNumber!: Generated<number>

  @Column.int64({ as: 'bigint' })
  bigint!: bigint

  @Column.string({ default: 'x' })
  defaultString!: Generated<string>

  @Column.date({ default: sql({ googlesql: 'CURRENT_DATE()', 'spanner-postgresql': 'current_date' }) })
  defaultDate!: Generated<string>

  @Column.int64({ generated: 'userId + 1', stored: false })
  generatedBigint!: Generated<bigint>

  @Column.timestamp({ generated: 'x', hidden: true })
  generatedTimestamp!: Generated<Date>

  @Column.string({ nullable: true, default: 'x' })
  nullableDefault!: string | null
}

@Table('DoesNotFit')
export class DoesNotFit {
  // @ts-expect-error: a column of numbers on a bigint
  @Column.int64({ as: 'number' })
  numberOnBigint!: bigint

  // @ts-expect-error: a column of bigints on a number
  @Column.int64({ as: 'bigint' })
  bigintOnNumber!: number

  // @ts-expect-error: a nullable column of numbers needs a field that admits null
  @Column.int64({ as: 'number', nullable: true })
  nullableNumberOnNumber!: number

  // @ts-expect-error: a column of numbers that is never NULL on a field that admits null
  @Column.int64({ as: 'number' })
  numberOnNullable!: number | null

  // @ts-expect-error: a fingerprint is a bigint
  @HashKey({ of: ['userId'] })
  fingerprintOnBytes!: Generated<Uint8Array>

  // @ts-expect-error: a fingerprint is a bigint: a number would lose its lower digits
  @HashKey({ of: ['userId'], algorithm: 'farm-fingerprint' })
  fingerprintOnNumber!: number

  // @ts-expect-error: a digest is bytes
  @HashKey({ of: ['userId'], algorithm: 'sha256' })
  digestOnBigint!: Generated<bigint>

  // @ts-expect-error: a digest is bytes, not their text
  @HashKey({ of: ['userId'], algorithm: 'sha512' })
  digestOnString!: string

  // @ts-expect-error: a hash key is never NULL
  @HashKey({ of: ['userId'] })
  hashOnNullable!: bigint | null

  // @ts-expect-error: a row shows a UUID as its text, whatever the storage
  @Column.uuid({ storage: 'bytes' })
  uuidOnBytes!: Uint8Array

  // @ts-expect-error: a row shows a UUID as its text, whatever the storage
  @UuidV4({ storage: 'int64-pair' })
  pairOnBigint!: Generated<bigint>

  // @ts-expect-error: a default does not change what the column holds
  @Column.string({ default: 'x' })
  defaultOnBigint!: Generated<bigint>

  // @ts-expect-error: a nullable column needs a field that admits null, default or not
  @Column.string({ nullable: true, default: 'x' })
  nullableDefaultOnGenerated!: Generated<string>
}

// What the options themselves refuse.

// @ts-expect-error: a whole hash names what it hashes
HashKey({})

// @ts-expect-error: there is no such algorithm
HashKey({ of: ['userId'], algorithm: 'md5' })

// @ts-expect-error: a row shows an integer as a bigint or a number
Column.int64({ as: 'string' })

// @ts-expect-error: only an integer can be shown as a number
Column.numeric({ as: 'number' })

// @ts-expect-error: there is no such storage
Column.uuid({ storage: 'blob' })

// @ts-expect-error: a text is not a value of an integer
Column.int64({ default: '7' })

// @ts-expect-error: there is no such dialect
Column.int64({ default: sql({ mysql: '7' }) })

// @ts-expect-error: SQL is marked as SQL
Column.timestamp({ default: 'CURRENT_TIMESTAMP()' })

// @ts-expect-error: a key made by Isotherm has no other default
UuidV4({ default: 'GENERATE_UUID()' })

// @ts-expect-error: a counter counts for itself
BitReversedId({ from: counter, startCounter: 5n })

// @ts-expect-error: a counter has no sequence
BitReversedId({ from: counter, sequence: 'ids' })

// @ts-expect-error: a counter has a next number
BitReversedId({ from: { take: async () => [1n] } })

// @ts-expect-error: a counter gives bigints
BitReversedId({ from: { next: () => 1 } })

// @ts-expect-error: random shards have no sign
ShardKey({ shards: 64, strategy: 'random', signed: true })

// @ts-expect-error: a random shard has no compute function
ShardKey({ shards: 64, strategy: 'round-robin', compute: () => 1 })

// @ts-expect-error: a shard is a whole number
ShardKey({ shards: 64, of: ['userId'], compute: () => '1' })

// @ts-expect-error: a shard is computed by the database or the client
ShardKey({ shards: 64, of: ['userId'], computedBy: 'nobody' })
