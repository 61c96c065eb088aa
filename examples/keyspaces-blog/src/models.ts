import {
  Column,
  DescTimestamp,
  defineSchema,
  Key,
  ShardKey,
  Table,
  UuidV4,
  type Generated,
} from '@isotherm/core'

export const SHARDS = 200

// A blog's posts, read by the day. A partition takes 1,000 writes of 1 KB a second on Keyspaces, and a day alone as partition
// key is one partition: the day that everybody writes to. A shard beside it makes it 200.

/** Any shard will do: nothing is known of a post but its day, and a day is read as a whole. */
@Table('post', {
  partitionKey: ['publishDate', 'shard'],
  workload: { writesPerSecond: 20_000, rowBytes: 1_000 },
})
export class Post {
  @Key() @Column.date({ name: 'publish_date' }) publishDate!: string
  @ShardKey({ strategy: 'random', shards: SHARDS, first: 1 }) shard!: Generated<bigint>
  @DescTimestamp({ name: 'published_at' }) publishedAt!: Date
  @UuidV4() id!: Generated<string>
  @Column.string() title!: string
  @Column.string({ nullable: true }) body!: string | null
}

/** The shard follows from the title: who knows day and title finds the post with one query, and need not try 200 shards. */
@Table('post_by_title', {
  partitionKey: ['publishDate', 'shard'],
  workload: { writesPerSecond: 20_000, rowBytes: 1_000 },
})
export class PostByTitle {
  @Key() @Column.date({ name: 'publish_date' }) publishDate!: string
  @ShardKey({ shards: SHARDS, first: 1, of: ['title'] }) shard!: Generated<bigint>
  @Key() @Column.string() title!: string
  @Column.timestamp({ name: 'published_at' }) publishedAt!: Date
  @Column.string({ nullable: true }) body!: string | null
}

/** What Isotherm refuses: all posts of a day in one partition. */
@Table('hot_post', { partitionKey: ['publishDate'] })
export class HotPost {
  @Key() @Column.date({ name: 'publish_date' }) publishDate!: string
  @DescTimestamp({ name: 'published_at' }) publishedAt!: Date
  @UuidV4() id!: Generated<string>
  @Column.string() title!: string
}

export const schema = defineSchema([Post, PostByTitle])
