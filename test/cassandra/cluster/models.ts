import {
  Column,
  DescTimestamp,
  Key,
  ShardKey,
  Table,
  UuidV4,
  defineSchema,
  type Generated,
} from '@isotherm/core'

export const SHARDS = 200
export const DAY = '2026-11-22'

/** A day in 200 partitions. */
@Table('sharded', { partitionKey: ['publishDate', 'shard'] })
export class Sharded {
  @Key() @Column.date({ name: 'publish_date' }) publishDate!: string
  @ShardKey({ strategy: 'random', shards: SHARDS, first: 1 }) shard!: Generated<bigint>
  @DescTimestamp({ name: 'published_at' }) publishedAt!: Date
  @UuidV4() id!: Generated<string>
  @Column.string({ nullable: true }) title!: string | null
}

/** The same without a shard, as many begin: a day is a partition. */
@Table('unsharded', {
  partitionKey: ['publishDate'],
  suppress: [
    { rule: 'cassandra/time-partition', on: 'publishDate', reason: 'To be measured.' },
    { rule: 'cassandra/unbounded-partition', on: 'publishDate', reason: 'To be measured.' },
  ],
})
export class Unsharded {
  @Key() @Column.date({ name: 'publish_date' }) publishDate!: string
  @DescTimestamp({ name: 'published_at' }) publishedAt!: Date
  @UuidV4() id!: Generated<string>
  @Column.string({ nullable: true }) title!: string | null
}

export const schema = defineSchema([Sharded, Unsharded])
