import { IsothermError } from '../errors.js'
import type { Field, Fill } from '../dialects/layout.js'
import { bucketOf } from '../keys/time-bucket.js'
import { hashOf, shardOf, type Hashable } from '../keys/shard.js'
import { bindingOf, type ShardFunction } from '../model/bindings.js'
import { shardBounds, type HashSource, type ShardSource } from '../model/key.js'
import type { PlainRow } from './codec.js'

// Key values that follow from other values of the row.

/**
 * The shard of a row whose hashed columns are there.
 *
 * @throws {IsothermError} `INVALID_VALUE` where a function of the model's own says something else than a shard;
 * `KEY_INCOMPLETE` where the schema has lost that function.
 */
export function hashShard(source: ShardSource, row: PlainRow): number {
  const { of, shards, expression } = source
  const { shard: compute } = bindingOf(source)
  if (compute) return computedShard(source, compute, row)
  if (source.ownFunction) {
    throw new IsothermError(
      'KEY_INCOMPLETE',
      `The shard of ${of.join(', ')} is computed by a function of the model's own, which this schema lacks: a file holds none.`,
      { fix: 'Take the schema that defineSchema makes of the models.' },
    )
  }
  if (expression !== undefined)
    throw new IsothermError(
      'KEY_INCOMPLETE',
      `The shard is computed by ${JSON.stringify(expression)} alone.`,
      {
        fix: 'Give the shard, or declare `compute`, the same as a function.',
      },
    )
  const [only] = of
  return of.length === 1
    ? shardOf(row[only!] as Hashable, shards, source)
    : shardOf(
        of.map((property) => row[property] as Hashable),
        shards,
        source,
      )
}

function computedShard(source: ShardSource, compute: ShardFunction, row: PlainRow): number {
  const values = Object.fromEntries(source.of.map((property) => [property, row[property]]))
  const shard = Number(compute(values))
  const { lowest, highest } = shardBounds(source)
  if (Number.isSafeInteger(shard) && shard >= lowest && shard <= highest) return shard
  throw new IsothermError(
    'INVALID_VALUE',
    `compute gives ${shard}, which is no shard from ${lowest} to ${highest}.`,
    {
      fix: 'Let it say what the expression says, and see that shards and first are right.',
    },
  )
}

/** The whole hash of a row whose hashed columns are there. */
export function wholeHash({ of, algorithm }: HashSource, row: PlainRow): bigint | Buffer {
  return hashOf(
    of.map((property) => row[property] as Hashable),
    algorithm,
  )
}

/** What follows from other values of a row: a hash shard, a whole hash, or the bucket of a time. */
export function derivedValue(fill: Derived, row: PlainRow): unknown {
  switch (fill.by) {
    case 'shard':
      return BigInt(hashShard(fill.source, row))
    case 'hash':
      return wholeHash(fill.source, row)
    case 'bucket':
      return bucketOf(row[fill.source.of] as Date | string, fill.source.by)
  }
}

export type Derived = Extract<Fill, { by: 'shard' | 'hash' | 'bucket' }>

/** The properties that a value follows from. */
export function derivedFrom(fill: Derived): readonly string[] {
  return fill.by === 'bucket' ? [fill.source.of] : fill.source.of
}

/** How a field follows from the values of others; undefined where it does not. */
export function derivedFill({ fill }: Field): Derived | undefined {
  if (fill.by === 'hash' || fill.by === 'bucket') return fill
  return fill.by === 'shard' && fill.source.strategy === 'hash' ? fill : undefined
}
