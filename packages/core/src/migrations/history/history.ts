import { IsothermError } from '../../errors.js'
import type { CallOptions, Driver, Mutation, Reader } from '../../database/driver.js'
import { Limits, withRetries } from '../../database/retries.js'
import { dialectNamed } from '../../dialects/registry.js'
import { findTable } from '../../model/schema.js'
import { tablesThere } from './ensure-tables.js'
import type { HistoryChange, RecordKey } from './history-change.js'
import { historyRows } from './history-rows.js'
import type { Lease } from './lease.js'
import { RecordTable } from './record-table.js'
import { HISTORY_TABLE, migrationTables, type MigrationRecord } from './tables.js'

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
