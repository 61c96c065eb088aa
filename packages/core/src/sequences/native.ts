import { itemAt } from '../known.js'
import type { Driver } from '../engine/driver.js'
import { decided } from '../engine/undecided.js'
import { sqlOf } from '../engine/dialect.js'
import { IsothermError } from '../errors.js'
import type { OptionKinds } from '../options.js'
import { RANGES, type Ranges, prefetchPolicyOf } from './table-sequence.js'
import { type SequenceTarget, checkSequence, driverAt } from './sequence-target.js'
import { RangeSequence, type Range, type RangeSource } from './reserved-numbers.js'
import { withoutSequences, wouldWait } from './refusals.js'
import { orAgain } from './row-source.js'
import { lockOf, wouldWaitForCaller } from './sequence-row.js'

export interface NativeOptions {
  /** Default: `adaptive`, up to 1,000 numbers at a time. */
  readonly ranges?: Ranges
}

const NATIVE_OPTIONS: OptionKinds<NativeOptions> = { ranges: RANGES }

const BOUNDS = { min: 20, max: 1_000 }

/**
 * Numbers of a sequence of the database, many at a time and kept in memory. They have their bits reversed, so that they
 * are keys; the next ones are fetched in the background.
 *
 * Source: https://cloud.google.com/spanner/docs/primary-key-default-value#bit-reversed-sequence
 *
 * @example
 * const ids = native(db, 'order_ids')
 * const id = await ids.next()
 */
export function native(target: SequenceTarget, sequence: string, options: NativeOptions = {}): RangeSequence {
  checkSequence('native', NATIVE_OPTIONS, { target, name: sequence, options })
  const source = new NativeSource(() => driverAt(target), sequence)
  return new RangeSequence(source, prefetchPolicyOf(sequence, options.ranges ?? BOUNDS), true)
}

class NativeSource implements RangeSource {
  readonly name: string
  readonly #driverOf: () => Driver
  #driver: Driver | undefined

  constructor(driverOf: () => Driver, name: string) {
    this.#driverOf = driverOf
    this.name = name
  }

  async fetch(wanted: number, signal: AbortSignal): Promise<Range> {
    const driver = (this.#driver = await decided(this.#driverIs, { signal }))
    const { atomic: transactions } = driver
    if (transactions.kind !== 'transactions') throw withoutSequences(this.name, driver.name)
    const { statements } = sqlOf(driver.dialect, 'A sequence of the database')
    const statement = statements.sequenceNumbers(this.name, wanted)
    // A sequence counts in read-write transactions only, and goes on counting where they are aborted.
    const work = async (): Promise<bigint[]> => {
      const { value } = await transactions.run(async (context) => {
        signal.throwIfAborted()
        return (await context.query(statement, [{ kind: 'int64' }])).map(([cell]) => cell as bigint)
      })
      return value
    }
    const lock = lockOf(driver)
    const numbers = await (lock ? lock.run(work, signal) : work()).catch(orAgain).catch((error: unknown) => {
      throw this.#said(error)
    })
    return { size: numbers.length, numberAt: (position) => itemAt(numbers, position) }
  }

  refuseWaiting(): void {
    // While the dialect is not known, the caller cannot have a transaction on this database.
    if (this.#driverIs.undecided) return
    if (wouldWaitForCaller(this.#driverIs)) throw wouldWait(this.name)
  }

  exhausted(): IsothermError {
    return new IsothermError('SEQUENCE_EXHAUSTED', `The sequence ${this.name} has no numbers left.`)
  }

  get #driverIs(): Driver {
    return (this.#driver ??= this.#driverOf())
  }

  /** The database takes a name that it does not know for a mistake in the statement. */
  #said(error: unknown): unknown {
    if (!(error instanceof IsothermError)) return error
    if (/out of|exhausted/i.test(error.message)) {
      return new IsothermError('SEQUENCE_EXHAUSTED', `The sequence ${this.name} has no numbers left.`, {
        fix: 'Make another sequence.',
        cause: error,
      })
    }
    if (!/not found|does not exist/i.test(error.message) || !error.message.includes(this.name)) return error
    return new IsothermError('SEQUENCE_MISSING', `The database has no sequence ${this.name}.`, {
      fix: 'Declare it in the schema: defineSchema(models, { sequences: [{ name }] }).',
      cause: error,
    })
  }
}
