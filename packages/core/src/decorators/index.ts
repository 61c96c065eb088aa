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
  TimeBucket,
  TimeUuid,
  UuidV4,
} from './keys.js'
export { Index } from './table.js'
export { UserType } from './table.js'
