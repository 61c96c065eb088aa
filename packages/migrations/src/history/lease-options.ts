import { hostname } from 'node:os'
import { IsothermError } from '@isotherm/core/engine'
import { Backoff, pause, refuseStopped } from '../options.js'
import { leaseClock } from './lease-clock.js'
import type { LeaseRecord } from './tables.js'

/** Who holds the lease. */
export type LeaseHolder = Pick<LeaseRecord, 'description' | 'since' | 'until'>

export interface LeaseOptions {
  /** How long the lease lasts when its holder is silent, in milliseconds. Default: 60,000. */
  readonly lease?: number
  /** How long to wait for another holder, in milliseconds. Default: 0. */
  readonly wait?: number
  readonly signal?: AbortSignal
  /** Called each time that another holder is found and waited for. */
  readonly onWait?: (holder: LeaseHolder) => void
}

/** A day, in milliseconds: others wait this long for a holder that is dead. */
const LONGEST_LEASE = 86_400_000

const LEASE = 60_000

/** Who is at work, for people. */
export const RUNNER = `${hostname()}:${process.pid}`

/** @throws {IsothermError} `INVALID_VALUE` for invalid times. */
export function leaseDuration({ lease = LEASE, wait = 0 }: LeaseOptions): number {
  checkTime('lease', lease, 1, LONGEST_LEASE)
  checkTime('wait', wait, 0)
  return lease
}

/**
 * Takes a lease, or waits for it.
 *
 * @param take undefined once the lease is taken; otherwise its holder
 * @param holder reads the holder without disturbing it; undefined where the lease is free
 * @throws {IsothermError} `MIGRATION_LOCKED` naming who holds it, and until when.
 */
export async function takeOrWait(
  { wait = 0, signal, onWait }: LeaseOptions,
  take: () => Promise<LeaseHolder | undefined>,
  holder: () => Promise<LeaseHolder | undefined>,
): Promise<void> {
  const endsAt = performance.now() + wait
  const backoff = new Backoff(50, 1_000)
  for (let first = true; ; first = false) {
    refuseStopped(signal)
    // What takes it may have to wait for what its holder does.
    const other = (first ? undefined : await holder()) ?? (await take())
    if (!other) return
    const left = endsAt - performance.now()
    if (left <= 0) throw locked(other, wait)
    onWait?.(other)
    await pause(Math.min(backoff.next(), left), signal)
  }
}

function locked(holder: LeaseHolder, wait: number): IsothermError {
  const waited = wait > 0 ? ` The lease was still held after ${wait} ms.` : ''
  return new IsothermError(
    'MIGRATION_LOCKED',
    `${holder.description} has been migrating this database since ${moment(holder.since)}.${waited}`,
    {
      fix: `Wait for it: isotherm migrate --wait 5m, or the option wait, in milliseconds, in code. If it has crashed, its lease ends at ${moment(holder.until)}.`,
    },
  )
}

/** To the second: more digits would not help the reader. */
function moment(at: Date): string {
  return `${new Date(at.getTime()).toISOString().slice(0, 19)}Z`
}

function checkTime(name: string, milliseconds: number, min: number, max = Number.MAX_VALUE): void {
  if (typeof milliseconds === 'number' && milliseconds >= min && milliseconds <= max) return
  throw new IsothermError('INVALID_VALUE', `${name} is ${String(milliseconds)}.`, {
    fix: `Give a number of milliseconds, ${min} or more${max < Number.MAX_VALUE ? `, up to ${max}` : ''}.`,
  })
}

/** How long a lease is ours, as far as this process knows, and its renewal in time. */
export class LeaseTerm {
  /** For how long it is taken each time, in milliseconds. */
  readonly duration: number
  readonly #renewal: (timeLeft: number) => Promise<void>
  readonly #lost = new AbortController()
  #stopTimer = (): void => {}
  #renewing: Promise<void> = Promise.resolve()
  #isReleased = false
  /** Once by `leaseClock.now()`, and once by the wall. */
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
    return leaseClock.now() >= this.#validUntil || leaseClock.wall() >= this.#validUntilOnTheWall
  }

  /** @param began when the database was asked, by `leaseClock.now()` */
  extended(began: number): void {
    if (this.#isReleased) return
    this.#validUntil = Math.max(this.#validUntil, began + this.duration)
    this.#validUntilOnTheWall = leaseClock.wall() - (leaseClock.now() - began) + this.duration
    this.#renewAfter(this.duration / 3)
  }

  /** @returns the error that says so */
  lose(to: Pick<LeaseHolder, 'description'> | undefined, cause?: unknown): IsothermError {
    const what = to
      ? `${to.description} has taken over the lease: this process did not renew it for ${this.duration} ms.`
      : 'The migration lease could not be renewed in time.'
    const error = new IsothermError('MIGRATION_LOCKED', what, {
      fix: 'Run the migration again: it continues where it stopped. Use a longer lease if this machine or the connection to the database is slow.',
      cause,
    })
    this.#lost.abort(error)
    return error
  }

  /** Stops renewing it. @returns whether this holder still has it and can release it */
  async end(): Promise<boolean> {
    this.#isReleased = true
    this.#stopTimer()
    await this.#renewing
    return !this.#lost.signal.aborted
  }

  #renewAfter(milliseconds: number): void {
    this.#stopTimer()
    this.#stopTimer = leaseClock.after(milliseconds, () => {
      this.#renewing = this.#renew()
    })
  }

  async #renew(): Promise<void> {
    try {
      await this.#renewal(Math.max(this.#validUntil - leaseClock.now(), 1_000))
    } catch (error) {
      if (this.#lost.signal.aborted || this.#isReleased) return
      if (leaseClock.now() < this.#validUntil) this.#renewAfter(this.duration / 12)
      else this.lose(undefined, error)
    }
  }
}
