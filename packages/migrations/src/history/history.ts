import {
  AT_COMMIT,
  HISTORY_TABLE,
  type MigrationRecord,
  RecordTable,
  type Stamped,
  migrationTables,
} from './tables.js'
import { RUNNER } from './lease-options.js'
import {
  type CallOptions,
  type Driver,
  IsothermError,
  Limits,
  type Mutation,
  type Reader,
  withRetries,
  present,
} from '@isotherm/core/engine'
import { findTable } from '@isotherm/core/tools'
import { tablesThere } from './ensure-tables.js'
import type { Lease } from './lease.js'

/** The key of a record. */
export type RecordKey = Pick<MigrationRecord, 'migration' | 'statement'>

/** The data of a statement, or of a migration, when it is begun. */
export type Begun = Omit<MigrationRecord, 'state' | 'started' | 'finished' | 'error' | 'runner'>

/** One change of the history. */
export type HistoryChange =
  | { readonly to: 'started'; readonly records: readonly Begun[] }
  | { readonly to: 'done'; readonly records: readonly RecordKey[]; readonly rows?: number }
  /** Done without having been run by us. */
  | { readonly to: 'recorded'; readonly records: readonly Begun[] }
  | { readonly to: 'failed'; readonly records: readonly RecordKey[]; readonly error: string }
  /** They have not run after all. */
  | { readonly to: 'forgotten'; readonly records: readonly RecordKey[] }

export function keyOf({ migration, statement }: RecordKey): RecordKey {
  return { migration, statement }
}

/** Without additional properties of the caller's object. */
function plainBegun({ migration, statement, hash, kind, operation, attempt, rows }: Begun): Begun {
  return { migration, statement, hash, kind, operation, attempt, rows }
}

/** The changes of the rows of the history. */
type HistoryRows =
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

/** The records of a database, as they are read. */
export class History {
  readonly #table: RecordTable<MigrationRecord>
  readonly #driver: Driver

  constructor(driver: Driver, table: string = HISTORY_TABLE) {
    this.#driver = driver
    this.#table = new RecordTable(
      present(findTable(migrationTables(table), table), `table ${table}`),
      driver.dialect,
    )
  }

  /** All records, in order. */
  async read(call: CallOptions = {}): Promise<readonly MigrationRecord[]> {
    const limits = new Limits(call)
    const rows = await withRetries(() => this.#driver.read(this.#table.request(), limits.options), limits)
    return rows.map((cells) => this.#table.decode(cells))
  }

  /** A record as a transaction sees it. */
  async readIn(context: Reader, key: RecordKey): Promise<MigrationRecord | undefined> {
    const [cells] = await context.read(this.#table.request([key]))
    return cells && this.#table.decode(cells)
  }

  /** Writes changes together, unless another has taken over the lease. Writing them twice does no harm. */
  async write(lease: Lease, changes: readonly HistoryChange[]): Promise<void> {
    const mutations = this.mutations(changes)
    await lease.commit(async (context) => context.buffer(mutations))
  }

  mutations(changes: readonly HistoryChange[]): Mutation[] {
    return changes
      .filter(({ records }) => records.length > 0)
      .map((change) => {
        const rows = historyRows(change)
        return rows.op === 'delete' ? this.#table.delete(rows.keys) : this.#table.write(rows.op, rows.rows)
      })
  }
}

/** The records of a database that may never have been migrated: none then, and nothing is made. */
export async function readHistory(
  driver: Driver,
  table: string = HISTORY_TABLE,
  call: CallOptions = {},
): Promise<readonly MigrationRecord[]> {
  const history = new History(driver, table)
  try {
    return await history.read(call)
  } catch (error) {
    // The catalogue is asked only now, since that takes longer than everything else.
    if (!(error instanceof IsothermError && error.code === 'NOT_FOUND')) throw error
    const there = await tablesThere(driver, migrationTables(table), call)
    // Another migrator may have made the table since the read failed: then that error says nothing of it any more.
    return there.has(table) ? history.read(call) : []
  }
}
