import { defineTable } from '@isotherm/core'
import type { PreciseDate } from '@google-cloud/precise-date'

export const Given = defineTable('Given', (t) => ({
  sensor: t.string({ length: 20 }).key(),
  at: t.descTimestamp(),
  id: t.int64().key(),
  note: t.string({ nullable: true }),
}))

export const Now = defineTable('Now', (t) => ({
  sensor: t.string({ length: 20 }).key(),
  seen: t.descTimestamp({ default: 'now', name: 'seen_at' }),
  id: t.int64().key(),
}))

/** Rows of one microsecond are in all shards. */
export const Sharded = defineTable('Sharded', (t) => ({
  shard: t.shardKey({ shards: 4, of: ['id'] }),
  at: t.descTimestamp(),
  id: t.int64().key(),
}))

/** Since 1970. */
export const nanos = (of: Date): bigint => {
  const time = of as PreciseDate
  return (
    BigInt(time.getTime()) * 1_000_000n +
    BigInt(time.getMicroseconds()) * 1000n +
    BigInt(time.getNanoseconds())
  )
}

/** By time, and by id where that is the same. */
export const newestFirst = (a: { at: Date; id: bigint }, b: { at: Date; id: bigint }): number => {
  const difference = nanos(b.at) - nanos(a.at) || a.id - b.id
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}
