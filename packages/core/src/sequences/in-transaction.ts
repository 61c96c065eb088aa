import { IsothermError } from '../errors.js'
import { SCOPE, type Scoped, type TransactionScope } from '../database/transaction-scope.js'
import type { TransactionCounter } from '../model/bindings.js'
import { createRow } from './create.js'
import { Numbering, refuseOtherCount } from './numbering.js'
import { driverAt, tableIn, type SequenceOptions, type SequencePlace } from './place.js'
import { exhausted, takenAround, withoutTransactions } from './refusals.js'
import { sequenceRow, type SequenceRow } from './sequence-row.js'

/**
 * Numbers in order and without gaps: they are taken in the transaction that uses them, and given to somebody else if that is
 * rolled back. Transactions that take them come one after the other, so that such a sequence is as fast as one of them.
 *
 * @example
 * const invoices = inTransaction('invoice')
 * await db.transaction(async (tx) => {
 *   const number = await invoices.next(tx)
 *   await tx.insert(Invoice, [{ number, total }])
 * })
 */
export function inTransaction(name: string, options: SequenceOptions = {}): InTransactionSequence {
  return new InTransactionSequence(name, options)
}

export class InTransactionSequence implements TransactionCounter {
  readonly name: string
  readonly #table: string
  readonly #numbering: Numbering

  /** @internal */
  constructor(name: string, options: SequenceOptions) {
    this.name = name
    this.#table = tableIn(options)
    this.#numbering = new Numbering(name, options)
  }

  get bitReversed(): boolean {
    return this.#numbering.bitReversed
  }

  /**
   * The next number. Ask for it early in the transaction: those who come later wait until this one has ended.
   *
   * @param tx of `db.transaction`; a transaction that is aborted and runs again gets the same number again, unless another
   * process was quicker
   * @throws {IsothermError} `SEQUENCE_MISSING`, `SEQUENCE_EXHAUSTED`, `SEQUENCE_MOVED_BACK`; `SEQUENCE_WOULD_WAIT` in a
   * transaction within another that has taken the sequence; `INVALID_VALUE` once the transaction's work has ended.
   */
  async next(tx: Scoped): Promise<bigint> {
    const [number] = await this.take(tx, 1)
    return number!
  }

  /** So many numbers, in order: one read and one write, however many and however often it is called in the transaction. */
  async take(tx: Scoped, count: number): Promise<bigint[]> {
    refuseOtherCount(this.name, count)
    const scope = scopeOf(tx, this.name)
    if (count === 0) return []
    const row = await rowIn(scope, sequenceRow(scope.life.driver, this.#table, this.name))
    return row.take(this.#numbering, count)
  }

  /** @internal for models */
  takeIn(transaction: object, count: number): Promise<bigint[]> {
    return this.take(transaction as Scoped, count)
  }

  /**
   * Makes the sequence, beginning at `start`, where there is none; whether it did.
   *
   * @throws {IsothermError} `UNSUPPORTED` on an engine without transactions.
   */
  async create(place: SequencePlace): Promise<boolean> {
    const driver = driverAt(place)
    if (!driver.transaction) throw withoutTransactions(this.name, driver.name)
    return createRow(driver, sequenceRow(driver, this.#table, this.name), this.#numbering.start)
  }
}

/** A sequence's row within one attempt of a transaction. */
class RowInTransaction {
  readonly #scope: TransactionScope
  readonly #row: SequenceRow
  #next: bigint
  readonly #found: bigint

  private constructor(scope: TransactionScope, row: SequenceRow, next: bigint) {
    this.#scope = scope
    this.#row = row
    this.#next = next
    this.#found = next
  }

  static async open(scope: TransactionScope, row: SequenceRow): Promise<RowInTransaction> {
    const { life, context } = scope
    const { turnstile } = row
    if (turnstile.holder !== life && life.outer && turnstile.waitsFor(life.outer)) throw takenAround(row.name)
    await turnstile.enter(life)
    refuseOver(scope, row.name)
    const own = new RowInTransaction(scope, row, await row.next(context, life))
    refuseOver(scope, row.name)
    scope.beforeCommit(() => {
      if (own.#next !== own.#found) context.buffer([row.write('update', own.#next)])
    })
    life.onEnd((isCommitted) => {
      if (isCommitted) row.committed(own.#next)
    })
    return own
  }

  take(numbering: Numbering, count: number): bigint[] {
    // What is to be written is settled once the work is done: a number that is taken later would be somebody else's, too.
    refuseOver(this.#scope, this.#row.name)
    const first = this.#next
    if (numbering.countFrom(first, count) < count) throw exhausted(this.#row.name, numbering.maximum)
    this.#next = numbering.after(first, count)
    return Array.from({ length: count }, (_, place) => numbering.numberAt(first, place))
  }
}

const opened = new WeakMap<TransactionScope, Map<SequenceRow, Promise<RowInTransaction>>>()

function rowIn(scope: TransactionScope, row: SequenceRow): Promise<RowInTransaction> {
  let rows = opened.get(scope)
  if (!rows) opened.set(scope, (rows = new Map()))
  let own = rows.get(row)
  if (!own) {
    own = RowInTransaction.open(scope, row)
    rows.set(row, own)
    // Whoever asks again after a failure is read for again.
    own.catch(() => rows.delete(row))
  }
  return own
}

/** @throws {IsothermError} `INVALID_VALUE` for a transaction whose work has ended. */
function refuseOver({ isOpen }: TransactionScope, name: string): void {
  if (isOpen) return
  throw new IsothermError(
    'INVALID_VALUE',
    `The sequence ${JSON.stringify(name)} is counted in a transaction, and the one that it was given is over, or runs again.`,
    { fix: 'Await each number before the work of the transaction ends.' },
  )
}

/** A program without a compiler may give anything. */
function scopeOf(tx: Partial<Scoped> | undefined, name: string): TransactionScope {
  const scope = tx?.[SCOPE]
  if (scope) return scope
  throw new IsothermError(
    'INVALID_VALUE',
    `The sequence ${JSON.stringify(name)} is counted in a transaction, and was given none.`,
    { fix: `Call it in db.transaction(async (tx) => …), with tx.` },
  )
}
