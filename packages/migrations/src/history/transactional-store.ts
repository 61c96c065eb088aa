import type { CallOptions } from '@isotherm/core/engine'
import type { Dialect } from '@isotherm/core/tools'
import type { MigrationDriver } from '../options.js'
import { ensureTables } from './ensure-tables.js'
import { History, readHistory } from './history.js'
import type { LeaseHolder, LeaseOptions } from './lease-options.js'
import { Lease, transactionalHolder } from './lease.js'
import type { DmlToRun, HistoryChange, MigrationStore } from './store.js'
import { migrationTables, type MigrationRecord } from './tables.js'

/** How long a statement in a transaction may take, in milliseconds: as long as locks may be held, and not for ever. */
const TRANSACTION_TIMEOUT = 600_000

/** Two tables, whose rows are written in transactions that ask who may write. */
export class TransactionalStore implements MigrationStore {
  readonly runsDmlOnce = true
  readonly #driver: MigrationDriver
  readonly #table: string
  readonly #history: History

  constructor(driver: MigrationDriver, table: string) {
    this.#driver = driver
    this.#table = table
    this.#history = new History(driver, table)
  }

  ensure(dialect: Dialect, call: CallOptions): Promise<void> {
    return ensureTables(this.#driver, dialect, migrationTables(this.#table), call)
  }

  acquire(options?: LeaseOptions): Promise<Lease> {
    return Lease.acquire(this.#driver, options)
  }

  holder(call?: CallOptions): Promise<LeaseHolder | undefined> {
    return transactionalHolder(this.#driver, call)
  }

  read(call?: CallOptions): Promise<readonly MigrationRecord[]> {
    return readHistory(this.#driver, this.#table, call)
  }

  write(lease: Lease, changes: readonly HistoryChange[]): Promise<void> {
    return this.#history.write(lease, changes)
  }

  /** In a transaction that also writes down that it ran: exactly once, even where the commit's answer is lost. */
  runDml(lease: Lease, { key, sql, done }: DmlToRun): Promise<number> {
    return lease.commitBeside(
      async (context) => {
        const record = await this.#history.readIn(context, key)
        if (record?.state === 'done') return record.rows ?? 0
        const [rows = 0] = await context.execute([{ text: sql, parameters: [] }])
        context.buffer(this.#history.mutations(done(rows)))
        return rows
      },
      { timeoutMs: TRANSACTION_TIMEOUT },
    )
  }
}
