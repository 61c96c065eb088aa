import pLimit from 'p-limit'
import { VERSION, shared } from '../copies.js'
import { onAbort } from '../engine/calls.js'
import type { TransactionLife } from '../transaction/scope.js'

/** For which locks a transaction waits. */
const waiting = shared(`waiting.${VERSION}`, () => new WeakMap<TransactionLife, Set<FifoLock>>())

/** Milliseconds that a transaction waits for its turn, if it may hold locks that the other transactions need. */
const PATIENCE = 1_000

/**
 * A FIFO lock on a row: lets callers of one process in one after the other, in the order in which they came. Otherwise the
 * database would abort all but one of them, and each would try again.
 */
export class FifoLock {
  readonly #limit = pLimit(1)
  #holder: TransactionLife | undefined
  readonly #entering = new WeakMap<TransactionLife, Promise<void>>()

  /** The transaction that is inside. */
  get holder(): TransactionLife | undefined {
    return this.#holder
  }

  /**
   * Runs work alone.
   *
   * @param signal gives the turn up, if it has not come yet
   */
  run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    return new Promise((resolve, reject) => {
      const giveUp = (): void => reject(signal?.reason)
      if (signal?.aborted) giveUp()
      const forget = onAbort(signal, giveUp)
      void this.#limit(async () => {
        forget()
        if (signal?.aborted) return
        try {
          resolve(await work())
        } catch (error) {
          reject(error)
        }
      })
    })
  }

  /**
   * Waits until the transaction is alone, which it is until it ends; it need not call twice. If two transactions would wait
   * for each other, it goes in without waiting: the database aborts one of them. A transaction that ends no longer waits.
   */
  enter(life: TransactionLife): Promise<void> {
    if (this.#holder === life) return Promise.resolve()
    // Two sequences may have one lock, and be asked at the same time.
    let entering = this.#entering.get(life)
    if (!entering) {
      if (this.waitsFor(life)) return Promise.resolve()
      entering = this.#enter(life).finally(() => this.#entering.delete(life))
      this.#entering.set(life, entering)
    }
    return entering
  }

  /**
   * Whether a caller that waits for this lock waits, directly or not, for this transaction, or for one that encloses
   * it.
   */
  waitsFor(life: TransactionLife, seen = new Set<FifoLock>()): boolean {
    const holder = this.#holder
    if (!holder || seen.has(this)) return false
    if (life.isWithin(holder)) return true
    seen.add(this)
    return [...(waiting.get(holder) ?? [])].some((lock) => lock.waitsFor(life, seen))
  }

  /** Whether the transaction is waiting for this lock. */
  isEntering(life: TransactionLife): boolean {
    return this.#entering.has(life)
  }

  async #enter(life: TransactionLife): Promise<void> {
    const waits = waiting.get(life) ?? new Set()
    waiting.set(life, waits.add(this))
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>((resolve) => {
      let hasGone = false
      const go = (): void => {
        hasGone = true
        resolve()
      }
      timer = setInterval(() => {
        if (life.hasBegun) go()
      }, PATIENCE)
      void life.ended.then(go)
      void this.#limit(async () => {
        if (hasGone) return
        this.#holder = life
        go()
        await life.ended
        this.#holder = undefined
      })
    })
    clearInterval(timer)
    waits.delete(this)
  }
}
