import {
  circuitBreaker,
  CircuitState,
  ConsecutiveBreaker,
  handleWhen,
  isBrokenCircuitError,
  type CircuitBreakerPolicy,
} from 'cockatiel'
import { withRetries, type CallLimits } from '../../database/retries.js'
import type { TableLayout } from '../../dialects/layout.js'
import { IsothermError } from '../../errors.js'
import { placeKey, placeText, type Place, type PlaceKey } from './place.js'

/** How often in a row a shard may fail, retries not counted, before it is no longer asked. */
const FAILURES = 3
/** Milliseconds until it is asked again. */
const REST = 5_000

/** A deadline that passes sooner, in milliseconds, says more of who set it than of the shard. */
const PATIENCE = 1_000

/** How many places that failed are remembered: as many as there can be shards. */
const REMEMBERED = 10_000

/** Whether an error is the shard's, or the way to it, rather than the query's. */
export function isShardFailure(error: unknown): error is IsothermError {
  return error instanceof IsothermError && (error.transient || error.code === 'DEADLINE')
}

/** Takes an error past a circuit that has nothing to learn from it: who asked did not wait for the answer. */
class Unanswered {
  readonly error: unknown

  constructor(error: unknown) {
    this.error = error
  }
}

interface Circuit {
  readonly policy: CircuitBreakerPolicy
  /** When it began to fail; undefined while it does not. */
  since: Date | undefined
}

/**
 * The shards of one table as this process finds them. One that keeps failing is left alone for a while: its readers hear of
 * it at once, and the database is spared their retries.
 */
export class ShardHealth {
  readonly #table: string
  readonly #circuits = new Map<PlaceKey, Circuit>()

  constructor(table: string) {
    this.#table = table
  }

  /** @throws {IsothermError} `UNAVAILABLE` without a call where the shard has been failing. */
  async call<T>(place: Place, call: (attempt: number) => Promise<T>, limits: CallLimits): Promise<T> {
    const circuit = this.#circuits.get(placeKey(place))
    // Who comes while another one tries would have to wait for an answer that may take longer than its own deadline.
    if (circuit?.policy.state === CircuitState.HalfOpen) throw this.#unavailable(place, circuit)
    const begunAt = performance.now()
    try {
      if (!circuit) return await withRetries(call, limits)
      const result = await circuit.policy.execute(() =>
        withRetries(call, limits).catch((error: unknown) => {
          throw isUnanswered(error, begunAt, limits) ? new Unanswered(error) : error
        }),
      )
      circuit.since = undefined
      return result
    } catch (error) {
      if (isBrokenCircuitError(error)) throw this.#unavailable(place, circuit!)
      if (error instanceof Unanswered) throw error.error
      if (isShardFailure(error) && !isUnanswered(error, begunAt, limits))
        await this.#failed(place, circuit, error)
      throw error
    }
  }

  /** When a shard began to fail. */
  since(place: Place): Date | undefined {
    return this.#circuits.get(placeKey(place))?.since
  }

  /** A shard has a circuit from its first failure on: nobody pays for those that never fail. */
  async #failed(place: Place, asked: Circuit | undefined, error: IsothermError): Promise<void> {
    if (asked) {
      asked.since ??= new Date()
      return
    }
    const key = placeKey(place)
    const known = this.#circuits.get(key)
    if (known) {
      // Another one has failed meanwhile.
      await known.policy.execute(() => Promise.reject(error)).catch(() => {})
      return
    }
    const policy: CircuitBreakerPolicy = circuitBreaker(
      // One that was tried and not waited for has not shown that it answers again.
      handleWhen((failure: unknown) =>
        failure instanceof Unanswered ? policy.state === CircuitState.HalfOpen : isShardFailure(failure),
      ),
      { halfOpenAfter: REST, breaker: new ConsecutiveBreaker(FAILURES) },
    )
    if (this.#circuits.size >= REMEMBERED) this.#circuits.delete(this.#circuits.keys().next().value)
    this.#circuits.set(key, { policy, since: new Date() })
    await policy.execute(() => Promise.reject(error)).catch(() => {})
  }

  #unavailable(place: Place, { since = new Date() }: Circuit): IsothermError {
    const what = placeText(this.#table, place)
    return new IsothermError('UNAVAILABLE', `${what} has been failing since ${since.toISOString()}.`, {
      fix:
        `It is asked again every ${REST / 1000} seconds` +
        (place.shard === undefined ? '.' : "; to read the others meanwhile, use onShardError('partial')."),
      table: this.#table,
      transient: true,
    })
  }
}

/** Whether a call ended because nobody wanted to wait for it, or not for long. */
function isUnanswered(error: unknown, begunAt: number, { signal }: CallLimits): boolean {
  if (signal.aborted) return true
  const isLate = error instanceof IsothermError && error.code === 'DEADLINE'
  return isLate && performance.now() - begunAt < PATIENCE
}

const healthByLayout = new WeakMap<TableLayout, ShardHealth>()

/** What this process knows of the shards of a table of one database. */
export function healthOf(layout: TableLayout): ShardHealth {
  let health = healthByLayout.get(layout)
  if (!health) {
    health = new ShardHealth(layout.table.name)
    healthByLayout.set(layout, health)
  }
  return health
}
