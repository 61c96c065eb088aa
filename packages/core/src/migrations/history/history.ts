import { IsothermError } from '../../errors.js'
import type { CallOptions, Driver, Mutation, TransactionContext } from '../../database/driver.js'
import { Limits, withRetries } from '../../database/retries.js'
import { dialectNamed } from '../../dialects/registry.js'
import { findTable } from '../../model/schema.js'
import { tablesThere } from './ensure-tables.js'
import { RUNNER, type Lease } from './lease.js'
import { AT_COMMIT, RecordTable } from './record-table.js'
import { HISTORY_TABLE, migrationTables, type MigrationRecord } from './tables.js'

/** What a record is found by. */
export type RecordKey = Pick<MigrationRecord, 'migration' | 'statement'>

/** What is said of a statement, or of a migration, when it is begun. */
export type Begun = Omit<MigrationRecord, 'state' | 'started' | 'finished' | 'error' | 'runner'>

/** One change of the history. All of those that are written together are written at once. */
export type HistoryChange =
  | { readonly to: 'started'; readonly records: readonly Begun[] }
  | { readonly to: 'done'; readonly records: readonly RecordKey[]; readonly rows?: number }
  /** Done without having been run by us. */
  | { readonly to: 'recorded'; readonly records: readonly Begun[] }
  | { readonly to: 'failed'; readonly records: readonly RecordKey[]; readonly error: string }
  /** They have not run after all. */
  | { readonly to: 'forgotten'; readonly records: readonly RecordKey[] }

/** The records of a database, as they are read. */
export class History {
  readonly #table: RecordTable<MigrationRecord>
  readonly #driver: Driver

  constructor(driver: Driver, table: string = HISTORY_TABLE) {
    this.#driver = driver
    this.#table = new RecordTable(findTable(migrationTables(table), table)!, dialectNamed(driver.dialect))
  }

  /** All records, in order. */
  async read(call: CallOptions = {}): Promise<readonly MigrationRecord[]> {
    const limits = new Limits(call)
    const rows = await withRetries(() => this.#driver.read(this.#table.request(), limits.options), limits)
    return rows.map((cells) => this.#table.decode(cells))
  }

  /** A record as a transaction sees it. */
  async readIn(context: TransactionContext, key: RecordKey): Promise<MigrationRecord | undefined> {
    const [cells] = await context.read(this.#table.request([key]))
    return cells && this.#table.decode(cells)
  }

  /** Writes changes together, unless another has taken over the lease. Writing them twice does no harm. */
  async write(lease: Lease, changes: readonly HistoryChange[]): Promise<void> {
    const mutations = this.mutations(changes)
    await lease.commit(async (context) => context.buffer(mutations))
  }

  mutations(changes: readonly HistoryChange[]): Mutation[] {
    return changes.filter(({ records }) => records.length > 0).map((change) => this.#mutation(change))
  }

  #mutation(change: HistoryChange): Mutation {
    switch (change.to) {
      case 'started':
        return this.#table.write(
          'upsert',
          change.records.map((record) => ({
            ...plain(record),
            state: change.to,
            error: null,
            started: AT_COMMIT,
            finished: null,
            runner: RUNNER,
          })),
        )
      case 'recorded':
        return this.#table.write(
          'upsert',
          change.records.map((record) => ({
            ...plain(record),
            state: 'done',
            error: null,
            started: AT_COMMIT,
            finished: AT_COMMIT,
            runner: RUNNER,
          })),
        )
      case 'done':
        return this.#table.write(
          'update',
          change.records.map((record) => ({
            ...keyOf(record),
            state: change.to,
            ...(change.rows !== undefined && { rows: change.rows }),
            error: null,
            finished: AT_COMMIT,
          })),
        )
      case 'failed':
        return this.#table.write(
          'update',
          change.records.map((record) => ({
            ...keyOf(record),
            state: change.to,
            error: change.error,
            finished: AT_COMMIT,
          })),
        )
      case 'forgotten':
        return this.#table.delete(change.records.map(keyOf))
    }
  }
}

/** The records of a database that may never have been migrated: none then, and nothing is made. */
export async function readHistory(
  driver: Driver,
  table: string = HISTORY_TABLE,
  call: CallOptions = {},
): Promise<readonly MigrationRecord[]> {
  try {
    return await new History(driver, table).read(call)
  } catch (error) {
    // The catalogue is asked only then, since that takes longer than all the rest.
    if (!(error instanceof IsothermError && error.code === 'NOT_FOUND')) throw error
    const there = await tablesThere(driver, migrationTables(table), call)
    if (there.has(table)) throw error
    return []
  }
}

function keyOf({ migration, statement }: RecordKey): RecordKey {
  return { migration, statement }
}

function plain({ migration, statement, hash, kind, operation, attempt, rows }: Begun): Begun {
  return { migration, statement, hash, kind, operation, attempt, rows }
}
