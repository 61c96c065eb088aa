import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { IsothermError } from '../../errors.js'
import type { CallOptions, Driver, TransactionContext } from '../../database/driver.js'
import { Limits, withRetries } from '../../database/retries.js'
import { dialectNamed } from '../../dialects/registry.js'
import { findTable } from '../../model/schema.js'
import { Pace, pause, refuseStopped } from '../pace.js'
import { databaseTime } from './clock.js'
import { commitAgainIfLost } from './commit.js'
import { RecordTable } from './record-table.js'
import { LEASE_TABLE, migrationTables, type LeaseRecord } from './tables.js'

/** Who holds the lease. */
export type LeaseHolder = Pick<LeaseRecord, 'description' | 'since' | 'until'>

export interface LeaseOptions {
  /** How long the lease lasts when its holder is silent, in milliseconds. Default: 60,000. */
  readonly lease?: number
  /** How long to wait for another holder, in milliseconds. Default: 0. */
  readonly wait?: number
  readonly signal?: AbortSignal
  /** Told each time that another is seen to hold it. */
  readonly onWait?: (holder: LeaseHolder) => void
}

const KEY = { name: 'migrate' } as const

/** A day, in milliseconds: it is how long others wait for one that is dead. */
const LONGEST_LEASE = 86_400_000

/** Who is at work, for people. */
export const RUNNER = `${hostname()}:${process.pid}`

/**
 * The right to migrate a database, which one has at a time: a row that ends by the database's clock unless it is renewed.
 *
 * What is written under it asks for the row in the same transaction, so that whoever has lost it without knowing, being
 * asleep for instance, writes nothing.
 */
export class Lease implements AsyncDisposable {
  readonly #driver: Driver
  readonly #row: RecordTable<LeaseRecord>
  readonly #holder = randomUUID()
  readonly #duration: number
  readonly #lost = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #renewing: Promise<void> = Promise.resolve()
  #isReleased = false
  #turn: Promise<unknown> = Promise.resolve()
  /** In the clock of `performance.now()`, which stands still while a machine sleeps; and in that of the wall. */
  #validUntil = 0
  #validUntilOnTheWall = 0

  private constructor(driver: Driver, duration: number) {
    this.#driver = driver
    this.#row = leaseTable(driver)
    this.#duration = duration
  }

