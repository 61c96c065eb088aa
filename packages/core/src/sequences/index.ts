// Numbers that people read, and keys that are made of them: five ways to count, over one table or by the database itself.

export { asynchronous } from './table-sequence.js'
export { asynchronousBatch, type AsynchronousBatchOptions, type Ranges } from './table-sequence.js'
export { batch, type BatchOptions } from './table-sequence.js'
export { inTransaction, type InTransactionSequence } from './in-transaction.js'
export { native, type NativeOptions } from './native.js'
export type { NumberingOptions } from './numbering.js'
export type { AdaptiveBounds } from './prefetch-policy.js'
export type { SequenceOptions, SequenceTarget } from './sequence-target.js'
export type { RangeSequence } from './reserved-numbers.js'
export type { SequenceStatistics } from './reserved-numbers.js'
export { sequenceTable, type SequenceTableRow } from './sequence-row.js'
export type { TableSequence } from './table-sequence.js'
