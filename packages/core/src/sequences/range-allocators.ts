import type { Numbering } from './numbering.js'
import type { SequenceRow } from './sequence-row.js'
import { type ConditionalWrites, type Driver } from '../engine/driver.js'
import { IsothermError } from '../errors.js'
import { pause } from '../engine/retries.js'
import { exhausted, missingTable } from './refusals.js'
import { transact } from '../transaction/scope.js'

/** A reserved range, handed out to this process only: `size` numbers, from `first` on. */
interface ReservedRange {
  readonly first: bigint
  readonly size: number
}

/** How an allocator takes numbers off the row of a sequence: in a transaction, or by a conditional write. */
interface RangeAllocator {
  /**
   * Reserves up to `wanted` numbers for this process.
   *
   * @param signal aborted when the numbers are no longer wanted; when the promise settles, no request is under way any more
   * @throws {IsothermError} `SEQUENCE_MISSING`, `SEQUENCE_EXHAUSTED`, `SEQUENCE_MOVED_BACK`.
   */
  take(row: SequenceRow, numbering: Numbering, wanted: number, signal: AbortSignal): Promise<ReservedRange>
  /** Makes a sequence's row if it does not exist. Returns whether it did. An existing row stays as it is. */
  create(row: SequenceRow, start: bigint): Promise<boolean>
}

/** Milliseconds that a process waits at most after its first conflicts; doubled each time, up to the second figure. */
const FIRST_PAUSE = 5
const LONGEST_PAUSE = 200

/**
 * Writes a row on the condition that it still holds what this process last saw. After a conflict, the database returns what
 * the row holds now, and the process tries with that number: at once the first time, since the number is current only for a
 * moment, and after every second conflict with a random pause, so that processes which collide spread out.
 */
class ConditionalAllocator implements RangeAllocator {
  readonly #writes: ConditionalWrites

  constructor(writes: ConditionalWrites) {
    this.#writes = writes
  }

  async take(
    row: SequenceRow,
    numbering: Numbering,
    wanted: number,
    signal: AbortSignal,
  ): Promise<ReservedRange> {
    let known = row.lastSeen
    for (let crossed = 0; ; crossed++) {
      signal.throwIfAborted()
      // The remembered number may be wrong: if it leaves no numbers, read the row first.
      const remembered = known !== undefined && numbering.countFrom(known, wanted) > 0 ? known : undefined
      const first = remembered ?? (await this.#read(row))
      const size = numbering.countFrom(first, wanted)
      if (size === 0) throw exhausted(row.name, numbering.maximum)
      signal.throwIfAborted()
      const found = await this.#exchange(row, first, numbering.after(first, size))
      if (found === undefined) return { first, size }
      known = found
      if (crossed % 2 === 1) await pause(jitter((crossed - 1) / 2), signal)
    }
  }

  async create(row: SequenceRow, start: bigint): Promise<boolean> {
    const { applied } = await saidOf(
      row,
      this.#writes.writeIf({ mutation: row.write('insert', start), condition: null }, [row.counter]),
    )
    return applied
  }

  /** A serial read: it also completes a write that another process has left half done. */
  async #read(row: SequenceRow): Promise<bigint> {
    const [cells] = await saidOf(row, this.#writes.read(row.request()))
    return row.checked(cells && row.decode(cells))
  }

  /** Undefined if the row now holds `next`; otherwise the number that it holds. */
  async #exchange(row: SequenceRow, expected: bigint, next: bigint): Promise<bigint | undefined> {
    const write = { mutation: row.write('update', next), condition: row.holding(expected) }
    try {
      const { applied, found } = await saidOf(row, this.#writes.writeIf(write, [row.counter]))
      if (applied) return undefined
      return row.checked((found?.[0] as bigint | null | undefined) ?? undefined)
    } catch (error) {
      // Only a serial read tells whether it happened.
      if (error instanceof IsothermError && error.code === 'OUTCOME_UNKNOWN') row.forget()
      throw error
    }
  }
}

/** An engine reports a missing table by an error code of its own. */
async function saidOf<T>(row: SequenceRow, call: Promise<T>): Promise<T> {
  try {
    return await call
  } catch (error) {
    throw error instanceof IsothermError && error.code === 'NOT_FOUND'
      ? missingTable(row.table, error)
      : error
  }
}

function jitter(time: number): number {
  return Math.random() * Math.min(FIRST_PAUSE * 2 ** time, LONGEST_PAUSE)
}

/** Reads a row and writes it in one transaction, which is not the caller's. */
class TransactionalAllocator implements RangeAllocator {
  readonly #driver: Driver

  constructor(driver: Driver) {
    this.#driver = driver
  }

  async take(
    row: SequenceRow,
    numbering: Numbering,
    wanted: number,
    signal: AbortSignal,
  ): Promise<ReservedRange> {
    // A transaction that has begun is not left behind: otherwise closing the client would find it at work.
    const { value } = await transact(this.#driver, async ({ context, life }) => {
      signal.throwIfAborted()
      const first = await row.next(context, life)
      signal.throwIfAborted()
      const size = numbering.countFrom(first, wanted)
      if (size === 0) throw exhausted(row.name, numbering.maximum)
      context.buffer([row.write('update', numbering.after(first, size))])
      return { first, size }
    })
    return value
  }

  async create(row: SequenceRow, start: bigint): Promise<boolean> {
    const { value } = await transact(this.#driver, async ({ context, life }) => {
      if ((await row.find(context, life)) !== undefined) return false
      context.buffer([row.write('insert', start)])
      return true
    })
    return value
  }
}

/** The way of an engine to take numbers off a row. */
export function allocatorOf(driver: Driver): RangeAllocator {
  const { atomic } = driver
  return atomic.kind === 'transactions'
    ? new TransactionalAllocator(driver)
    : new ConditionalAllocator(atomic)
}
