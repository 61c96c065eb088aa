import { shared } from '../copies.js'
import type { ValueSource } from './key.js'

// What declarations contain and a schema, being plain data, cannot hold: functions and counters. They are kept beside the
// frozen source that they belong to. A schema that was read from a file or from a database does not have them, and its
// sources say so (`from: 'client'`, `expression`, `ownFunction`), so that nothing else is computed in their place.

/** Where numbers come from that are unique: a sequence of the application's own. */
export interface Counter {
  /** The next number, which is handed out only once. */
  next(): bigint | Promise<bigint>
  /** Several numbers at once. */
  take?(count: number): Promise<readonly bigint[]>
  /** The numbers have their bits reversed as they come. Default: false. */
  readonly bitReversed?: boolean
}

/**
 * A source of numbers that belong to a transaction: if the transaction is rolled back, its numbers are handed out again.
 */
export interface TransactionCounter {
  /** Several numbers, for rows that this transaction writes. */
  takeIn(transaction: object, count: number): Promise<readonly bigint[]>
  readonly bitReversed?: boolean
}

export type AnyCounter = Counter | TransactionCounter

/** A shard from a row's values, as a custom SQL expression computes it. */
export type ShardFunction = (row: Readonly<Record<string, unknown>>) => number | bigint

export interface Binding {
  readonly counter?: AnyCounter
  readonly shard?: ShardFunction
  /** The option that says that the database computes the value: for callers that compute nothing. */
  readonly byDatabase?: 'computedBy' | 'expression'
}

const bindings = shared('bindings.1', () => new WeakMap<ValueSource, Binding>())

export function bind(source: ValueSource, binding: Binding): void {
  bindings.set(source, binding)
}

export function bindingOf(source: ValueSource): Binding {
  return bindings.get(source) ?? {}
}
