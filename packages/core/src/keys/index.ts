export { bitReverse, type BitReverseOptions } from './bit-reverse.js'
export { fingerprint } from './fingerprint.js'
export { bucketAfter, bucketOf, type BucketSize } from './time-bucket.js'
export { hashOf, shardOf, type Hashable, type ShardOptions } from './shard.js'
