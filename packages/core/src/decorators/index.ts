export { Table } from './table.js'
export { Column } from './columns.js'
export {
  BitReversedId,
  DescTimestamp,
  HashKey,
  Key,
  ParentKey,
  Sequential,
  ShardKey,
  UuidV4,
} from './keys.js'
export { Index } from './indexes.js'
