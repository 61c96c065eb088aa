import { VERSION, shared } from '../copies.js'
import { IsothermError } from '../errors.js'
import { invalidOption } from '../options.js'
import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type CallOptions,
  type Driver,
  type MadeCells,
  type OutsideTransaction,
  type TransactionContext,
  transactionsOf,
} from '../engine/driver.js'

const GENERATORS: Readonly<Record<string, string>> = {
  '[object Generator]': 'a generator',
  '[object AsyncGenerator]': 'an async generator',
}

/**
 * Refuses a result of a transaction's work that has not run: a generator, from a `function*`, or a function that should be
 * the work itself.
 *
 * @param wasCalled whether the work has made any call: then a function is a value like any other
 * @throws {IsothermError} `INVALID_OPTION`, so that nothing is committed.
 */
export function refuseUnrun(value: unknown, wasCalled: boolean): void {
  if (typeof value === 'function' && !wasCalled) {
    throw unrun(
      'a function, which was not called',
      'Call it and return its promise: db.transaction(async (tx) => { await … }).',
    )
  }
  const generator =
    typeof value === 'object' && value !== null
      ? GENERATORS[Object.prototype.toString.call(value)]
      : undefined
  if (generator !== undefined) {
    throw unrun(
      `${generator}, whose code did not run`,
      'Write an async function in place of function*: db.transaction(async (tx) => { await … }).',
    )
  }
}

function unrun(what: string, fix: string): IsothermError {
  return invalidOption('db.transaction', {
    message: `the work returned ${what}. Nothing was committed.`,
    fix,
  })
}

/** Where a transaction keeps what generators of numbers need of it. */
export const SCOPE = Symbol.for('isotherm:transaction-scope')

/** A transaction: of `db.transaction`, or of an adapter. */
export interface Scoped {
  readonly [SCOPE]: TransactionScope
}

