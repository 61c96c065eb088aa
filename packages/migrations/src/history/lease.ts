import {
  type CallOptions,
  type Driver,
  IsothermError,
  Limits,
  type Reader,
  type TransactionContext,
  withRetries,
  present,
} from '@isotherm/core/engine'
import { findTable, snapshotsOf, transactionsOf } from '@isotherm/core/tools'
import { randomUUID } from 'node:crypto'
import { leaseClock } from './lease-clock.js'
import {
  type LeaseHolder,
  type LeaseOptions,
  LeaseTerm,
  RUNNER,
  leaseDuration,
  takeOrWait,
} from './lease-options.js'
import { LEASE_TABLE, type LeaseRecord, RecordTable, migrationTables } from './tables.js'

/** The database's clock: those of the machines that migrate may differ. */
async function databaseTime(reader: Reader, call: CallOptions = {}): Promise<Date> {
  const statement = { text: 'SELECT CURRENT_TIMESTAMP', parameters: [] }
  const [row] = await reader.query(statement, [{ kind: 'timestamp' }], call)
  return row?.[0] as Date
}

/** How often a commit is made whose answer is lost. */
const ATTEMPTS = 5

/**
 * A transaction that may be committed twice without harm: if the answer to its commit is lost, it is repeated.
 */
async function commitAgainIfLost<T>(
  driver: Driver,
  work: (context: TransactionContext) => Promise<T>,
  call: CallOptions,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      const { value } = await withRetries(() => transactionsOf(driver).run(work, call), new Limits(call))
      return value
    } catch (error) {
      const isLost = error instanceof IsothermError && error.code === 'OUTCOME_UNKNOWN'
      if (!isLost || attempt === ATTEMPTS || call.signal?.aborted) throw error
    }
  }
}

const KEY = { name: 'migrate' } as const

/**
 * The lease of a database, which ensures that one migrator runs at a time: a row that expires by the database's clock
 * unless it is renewed.
 *
 * Every write of a migrator reads the row in the same transaction, so a migrator that lost the lease without knowing it,
 * for example while its machine was asleep, writes nothing.
 */
export class Lease implements AsyncDisposable {
  readonly #driver: Driver
  readonly #row: RecordTable<LeaseRecord>
  readonly #holder = randomUUID()
  readonly #term: LeaseTerm
  #turn: Promise<unknown> = Promise.resolve()

  private constructor(driver: Driver, duration: number) {
    this.#driver = driver
    this.#row = leaseTable(driver)
    this.#term = new LeaseTerm(duration, (timeoutMs) => this.commit(async () => {}, { timeoutMs }))
  }

  /**
   * Takes the lease, or waits for it.
   *
   * @throws {IsothermError} `MIGRATION_LOCKED` naming who holds it, and until when.
   */
  static async acquire(driver: Driver, options: LeaseOptions = {}): Promise<Lease> {
    const lease = new Lease(driver, leaseDuration(options))
    // A read does not disturb the holder; a transaction may have to wait for the holder's.
    await takeOrWait(
      options,
      () => lease.#take(),
      () => transactionalHolder(driver),
    )
    return lease
  }

  /** Fires when the lease is lost; its reason is the error that says to whom. */
  get signal(): AbortSignal {
    return this.#term.signal
  }

  /**
   * A transaction that is committed only while this migrator holds the lease, and that renews it. It may be committed twice
   * if the answer to a commit is lost.
   *
   * @param work short, otherwise it delays the renewal of the lease: they wait for each other, since parallel transactions
   * abort each other, on the emulator for seconds
   * @throws {IsothermError} `MIGRATION_LOCKED` once another has taken over.
   */
  commit<T>(work: (context: TransactionContext) => Promise<T>, call: CallOptions = {}): Promise<T> {
    const turn = this.#turn.then(() => this.commitBeside(work, call))
    this.#turn = turn.catch(() => {})
    return turn
  }

  /** The same for work that may take long. */
  async commitBeside<T>(
    work: (context: TransactionContext) => Promise<T>,
    call: CallOptions = {},
  ): Promise<T> {
    let began = 0
    const value = await commitAgainIfLost(
      this.#driver,
      async (context) => {
        const done = await work(context)
        // At the end, so that no renewal has to wait for the lock on the row.
        const row = await this.#read(context)
        if (row?.holder !== this.#holder) throw this.#term.lose(row)
        began = leaseClock.now()
        const until = new Date((await databaseTime(context)).getTime() + this.#term.duration)
        context.buffer([this.#row.write('update', [{ ...KEY, until }])])
        return done
      },
      call,
    )
    this.#term.extended(began)
    return value
  }

  /**
   * Asks the database whether the lease is still ours, if it may not be: before work that does not ask for it.
   *
   * @throws {IsothermError} `MIGRATION_LOCKED` once another has taken over.
   */
  async ensureHeld(): Promise<void> {
    if (this.#term.mayBeOver) await this.commit(async () => {})
  }

  /** Releases the lease. */
  async release(): Promise<void> {
    if (!(await this.#term.end())) return
    const remove = async (context: TransactionContext): Promise<void> => {
      const row = await this.#read(context)
      if (row?.holder === this.#holder) context.buffer([this.#row.delete([KEY])])
    }
    // If this fails, the lease expires by itself, and the work that was done is not affected.
    await commitAgainIfLost(this.#driver, remove, {}).catch(() => {})
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release()
  }

  /** Undefined once it is ours; else who has it. */
  async #take(): Promise<LeaseHolder | undefined> {
    const began = leaseClock.now()
    const holder = await commitAgainIfLost(
      this.#driver,
      async (context) => {
        const now = await databaseTime(context)
        const row = await this.#read(context)
        if (row && row.holder !== this.#holder && row.until > now) return row
        const until = new Date(now.getTime() + this.#term.duration)
        const mine = { ...KEY, holder: this.#holder, description: RUNNER, since: now, until }
        context.buffer([this.#row.write('upsert', [mine])])
        return undefined
      },
      {},
    )
    if (!holder) this.#term.extended(began)
    return holder
  }

  async #read(context: TransactionContext): Promise<LeaseRecord | undefined> {
    const [cells] = await context.read(this.#row.request([KEY]))
    return cells && this.#row.decode(cells)
  }
}

/** The holder of the lease of an engine with transactions; undefined where the lease is free. */
export async function transactionalHolder(
  driver: Driver,
  call: CallOptions = {},
): Promise<LeaseHolder | undefined> {
  const table = leaseTable(driver)
  const limits = new Limits(call)
  return withRetries(async () => {
    const snapshot = await snapshotsOf(driver)(limits.options)
    try {
      const [cells] = await snapshot.read(table.request([KEY]), limits.options)
      const row = cells && table.decode(cells)
      const readTimestamp = present(snapshot.readTimestamp, 'read timestamp')
      return row && row.until > readTimestamp ? row : undefined
    } finally {
      snapshot.close()
    }
  }, limits)
}

function leaseTable(driver: Driver): RecordTable<LeaseRecord> {
  return new RecordTable(present(findTable(migrationTables(), LEASE_TABLE), 'lease table'), driver.dialect)
}
