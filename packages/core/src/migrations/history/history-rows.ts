import { keyOf, plainBegun, type HistoryChange, type RecordKey } from './history-change.js'
import { RUNNER } from './lease-options.js'
import { AT_COMMIT, type Stamped } from './record-table.js'
import type { MigrationRecord } from './tables.js'

/** What a change does to the rows of the history. */
export type HistoryRows =
  | { readonly op: 'upsert' | 'update'; readonly rows: readonly Stamped<MigrationRecord>[] }
  | { readonly op: 'delete'; readonly keys: readonly RecordKey[] }

export function historyRows(change: HistoryChange): HistoryRows {
  switch (change.to) {
    case 'started':
      return {
        op: 'upsert',
        rows: change.records.map((record) => ({
          ...plainBegun(record),
          state: change.to,
          error: null,
          started: AT_COMMIT,
          finished: null,
          runner: RUNNER,
        })),
      }
    case 'recorded':
      return {
        op: 'upsert',
        rows: change.records.map((record) => ({
          ...plainBegun(record),
          state: 'done',
          error: null,
          started: AT_COMMIT,
          finished: AT_COMMIT,
          runner: RUNNER,
        })),
      }
    case 'done':
      return {
        op: 'update',
        rows: change.records.map((record) => ({
          ...keyOf(record),
          state: change.to,
          ...(change.rows !== undefined && { rows: change.rows }),
          error: null,
          finished: AT_COMMIT,
        })),
      }
    case 'failed':
      return {
        op: 'update',
        rows: change.records.map((record) => ({
          ...keyOf(record),
          state: change.to,
          error: change.error,
          finished: AT_COMMIT,
        })),
      }
    case 'forgotten':
      return { op: 'delete', keys: change.records.map(keyOf) }
  }
}
