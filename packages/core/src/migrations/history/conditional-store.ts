import type { CallOptions, Mutation } from '../../database/driver.js'
import { Limits, withRetries } from '../../database/retries.js'
import { IsothermError } from '../../errors.js'
import type { MigrationDriver } from '../migration-driver.js'
import { pause, Pace } from '../pace.js'
import { ConditionalLease } from './conditional-lease.js'
import { ConditionalTable, type Values } from './conditional-table.js'
import { historyRows } from './history-rows.js'
import type { LeaseHolder, LeaseOptions } from './lease-options.js'
import { AT_COMMIT, type Stamped } from './record-table.js'
import type { DmlToRun, HistoryChange, MigrationStore } from './store.js'
import { HISTORY_TABLE, type MigrationRecord } from './tables.js'

/** How long a table that another is making may take to be there, in milliseconds. */
const PATIENCE = 60_000

/**
 * One table of one partition, each row of which is written on the condition that the lease is ours. Moments are those of the
 * migrator's clock: the engine has none to write.
 */
export class ConditionalStore implements MigrationStore {
  readonly runsDmlOnce = false
  readonly #driver: MigrationDriver
  readonly #table: ConditionalTable

  /** @throws {IsothermError} `UNSUPPORTED` for a history of another name: the lease and the history are one table. */
  constructor(driver: MigrationDriver, table: string) {
    if (table !== HISTORY_TABLE) {
      throw new IsothermError(
        'UNSUPPORTED',
        `The history of migrations is called ${HISTORY_TABLE} on ${driver.name}, and cannot be called ${table}.`,
        { fix: 'Leave the name out, and give each history a keyspace of its own.' },
      )
    }
    this.#driver = driver
    this.#table = new ConditionalTable(driver)
  }

  async ensure(call: CallOptions): Promise<void> {
    if (await this.#isThere(call)) return
    try {
      await this.#driver.applyDdl([this.#table.ddl], call)
    } catch (error) {
      if (!(error instanceof IsothermError && error.code === 'ALREADY_EXISTS')) throw error
      await this.#appeared(call)
    }
  }

  acquire(options?: LeaseOptions): Promise<ConditionalLease> {
    return ConditionalLease.acquire(this.#table, options)
  }

  holder(call?: CallOptions): Promise<LeaseHolder | undefined> {
    return this.#table.holder(call)
  }

  async read(call?: CallOptions): Promise<readonly MigrationRecord[]> {
    try {
      return await this.#table.records(call)
    } catch (error) {
      if (isMissing(error)) return []
      throw error
    }
  }

  async write(lease: ConditionalLease, changes: readonly HistoryChange[]): Promise<void> {
    const now = new Date()
    for (const mutation of changes.flatMap((change) => this.#mutations(change, now)))
      await lease.write(mutation)
  }

  /** At least once: nothing says of a row that a statement has been there. */
  async runDml(lease: ConditionalLease, { sql, signal, done }: DmlToRun): Promise<undefined> {
    const limits = new Limits({ signal })
    await withRetries(async () => {
      // What a sleeper sends late could undo what others have done since.
      await lease.ensureHeld()
      await this.#driver.run({ text: sql, parameters: [] }, limits.options)
    }, limits)
    await this.write(lease, done(undefined))
  }

  /** That a migration has run as a whole is written last: what stands there is true wherever a crash leaves it. */
  #mutations(change: HistoryChange, now: Date): Mutation[] {
    const rows = historyRows(change)
    if (rows.op === 'delete') return rows.keys.map((key) => this.#table.delete(key))
    const wholeLast = change.to === 'recorded' ? rows.rows.toSorted(byWhole) : rows.rows
    return wholeLast.map(({ migration, statement, ...values }) =>
      this.#table.write({ migration: String(migration), statement: Number(statement) }, stamped(values, now)),
    )
  }

  async #isThere(call: CallOptions): Promise<boolean> {
    try {
      await this.#table.holder(call)
      return true
    } catch (error) {
      if (isMissing(error)) return false
      throw error
    }
  }

  async #appeared(call: CallOptions): Promise<void> {
    const pace = new Pace(50, 1_000)
    const endsAt = performance.now() + PATIENCE
    while (!(await this.#isThere(call)) && performance.now() < endsAt) await pause(pace.next(), call.signal)
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof IsothermError && error.code === 'NOT_FOUND'
}

function byWhole(one: Stamped<MigrationRecord>, other: Stamped<MigrationRecord>): number {
  return Number(one.statement === 0) - Number(other.statement === 0)
}

function stamped(values: Stamped<MigrationRecord>, now: Date): Values {
  return Object.fromEntries(
    Object.entries(values).map(([field, value]) => [field, value === AT_COMMIT ? now : value]),
  ) as Values
}