// Copies of one version have it in common: a transaction of one copy is found by sequences and databases of another.
const running = shared(`transactions.${VERSION}`, () => new AsyncLocalStorage<TransactionLife | undefined>())

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

  /** Whether it may hold locks, or a connection, that others wait for: it has read or written in this attempt, or begins at once. */
  get hasBegun(): boolean {
    const { atomic } = this.driver
    return this.#scope?.hasBegun === true || (atomic.kind === 'transactions' && atomic.beginsAtOnce === true)
  }

  /** Whether it is this transaction, or is begun in its work. */
  isWithin(life: TransactionLife): boolean {
    return this === life || (this.outer?.isWithin(life) ?? false)
  }

  begin(context: TransactionContext): TransactionScope {
    this.#attempts++
    // An earlier attempt has left nothing: it is rolled back.
    this.#ends.length = 0
    return (this.#scope = new TransactionScope(this, context))
  }

  onEnd(listener: (isCommitted: boolean) => void): void {
    this.#ends.push(listener)
  }

  end(isCommitted: boolean): void {
    this.#isOver = true
    this.#scope?.end()
    for (const tell of this.#ends) tell(isCommitted)
    this.#settle()
  }

  /** Runs work as a part of the transaction, so that the functions that it calls can detect the transaction. */
  run<T>(work: () => Promise<T>): Promise<T> {
    return running.run(this, work)
  }
}

/** Runs work in a read-write transaction of a driver's, as `Transactions.run` does, so that it can take numbers in it. */
export async function transact<T>(
  driver: Driver,
  work: (scope: TransactionScope) => Promise<T>,
  options?: CallOptions,
): Promise<{ readonly value: T; readonly commitTimestamp: Date }> {
  const transactions = transactionsOf(driver)
  const life = new TransactionLife(driver)
  let isCommitted = false
  try {
    const done = await transactions.run(async (context) => {
      const scope = life.begin(context)
      try {
        const value = await life.run(async () => work(scope))
        refuseUnrun(value, scope.wasCalled)
        await scope.prepareCommit()
        return value
      } finally {
        scope.end()
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

/** The transaction on the driver's database that the caller is a part of. */
export function currentTransactionOn(driver: Driver): TransactionLife | undefined {
  let life = currentTransaction()
  while (life && (life.isOver || !isSameDatabase(life.driver, driver))) life = life.outer
  return life
}

/** Whether two drivers have the vendor's object in common. */
function isSameDatabase(one: Driver, other: Driver): boolean {
  return one === other || (one.client !== undefined && one.client === other.client)
}

/**
 * @param call for the message: `db.insert(Order)`
 * @throws {IsothermError} `IN_TRANSACTION` in the work of a transaction on the same database.
 */
export function refuseInTransaction(
  driver: Driver,
  call: () => string,
  { outsideTransaction = false }: OutsideTransaction = {},
): void {
  if (outsideTransaction || !currentTransactionOn(driver)) return
  throw new IsothermError(
    'IN_TRANSACTION',
    `${call()} was called inside a transaction on the same database, but does not belong to it: it would be committed even if the transaction is rolled back, and again if the transaction is retried.`,
    {
      fix: 'Use tx instead of db. If the call is meant to be outside, pass { outsideTransaction: true }.',
    },
  )
}

/** @param what the thing that has ended, for the message */
export function transactionEnded(what = 'transaction'): IsothermError {
  return new IsothermError(
    'TRANSACTION_ENDED',
    `The ${what} has ended or is being retried: the call was not sent.`,
    { fix: 'Use tx only inside the function that it was given to, and await each call there.' },
  )
}

/** Runs work that outlives the transaction in which it was begun. */
export function outsideTransactions<T>(work: () => T): T {
  return running.run(undefined, work)
}

/** A call on a transaction that has not settled yet. */
interface OpenCall {
  readonly name: () => string
  fail(error: IsothermError): void
}

/**
 * What a commit will write to a table, besides statements: buffered rows, or only the current numbers of sequences, which
 * their generators know.
 */
type Buffered = 'rows' | 'numbers'

/** How many calls an error names. */
const MAX_NAMED_CALLS = 3

/**
 * One attempt of a transaction. All its calls come through this class: no call is accepted once its work has ended, and a
 * call that was still running then never resolves.
 */
export class TransactionScope {
  readonly life: TransactionLife
  /** The transaction's own, which sees whether it is used. */
  readonly context: TransactionContext
  readonly #ownContext: TransactionContext
  #hasBegun = false
  #isOpen = true
  #wasCalled = false
  readonly #calls = new Set<OpenCall>()
  readonly #statements = new Set<Promise<unknown>>()
  /** Calls that were running when the work ended. */
  readonly #left: OpenCall[] = []
  #notAwaited: IsothermError | undefined
  readonly #buffered = new Map<string, Buffered>()
  readonly #before: ((context: TransactionContext) => void | Promise<void>)[] = []

  constructor(life: TransactionLife, context: TransactionContext) {
    this.life = life
    this.#ownContext = context
    this.context = this.#noticed(context)
  }

  get hasBegun(): boolean {
    return this.#hasBegun
  }

  /** Whether the work has made any call of its transaction. */
  get wasCalled(): boolean {
    return this.#wasCalled
  }

  /** @throws {IsothermError} `TRANSACTION_ENDED` once the work has ended: later calls are not a part of it. */
  refuseEnded(): void {
    if (!this.#isOpen) throw transactionEnded()
  }

  /**
   * Runs a call of the transaction's user. A call that is still running when the work ends is rejected with
   * `CALL_NOT_AWAITED`.
   *
   * @param name for the message: `tx.insert(Order)`
   */
  call<T>(name: () => string, work: () => Promise<T>): Promise<T> {
    if (!this.#isOpen) return Promise.reject(transactionEnded())
    this.#wasCalled = true
    let fail!: OpenCall['fail']
    const outcome = new Promise<T>((resolve, reject) => {
      fail = reject
      void work().then(
        (value) => {
          if (this.#calls.delete(call)) resolve(value)
        },
        (error: unknown) => {
          if (this.#calls.delete(call)) reject(error)
        },
      )
    })
    const call: OpenCall = {
      name,
      fail(error) {
        // The transaction is rejected with the same error, so an unhandled rejection of this promise need not be reported.
        outcome.catch(() => {})
        fail(error)
      },
    }
    this.#calls.add(call)
    return outcome
  }

  /** Runs when the work is done, and nothing is committed yet. */
  beforeCommit(work: (context: TransactionContext) => void | Promise<void>): void {
    this.#before.push(work)
  }

  /**
   * Records that the commit will write rows of a table that neither reads nor statements see.
   *
   * @throws {IsothermError} `READ_OF_BUFFERED_TABLE` for rows together with numbers, which are written last.
   */
  noteBuffered(table: string, what: Buffered = 'rows'): void {
    const before = this.#buffered.get(table)
    if (before === undefined) this.#buffered.set(table, what)
    else if (before !== what) this.refuseBuffered(table)
  }

  /**
   * Neither reads nor statements see buffered writes: a deleted row would come back with the commit.
   *
   * @throws {IsothermError} `READ_OF_BUFFERED_TABLE`
   */
  refuseBuffered(table: string): void {
    const what = this.#buffered.get(table)
    if (!what) return
    const [why, fix] =
      what === 'rows'
        ? [
            'has buffered writes',
            'Read and change it before you buffer writes, or write without buffered: true.',
          ]
        : [
            'has numbers of sequences that were taken',
            'Read and change it before you take numbers, or outside of the transaction.',
          ]
    throw new IsothermError(
      'READ_OF_BUFFERED_TABLE',
      `${table} ${why} in this transaction, which reads and statements do not see before the commit.`,
      { fix, table },
    )
  }

  /** For a generator, which knows its own number: refuses rows that its user has buffered. */
  refuseBufferedRows(table: string): void {
    if (this.#buffered.get(table) === 'rows') this.refuseBuffered(table)
  }

  /**
   * Accepts no more calls. If the work has left some running, waits for their statements: one of them may be the statement
   * that begins the transaction, and a transaction that the database begins after a rollback would keep its locks.
   *
   * @throws {IsothermError} `CALL_NOT_AWAITED` if it has: nothing is committed then.
   */
  async prepareCommit(): Promise<void> {
    this.#close()
    if (this.#left.length > 0) {
      const outcomes = await Promise.allSettled(this.#statements)
      const failed = outcomes.find((outcome) => outcome.status === 'rejected')
      throw (this.#notAwaited = notAwaited(this.#left, failed?.reason))
    }
    for (const work of this.#before) await work(this.#ownContext)
  }

  /** Rejects the calls that were left behind. */
  end(): void {
    this.#close()
    for (const call of this.#left.splice(0)) call.fail(this.#notAwaited ?? transactionEnded())
  }

  #close(): void {
    this.#isOpen = false
    for (const call of this.#calls) this.#left.push(call)
    this.#calls.clear()
  }

  #noticed(context: TransactionContext): TransactionContext {
    const refuseEnded = (): void => this.refuseEnded()
    const used = <Args extends unknown[], T>(send: (...args: Args) => Promise<T>) => {
      return (...args: Args): Promise<T> => {
        if (!this.#isOpen) return Promise.reject(transactionEnded())
        this.#hasBegun = true
        const statement = send(...args)
        this.#statements.add(statement)
        const settled = (): void => void this.#statements.delete(statement)
        statement.then(settled, settled)
        return statement
      }
    }
    const write = used<Parameters<TransactionContext['write']>, readonly MadeCells[]>((...args) =>
      context.write(...args),
    )
    return {
      read: used((...args) => context.read(...args)),
      query: used((...args) => context.query(...args)),
      run: used((...args) => context.run(...args)),
      returning: used((...args) => context.returning(...args)),
      execute: used((...args) => context.execute(...args)),
      buffer: (mutations) => {
        this.refuseEnded()
        context.buffer(mutations)
      },
      async write(writes, options) {
        // Buffered rows are not sent as a statement.
        if (!options?.buffered) return write(writes, options)
        refuseEnded()
        return context.write(writes, options)
      },
    }
  }
}

function notAwaited(calls: readonly OpenCall[], cause: unknown): IsothermError {
  // A call may be a part of another that has the same name.
  const names = [...new Set(calls.map(({ name }) => name()))]
  const rest = names.length - MAX_NAMED_CALLS
  const named = names.slice(0, MAX_NAMED_CALLS)
  const all = [...named, ...(rest > 0 ? [`${rest} more`] : [])].join(', ')
  return new IsothermError(
    'CALL_NOT_AWAITED',
    `${all} ${names.length === 1 ? 'was' : 'were'} not awaited: the function of the transaction returned before that, so the transaction was rolled back.`,
    {
      fix: 'Await each call before the work ends: await tx.insert(…), or await Promise.all([…]).',
      ...(cause !== undefined && { cause }),
    },
  )
}
