import { AsyncLocalStorage } from 'node:async_hooks'
import { transactionsOf } from './capabilities.js'
import type { CallOptions, Driver, TransactionContext } from './driver.js'

/** Where a transaction keeps what generators of numbers need of it. */
export const SCOPE = Symbol.for('isotherm:transaction-scope')

/** A transaction: of `db.transaction`, or of an adapter. */
export interface Scoped {
  readonly [SCOPE]: TransactionScope
}

const running = new AsyncLocalStorage<TransactionLife | undefined>()

/** One transaction from its first attempt to its end, however often it is aborted and run again. */
export class TransactionLife {
  readonly driver: Driver
  /** The transaction in whose work this one was begun, which waits for it most likely. */
  readonly outer: TransactionLife | undefined
  /** Settles once the transaction is over. */
  readonly ended: Promise<void>
  #attempts = 0
  #scope: TransactionScope | undefined
  #isOver = false
  readonly #ends: ((isCommitted: boolean) => void)[] = []
  #settle!: () => void

  constructor(driver: Driver) {
    this.driver = driver
    this.outer = currentTransaction()
    this.ended = new Promise((resolve) => (this.#settle = resolve))
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** How often it has been begun. */
  get attempts(): number {
    return this.#attempts
  }

  /** Whether it has read or written in this attempt: it may hold locks that others wait for. */
  get hasBegun(): boolean {
    return this.#scope?.hasBegun ?? false
  }

  /** Whether it is this transaction, or is begun in its work. */
  isWithin(life: TransactionLife): boolean {
    return this === life || (this.outer?.isWithin(life) ?? false)
  }

  begin(context: TransactionContext): TransactionScope {
    this.#attempts++
    // What an attempt before has left is nothing: it is rolled back.
    this.#ends.length = 0
    return (this.#scope = new TransactionScope(this, context))
  }

  onEnd(told: (isCommitted: boolean) => void): void {
    this.#ends.push(told)
  }

  end(isCommitted: boolean): void {
    this.#isOver = true
    this.#scope?.close()
    for (const tell of this.#ends) tell(isCommitted)
    this.#settle()
  }

  /** Runs work that is the transaction's own, so that whoever it calls can tell. */
  run<T>(work: () => Promise<T>): Promise<T> {
    return running.run(this, work)
  }
}

/** Runs work in a read-write transaction of a driver's, as `Driver.transaction` does, so that it can take numbers in it. */
export async function transact<T>(
  driver: Driver,
  work: (scope: TransactionScope) => Promise<T>,
  options?: CallOptions,
): Promise<{ readonly value: T; readonly commitTimestamp: Date }> {
  const transaction = transactionsOf(driver)
  const life = new TransactionLife(driver)
  let isCommitted = false
  try {
    const done = await transaction(async (context) => {
      const scope = life.begin(context)
      try {
        const value = await life.run(() => work(scope))
        scope.completeWork()
        return value
      } finally {
        scope.close()
      }
    }, options)
    isCommitted = true
    return done
  } finally {
    life.end(isCommitted)
  }
}

/** The transaction that the caller is a part of, unless the caller has outlived it. */
export function currentTransaction(): TransactionLife | undefined {
  let life = running.getStore()
  while (life?.isOver) life = life.outer
  return life
}

/** Runs work that outlives the transaction in which it was begun. */
export function outsideTransactions<T>(work: () => T): T {
  return running.run(undefined, work)
}

/** One attempt of a transaction. */
export class TransactionScope {
  readonly life: TransactionLife
  /** The transaction's own, which sees whether it is used. */
  readonly context: TransactionContext
  #hasBegun = false
  #isOpen = true
  readonly #before: (() => void)[] = []

  constructor(life: TransactionLife, context: TransactionContext) {
    this.life = life
    this.context = this.#noticed(context)
  }

  get hasBegun(): boolean {
    return this.#hasBegun
  }

  /** Whether its work goes on: what is asked for later is not a part of it. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  close(): void {
    this.#isOpen = false
  }

  /** Runs when the work is done, and nothing is committed yet. */
  beforeCommit(work: () => void): void {
    this.#before.push(work)
  }

  completeWork(): void {
    this.close()
    for (const work of this.#before) work()
  }

  #noticed(context: TransactionContext): TransactionContext {
    const used = <Call extends (...given: never[]) => unknown>(call: Call): Call =>
      ((...given: never[]) => {
        this.#hasBegun = true
        return call(...given)
      }) as Call
    return {
      read: used((...given) => context.read(...given)),
      query: used((...given) => context.query(...given)),
      run: used((...given) => context.run(...given)),
      returning: used((...given) => context.returning(...given)),
      execute: used((...given) => context.execute(...given)),
      buffer: (mutations) => context.buffer(mutations),
    }
  }
}
