import {
  type Driver,
  IsothermError,
  Limits,
  type OptionKinds,
  type TransactionContext,
  numberFrom,
  wholeNumber,
  withRetries,
} from '@isotherm/core/engine'
import { transactionsOf } from '@isotherm/core/tools'
import { LISTENED } from '../options.js'

/** How far a step has come. */
export interface ReshardProgress {
  readonly action: 'COPY' | 'VERIFY'
  readonly from: string
  readonly to: string
  /** Rows of this table so far, those of earlier runs included. */
  readonly rows: number
  /** Parts of this table that are done, and how many there are. */
  readonly done: number
  readonly parts: number
}

export interface ReshardRunOptions {
  /** Rows in each transaction, as far as a commit holds them. Default: 200; 50 where transactions run one by one. */
  readonly batch?: number
  /** Shards that are copied side by side. Default: 8, as far as the engine runs calls side by side. */
  readonly concurrency?: number
  /**
   * How long to wait until all processes follow a new phase, in milliseconds. Use less than the default only in tests, and
   * for an application that does not run. Default: 91,000.
   */
  readonly propagationWaitMs?: number
  readonly onProgress?: (progress: ReshardProgress) => void
  readonly signal?: AbortSignal
}

export const RUN_OPTIONS: OptionKinds<ReshardRunOptions> = {
  ...LISTENED,
  batch: wholeNumber(1),
  concurrency: wholeNumber(1),
  propagationWaitMs: numberFrom(0, 'a number of milliseconds'),
}

/** @throws {IsothermError} `CANCELLED`, or the error with which the caller aborted. */
export function refuseStopped(signal: AbortSignal | undefined): void {
  if (!signal?.aborted) return
  if (signal.reason instanceof IsothermError) throw signal.reason
  throw new IsothermError('CANCELLED', 'The reshard was stopped by its signal.', {
    fix: 'Run the step again: it continues where it stopped.',
    cause: signal.reason,
  })
}

/**
 * A transaction that may run again whatever its outcome: it is repeated after an unknown outcome and after a temporary
 * error.
 */
export async function transactAgain<T>(
  driver: Driver,
  signal: AbortSignal | undefined,
  work: (context: TransactionContext) => Promise<T>,
): Promise<T> {
  const limits = new Limits({ ...(signal && { signal }) })
  return withRetries(async () => {
    refuseStopped(signal)
    try {
      return (await transactionsOf(driver).run(work, limits.options)).value
    } catch (error) {
      if (!(error instanceof IsothermError) || error.code !== 'OUTCOME_UNKNOWN') throw error
      throw new IsothermError('UNAVAILABLE', error.message, { retryable: true, cause: error })
    }
  }, limits)
}
