import { randomUUID } from 'node:crypto'
import type { CallOptions, Mutation } from '../../database/driver.js'
import type { ConditionalTable } from './conditional-table.js'
import { leaseDuration, RUNNER, takeOrWait, type LeaseHolder, type LeaseOptions } from './lease-options.js'
import { LeaseTerm } from './lease-term.js'
import type { HeldLease } from './store.js'

/**
 * The right to migrate a keyspace, which one has at a time: cells with a time to live, so that the servers' clocks end it
 * unless it is renewed. What is written under it is written on the condition that it still stands, so that whoever has lost
 * it without knowing, being asleep for instance, writes nothing.
 *
 * The times that it tells people are those of its holder's clock; nothing goes by them.
 */
export class ConditionalLease implements HeldLease {
  readonly #table: ConditionalTable
  readonly #holder = randomUUID()
  readonly #term: LeaseTerm
  readonly #since = new Date()
  #turn: Promise<unknown> = Promise.resolve()

  private constructor(table: ConditionalTable, duration: number) {
    this.#table = table
    this.#term = new LeaseTerm(duration, (deadline) => this.#renew({ deadline }))
  }

  /**
   * Takes the lease, or waits for it.
   *
   * @throws {IsothermError} `MIGRATION_LOCKED` naming who holds it, and until when.
   */
  static async acquire(table: ConditionalTable, options: LeaseOptions = {}): Promise<ConditionalLease> {
    const lease = new ConditionalLease(table, leaseDuration(options))
    await takeOrWait(
      options,
      () => lease.#take(),
      () => table.holder(),
    )
    return lease
  }

  get signal(): AbortSignal {
    return this.#term.signal
  }

  async ensureHeld(): Promise<void> {
    if (this.#term.mayBeOver) await this.#renew({})
  }

  /**
   * Makes a change of one row while the lease is ours.
   *
   * @throws {IsothermError} `MIGRATION_LOCKED` once another has taken over, or nobody has renewed it in time.
   */
  write(mutation: Mutation, options: CallOptions & { readonly ttl?: number } = {}): Promise<void> {
    // One after the other: conditional writes of one partition that meet make each other begin again.
    const turn = this.#turn.then(async () => {
      const found = await this.#table.exchange(mutation, this.#holder, options)
      if (found) throw this.#term.lose(await this.#table.holder())
    })
    this.#turn = turn.catch(() => {})
    return turn
  }

  async release(): Promise<void> {
    if (!(await this.#term.end())) return
    await this.#turn
    const nobody = { holder: null, description: null, since: null, until: null }
    // It ends by itself if this fails, and the work that was done is no worse for that.
    await this.#table.exchange(this.#table.write(undefined, nobody), this.#holder).catch(() => {})
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release()
  }

  async #take(): Promise<LeaseHolder | undefined> {
    const began = performance.now()
    const found = await this.#table.exchange(this.#cells(), null, { ttl: this.#ttl })
    if (!found) this.#term.extended(began)
    // The answer to a first try may have been lost.
    else if (found.holder === this.#holder) await this.#renew({})
    // Whoever had it may have given it back since.
    else return (await this.#table.holder()) ?? this.#take()
    return undefined
  }

  async #renew(call: CallOptions): Promise<void> {
    // The servers count from when they hear of it, or later.
    const began = performance.now()
    await this.write(this.#cells(), { ...call, ttl: this.#ttl })
    this.#term.extended(began)
  }

  /** All cells: each has a time to live of its own. */
  #cells(): Mutation {
    return this.#table.write(undefined, {
      holder: this.#holder,
      description: RUNNER,
      since: this.#since,
      until: new Date(Date.now() + this.#term.duration),
    })
  }

  /** In seconds, and one more: a server counts whole seconds of its clock, the first of which may be nearly over. */
  get #ttl(): number {
    return Math.ceil(this.#term.duration / 1_000) + 1
  }
}
