import { itemAt } from '../known.js'
import { VERSION, shared } from '../copies.js'
import { IsothermError } from '../errors.js'
import { SCOPE, type Scoped, type TransactionScope } from '../transaction/scope.js'
import { decided } from '../engine/undecided.js'
import type { TransactionCounter } from '../model/bindings.js'
import { createRow } from './row-source.js'
import { Numbering, refuseOtherCount } from './numbering.js'
import {
  checkSequence,
  driverAt,
  SEQUENCE_OPTIONS,
  tableIn,
  type SequenceOptions,
  type SequenceTarget,
} from './sequence-target.js'
import { exhausted, takenAround, withoutTransactions } from './refusals.js'
import { sequenceRow, type SequenceRow } from './sequence-row.js'

/**
 * Numbers in order and without gaps: they are taken in the transaction that uses them, and handed out again if that is
 * rolled back. Transactions that take numbers run one after the other, so the throughput of such a sequence is that of one
 * transaction at a time.
 *
 * @example
 * const invoices = inTransaction('invoice')
 * await db.transaction(async (tx) => {
 *   const number = await invoices.next(tx)
 *   await tx.insert(Invoice, [{ number, total }])
 * })
 */
export function inTransaction(name: string, options: SequenceOptions = {}): InTransactionSequence {
  checkSequence('inTransaction', SEQUENCE_OPTIONS, { name, options })
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
   * transaction within another that has taken the sequence; `TRANSACTION_ENDED` once the transaction's work has ended;
   * `READ_OF_BUFFERED_TABLE` where the transaction has buffered rows of the table of sequences.
   */
  next(tx: Scoped): Promise<bigint> {
    return this.#inCall(tx, async (scope) => itemAt(await this.#take(scope, 1), 0))
  }

  /**
   * Takes several numbers, in order: one read and one write, however many and however often it is called in the
   * transaction.
   */
  take(tx: Scoped, count: number): Promise<bigint[]> {
    return this.#inCall(tx, (scope) => this.#take(scope, count))
  }

  /** @internal for models: a part of the call that needs the numbers */
  async takeIn(transaction: object, count: number): Promise<bigint[]> {
    return this.#take(scopeOf(transaction, this.name), count)
  }

  #inCall<T>(tx: Scoped, work: (scope: TransactionScope) => Promise<T>): Promise<T> {
    let scope: TransactionScope
    try {
      scope = scopeOf(tx, this.name)
    } catch (error) {
      return Promise.reject(error)
    }
    return scope.call(
      () => `a number of the sequence ${JSON.stringify(this.name)}`,
      () => work(scope),
    )
  }

  async #take(scope: TransactionScope, count: number): Promise<bigint[]> {
    refuseOtherCount(this.name, count)
    if (count === 0) return []
    const row = await rowIn(scope, sequenceRow(scope.life.driver, this.#table, this.name))
    return row.take(this.#numbering, count)
  }

  /**
   * Makes the sequence, beginning at `start`, if it does not exist. Returns whether it did.
   *
   * @throws {IsothermError} `UNSUPPORTED_FEATURE` on an engine without transactions.
   */
  async create(target: SequenceTarget): Promise<boolean> {
    const driver = await decided(driverAt(target))
    if (driver.atomic.kind !== 'transactions') throw withoutTransactions(this.name, driver.name)
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
    scope.refuseBufferedRows(row.table)
    const { lock } = row
    if (lock.holder !== life && life.outer && lock.waitsFor(life.outer)) throw takenAround(row.name)
    await lock.enter(life)
    scope.refuseEnded()
    const own = new RowInTransaction(scope, row, await row.next(context, life))
    scope.refuseEnded()
    scope.beforeCommit((commit) => {
      if (own.#next !== own.#found) commit.buffer([row.write('update', own.#next)])
    })
    life.onEnd((isCommitted) => {
      if (isCommitted) row.committed(own.#next)
    })
    return own
  }

  take(numbering: Numbering, count: number): bigint[] {
    // The written number is fixed once the work is done: a number that is taken later would be returned a second time.
    this.#scope.refuseEnded()
    const first = this.#next
    if (numbering.countFrom(first, count) < count) throw exhausted(this.#row.name, numbering.maximum)
    this.#next = numbering.after(first, count)
    this.#scope.noteBuffered(this.#row.table, 'numbers')
    return Array.from({ length: count }, (_, position) => numbering.numberAt(first, position))
  }
}

const opened = shared(
  `openedSequences.${VERSION}`,
  () => new WeakMap<TransactionScope, Map<SequenceRow, Promise<RowInTransaction>>>(),
)

function rowIn(scope: TransactionScope, row: SequenceRow): Promise<RowInTransaction> {
  let rows = opened.get(scope)
  if (!rows) opened.set(scope, (rows = new Map()))
  let own = rows.get(row)
  if (!own) {
    own = RowInTransaction.open(scope, row)
    rows.set(row, own)
    // After a failure, the next call reads the row again.
    own.catch(() => rows.delete(row))
  }
  return own
}

/** A program without a compiler may give anything. */
function scopeOf(tx: Partial<Scoped> | undefined, name: string): TransactionScope {
  const scope = tx?.[SCOPE]
  if (scope) return scope
  throw new IsothermError(
    'INVALID_VALUE',
    `The sequence ${JSON.stringify(name)} is counted in a transaction, but was called without one.`,
    { fix: `Call it in db.transaction(async (tx) => …), with tx.` },
  )
}