  /**
   * Takes the lease, or waits for it.
   *
   * @throws {IsothermError} `MIGRATION_LOCKED` naming who holds it, and until when.
   */
  static async acquire(driver: Driver, options: LeaseOptions = {}): Promise<Lease> {
    const { lease: duration = 60_000, wait = 0, signal, onWait } = options
    checkTime('lease', duration, 1, LONGEST_LEASE)
    checkTime('wait', wait, 0)
    const lease = new Lease(driver, duration)
    const endsAt = performance.now() + wait
    const pace = new Pace(50, 1_000)
    for (let first = true; ; first = false) {
      refuseStopped(signal)
      // A read disturbs nobody; a transaction may have to wait for those of the holder.
      const holder = (first ? undefined : await leaseHolder(driver)) ?? (await lease.#take())
      if (!holder) return lease
      onWait?.(holder)
      const left = endsAt - performance.now()
      if (left <= 0) throw locked(holder, wait)
      await pause(Math.min(pace.next(), left), signal)
    }
  }

  /** Fires when the lease is lost; its reason is the error that says to whom. */
  get signal(): AbortSignal {
    return this.#lost.signal
  }

  /**
   * A transaction that is committed only while the lease is ours, and that renews it. It may be committed twice where the
   * answer to a commit is lost.
   *
   * @param work short, or what it holds up is the renewal of the lease: those wait for one another, since transactions side by
   * side abort each other, on the emulator for seconds
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
        if (row?.holder !== this.#holder) throw this.#lose(row)
        began = performance.now()
        const until = new Date((await databaseTime(context)).getTime() + this.#duration)
        context.buffer([this.#row.write('update', [{ ...KEY, until }])])
        return done
      },
      call,
    )
    this.#extended(began)
    return value
  }

  /**
   * Asks the database whether the lease is still ours, if it may not be: before work that does not ask for it.
   *
   * @throws {IsothermError} `MIGRATION_LOCKED` once another has taken over.
   */
  async ensureHeld(): Promise<void> {
    const isOver = performance.now() >= this.#validUntil || Date.now() >= this.#validUntilOnTheWall
    if (isOver) await this.commit(async () => {})
  }

  /** Lets others have it. */
  async release(): Promise<void> {
    this.#isReleased = true
    clearTimeout(this.#timer)
    await this.#renewing
    if (this.#lost.signal.aborted) return
    const remove = async (context: TransactionContext): Promise<void> => {
      const row = await this.#read(context)
      if (row?.holder === this.#holder) context.buffer([this.#row.delete([KEY])])
    }
    // It ends by itself if this fails, and the work that was done is no worse for that.
    await commitAgainIfLost(this.#driver, remove, {}).catch(() => {})
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release()
  }

  /** Undefined once it is ours; else who has it. */
  async #take(): Promise<LeaseHolder | undefined> {
    const began = performance.now()
    const holder = await commitAgainIfLost(
      this.#driver,
      async (context) => {
        const now = await databaseTime(context)
        const row = await this.#read(context)
        if (row && row.holder !== this.#holder && row.until > now) return row
        const until = new Date(now.getTime() + this.#duration)
        const mine = { ...KEY, holder: this.#holder, description: RUNNER, since: now, until }
        context.buffer([this.#row.write('upsert', [mine])])
        return undefined
      },
      {},
    )
    if (!holder) this.#extended(began)
    return holder
  }

  #extended(began: number): void {
    if (this.#isReleased) return
    this.#validUntil = Math.max(this.#validUntil, began + this.#duration)
    this.#validUntilOnTheWall = Date.now() - (performance.now() - began) + this.#duration
    this.#renewAfter(this.#duration / 3)
  }

  #renewAfter(milliseconds: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#renewing = this.#renew()
    }, milliseconds)
    // A process that has nothing else to do may end: its lease ends by itself.
    this.#timer.unref()
  }

  async #renew(): Promise<void> {
    try {
      const left = this.#validUntil - performance.now()
      await this.commit(async () => {}, { deadline: Math.max(left, 1_000) })
    } catch (error) {
      if (this.#lost.signal.aborted || this.#isReleased) return
      if (performance.now() < this.#validUntil) this.#renewAfter(this.#duration / 12)
      else this.#lose(undefined, error)
    }
  }

  async #read(context: TransactionContext): Promise<LeaseRecord | undefined> {
    const [cells] = await context.read(this.#row.request([KEY]))
    return cells && this.#row.decode(cells)
  }

  #lose(to: LeaseRecord | undefined, cause?: unknown): IsothermError {
    const what = to
      ? `${to.description} has taken over: nothing was heard from this migrator for ${this.#duration} ms.`
      : 'The right to migrate could not be renewed in time.'
    const error = new IsothermError('MIGRATION_LOCKED', what, {
      fix: 'Migrate again: what has run is written down. Give a longer lease if this machine or the way to the database is slow.',
      cause,
    })
    this.#lost.abort(error)
    return error
  }
}

/** Who is migrating a database that has been migrated before; undefined where nobody is. */
export async function leaseHolder(driver: Driver, call: CallOptions = {}): Promise<LeaseHolder | undefined> {
  const table = leaseTable(driver)
  const limits = new Limits(call)
  return withRetries(async () => {
    const snapshot = await driver.snapshot(limits.options)
    try {
      const [cells] = await snapshot.read(table.request([KEY]), limits.options)
      const row = cells && table.decode(cells)
      return row && row.until > snapshot.readTimestamp! ? row : undefined
    } finally {
      snapshot.close()
    }
  }, limits)
}

function leaseTable(driver: Driver): RecordTable<LeaseRecord> {
  return new RecordTable(findTable(migrationTables(), LEASE_TABLE)!, dialectNamed(driver.dialect))
}

function locked(holder: LeaseHolder, wait: number): IsothermError {
  const waited = wait > 0 ? ` It was still so after ${wait} ms.` : ''
  return new IsothermError(
    'MIGRATION_LOCKED',
    `${holder.description} has been migrating this database since ${moment(holder.since)}.${waited}`,
    {
      fix: `Wait for it (wait, in milliseconds). If it is dead, its right to migrate ends at ${moment(holder.until)}.`,
    },
  )
}

/** To the second: the rest helps nobody. */
function moment(at: Date): string {
  return `${new Date(at.getTime()).toISOString().slice(0, 19)}Z`
}

function checkTime(name: string, milliseconds: number, least: number, most = Number.MAX_VALUE): void {
  if (typeof milliseconds === 'number' && milliseconds >= least && milliseconds <= most) return
  throw new IsothermError('INVALID_VALUE', `${name} is ${String(milliseconds)}.`, {
    fix: `Give a number of milliseconds, ${least} or more${most < Number.MAX_VALUE ? `, up to ${most}` : ''}.`,
  })
}
