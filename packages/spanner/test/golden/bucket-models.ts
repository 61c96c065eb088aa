import { defineTable, type BucketSize } from '@isotherm/core'

const sizes: readonly BucketSize[] = ['hour', 'day', 'week', 'month', 'year']

/** Time buckets of each size, after a shard, of a time in the key and of a time outside the key. */
export const bucketModels: readonly object[] = [
  ...sizes.map((by) =>
    defineTable(`log_by_${by}`, (t) => ({
      shard: t.shardKey({ shards: 4, of: ['userId'] }),
      bucket: t.timeBucket({ by, of: 'at', since: '2024-01-01' }),
      at: t.descTimestamp({ default: 'now' }),
      userId: t.int64({ name: 'user_id' }).key(),
    })),
  ),
  defineTable(
    'post',
    (t) => ({
      publishMonth: t.timeBucket({ by: 'month', of: 'publishDate', ahead: 12, name: 'publish_month' }),
      shard: t.shardKey({ shards: 4, of: ['id'] }),
      publishDate: t.date({ immutable: true, name: 'publish_date' }),
      id: t.uuidV4(),
    }),
    { primaryKey: ['shard', 'publishMonth', 'id'] },
  ),
]
