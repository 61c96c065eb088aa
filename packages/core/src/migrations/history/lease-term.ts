import { IsothermError } from '../../errors.js'
import type { LeaseHolder } from './lease-options.js'

/** How long a lease is ours, as far as this process knows, and its renewal in time. */
export class LeaseTerm {
  /** For how long it is taken each time, in milliseconds. */
  readonly duration: number
  readonly #renewal: (timeLeft: number) => Promise<void>
  readonly #lost = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #renewing: Promise<void> = Promise.resolve()
  #isReleased = false
  /** In the clock of `performance.now()`, which stands still while a machine sleeps; and in that of the wall. */
  #validUntil = 0
  #validUntilOnTheWall = 0

  /** @param renewal asks the database for more time, and says so with `extended` */
  constructor(duration: number, renewal: (timeLeft: number) => Promise<void>) {
    this.duration = duration
    this.#renewal = renewal
  }

  /** Fires when the lease is lost; its reason is the error that says to whom. */
  get signal(): AbortSignal {
    return this.#lost.signal
  }

  /** Whether it may have ended without our knowing. */
  get mayBeOver(): boolean {
    return performance.now() >= this.#validUntil || Date.now() >= this.#validUntilOnTheWall
  }

  /** @param began when the database was asked, in the clock of `performance.now()` */
  extended(began: number): void {
    if (this.#isReleased) return
    this.#validUntil = Math.max(this.#validUntil, began + this.duration)
    this.#validUntilOnTheWall = Date.now() - (performance.now() - began) + this.duration
    this.#renewAfter(this.duration / 3)
  }

  /** @returns the error that says so */
  lose(to: Pick<LeaseHolder, 'description'> | undefined, cause?: unknown): IsothermError {
    const what = to
      ? `${to.description} has taken over: nothing was heard from this migrator for ${this.duration} ms.`
      : 'The right to migrate could not be renewed in time.'
    const error = new IsothermError('MIGRATION_LOCKED', what, {
      fix: 'Migrate again: what has run is written down. Give a longer lease if this machine or the way to the database is slow.',
      cause,
    })
    this.#lost.abort(error)
    return error
  }

  /** Renews it no more. @returns whether it is still ours to give back */
  async end(): Promise<boolean> {
    this.#isReleased = true
    clearTimeout(this.#timer)
    await this.#renewing
    return !this.#lost.signal.aborted
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
      await this.#renewal(Math.max(this.#validUntil - performance.now(), 1_000))
    } catch (error) {
      if (this.#lost.signal.aborted || this.#isReleased) return
      if (performance.now() < this.#validUntil) this.#renewAfter(this.duration / 12)
      else this.lose(undefined, error)
    }
  }
}
