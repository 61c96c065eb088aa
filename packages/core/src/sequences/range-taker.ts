import type { Numbering } from './numbering.js'
import type { SequenceRow } from './sequence-row.js'

/** Numbers that nobody else has got or will get: `size` of them, from `first` on. */
export interface TakenRange {
  readonly first: bigint
  readonly size: number
}

/** How numbers are taken off the row of a sequence: in a transaction, or by a write that depends on what the row holds. */
export interface RangeTaker {
  /**
   * Takes up to `wanted` numbers for nobody else.
   *
   * @param signal nobody wants them any more; what is under way has come to its end when the promise settles
   * @throws {IsothermError} `SEQUENCE_MISSING`, `SEQUENCE_EXHAUSTED`, `SEQUENCE_MOVED_BACK`.
   */
  take(row: SequenceRow, numbering: Numbering, wanted: number, signal: AbortSignal): Promise<TakenRange>
  /** Makes a sequence's row where there is none; whether it did. A row that is there stays as it is. */
  create(row: SequenceRow, start: bigint): Promise<boolean>
}
