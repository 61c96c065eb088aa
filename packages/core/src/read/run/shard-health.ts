import { type CallLimits, withRetries } from '../../engine/retries.js'
import type { TableLayout } from '../../layout/layout.js'
import { IsothermError } from '../../errors.js'

/** The target of a call: one shard, one time bucket of it, or, without either, all of a table. */
export interface ReadTarget {
  readonly shard?: number | undefined
  readonly bucket?: string | undefined
}

/** The whole table. */
export const WHOLE_TABLE: ReadTarget = {}

export type ReadTargetKey = number | string | undefined

/** The same for the same partition. */
export function targetKey({ shard, bucket }: ReadTarget): ReadTargetKey {
  return bucket === undefined ? shard : `${bucket}/${shard ?? ''}`
}

/** As the subject of a sentence. */
function targetText(table: string, { shard, bucket }: ReadTarget): string {
  const where = shard === undefined ? table : `Shard ${shard} of ${table}`
  return bucket === undefined ? where : `${where}, in the bucket ${bucket},`
}

/** How often in a row a shard may fail, retries not counted, before it is no longer asked. */
const FAILURES = 3
/** Milliseconds until it is asked again. */
const REST = 5_000

/** A timeout that passes sooner, in milliseconds, says more of who set it than of the shard. */
const PATIENCE = 1_000

/** How many partitions that failed are remembered: as many as there can be shards. */
const REMEMBERED = 10_000

/** Whether an error is the shard's, or the way to it, rather than the query's. */
export function isShardFailure(error: unknown): error is IsothermError {
  return error instanceof IsothermError && (error.retryable || error.code === 'TIMEOUT')
}

/** A shard that has failed. */
class Circuit {
  /** When it began to fail; undefined while it does not. */
  since: Date | undefined
  /** Failures since its last answer. */
  #failures = 0
  /** When it may be asked again, by `performance.now()`; undefined while the shard is healthy. */
  #opensAt: number | undefined
  /** Whether a call asks it after its rest. */
  #isTried = false

  /** Whether it is left alone: it rests, or another call asks whether it answers again. */
  get isLeftAlone(): boolean {
    return this.#opensAt !== undefined && (this.#isTried || performance.now() < this.#opensAt)
  }

  /** Begins a call. @returns whether it is the trial call after the pause */
  begin(): boolean {
    if (this.#opensAt === undefined) return false
    this.#isTried = true
    return true
  }

  /** A call was answered, be it by an error that is the query's. */
  answered(isTrial: boolean): void {
    // A call from before the pause gives no information about the shard's current state.
    if (this.#opensAt !== undefined && !isTrial) return
    this.since = undefined
    this.#failures = 0
    this.#opensAt = undefined
    this.#isTried = false
  }

  failed(): void {
    this.since ??= new Date()
    this.#failures++
    if (this.#failures === FAILURES) this.rest()
  }

  /** Leaves it alone from now on. */
  rest(): void {
    this.#opensAt = performance.now() + REST
    this.#isTried = false
  }
}

/**
 * The health of the shards of one table, as this process sees it. A shard that keeps failing is not asked for a while:
 * queries that need it fail at once, and the database is spared their retries.
 */
export class ShardHealth {
  readonly #table: string
  readonly #circuits = new Map<ReadTargetKey, Circuit>()

  constructor(table: string) {
    this.#table = table
  }

  /** @throws {IsothermError} `UNAVAILABLE` without a call where the shard has been failing. */
  async call<T>(target: ReadTarget, call: (attempt: number) => Promise<T>, limits: CallLimits): Promise<T> {
    const circuit = this.#circuits.get(targetKey(target))
    // Who comes while another one tries would have to wait for an answer that may take longer than its own timeout.
    if (circuit?.isLeftAlone) throw this.#unavailable(target, circuit)
    const isTrial = circuit?.begin() ?? false
    const begunAt = performance.now()
    try {
      const result = await withRetries(call, limits)
      circuit?.answered(isTrial)
      return result
    } catch (error) {
      const isFailure = isShardFailure(error)
      const isSeen = !isUnanswered(error, target, begunAt, limits)
      if (isTrial) {
        // A trial call that was not awaited has not shown that the shard answers again.
        if (isSeen && !isFailure) circuit!.answered(isTrial)
        else circuit!.rest()
      } else if (isSeen && isFailure) this.#circuitOf(target).failed()
      throw error
    }
  }

  /** When a shard began to fail. */
  since(target: ReadTarget): Date | undefined {
    return this.#circuits.get(targetKey(target))?.since
  }

  /** A shard has a circuit breaker from its first failure on: shards that never fail cost nothing. */
  #circuitOf(target: ReadTarget): Circuit {
    const key = targetKey(target)
    let circuit = this.#circuits.get(key)
    if (!circuit) {
      if (this.#circuits.size >= REMEMBERED) this.#circuits.delete(this.#circuits.keys().next().value)
      this.#circuits.set(key, (circuit = new Circuit()))
    }
    return circuit
  }

  #unavailable(target: ReadTarget, { since = new Date() }: Circuit): IsothermError {
    const what = targetText(this.#table, target)
    return new IsothermError('UNAVAILABLE', `${what} has been failing since ${since.toISOString()}.`, {
      fix:
        `A later read tries it again, at most every ${REST / 1000} seconds` +
        (target.shard === undefined ? '.' : "; to read the others meanwhile, use onShardError('partial')."),
      table: this.#table,
      retryable: true,
    })
  }
}

/** Whether a call ended because the caller gave up waiting, or allowed only a short time. */
function isUnanswered(
  error: unknown,
  { shard }: ReadTarget,
  begunAt: number,
  { signal }: CallLimits,
): boolean {
  if (signal.aborted) return true
  if (!(error instanceof IsothermError) || error.code !== 'TIMEOUT') return false
  // Over all shards, one statement takes long and the next one does not: that says nothing of the database.
  return shard === undefined || performance.now() - begunAt < PATIENCE
}

const healthByLayout = new WeakMap<TableLayout, ShardHealth>()

/** The state of the shards of a table of one database, as far as this process knows it. */
export function healthOf(layout: TableLayout): ShardHealth {
  let health = healthByLayout.get(layout)
  if (!health) {
    health = new ShardHealth(layout.table.name)
    healthByLayout.set(layout, health)
  }
  return health
}
