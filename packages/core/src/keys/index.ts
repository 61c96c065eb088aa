export { bitReverse, type BitReverseOptions } from './bit-reverse.js'
export { fingerprint } from './fingerprint.js'
export { shardOf, type Hashable } from './shard.js'
