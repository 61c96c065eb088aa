// Numbers that people read, and keys that are made of them: five ways to count, over one table or by the database itself.

export { asynchronous } from './asynchronous.js'
export { asynchronousBatch, type AsynchronousBatchOptions, type Ranges } from './asynchronous-batch.js'
export { batch, type BatchOptions } from './batch.js'
export { inTransaction, type InTransactionSequence } from './in-transaction.js'
export { native, type NativeOptions } from './native.js'
export type { NumberingOptions } from './numbering.js'
export type { AdaptiveBounds } from './pace.js'
export type { SequenceOptions, SequencePlace } from './place.js'
export type { PooledSequence } from './pooled-sequence.js'
export type { PoolStatistics } from './range-pool.js'
export { sequenceTable, type SequenceTableRow } from './sequence-table.js'
export type { TableSequence } from './table-sequence.js'
