import { SCOPE, transact, type TransactionScope } from '@isotherm/core/adapter'
import { IsothermError } from '@isotherm/core'
import {
  asynchronous,
  asynchronousBatch,
  batch,
  inTransaction,
  type TableSequence,
} from '@isotherm/core/sequences'
import type { Process, MemoryDatabase } from './memory-database.js'

export const ORDERED = ['a', 'b', 'c'] as const
export type Ordered = (typeof ORDERED)[number]
export const POOLED = ['s3', 's4', 's5', 'fixed'] as const
export type Pooled = (typeof POOLED)[number]

/** The most numbers that a fetch takes, beside what callers wait for. */
export const LARGEST = 40

export type Step =
  | { readonly do: 'take'; readonly from: Ordered; readonly count: number }
  | { readonly do: 'take-at-once'; readonly from: readonly Ordered[] }
  | { readonly do: 'take-pooled'; readonly from: Pooled; readonly count: number }
  | { readonly do: 'pause'; readonly for: number }

export interface Transaction {
  readonly steps: readonly Step[]
  readonly rollsBack: boolean
  /** Goes on as if nothing were wrong where a number is refused. */
  readonly swallows: boolean
}

/** One call of a pooled generator, in the order of events. */
export interface PooledCall {
  readonly from: Pooled
  readonly begun: number
  readonly ended: number
  readonly numbers: readonly bigint[]
}

/** A rollback that the application has asked for. */
export class RolledBack extends Error {}

/** A process as long as it runs, and its generators. */
export class World {
  readonly process: Process
  readonly ordered = new Map(ORDERED.map((name) => [name, inTransaction(name)]))
  readonly pooled: ReadonlyMap<Pooled, TableSequence>
  readonly closed = new Set<Pooled>()

  constructor(database: MemoryDatabase) {
    this.process = database.process()
    const { driver } = this.process
    this.pooled = new Map<Pooled, TableSequence>([
      ['s3', asynchronous(driver, 's3')],
      ['s4', batch(driver, 's4', { size: 7 })],
      ['s5', asynchronousBatch(driver, 's5', { ranges: { min: 4, max: LARGEST } })],
      ['fixed', asynchronousBatch(driver, 'fixed', { ranges: { size: 10, lowWater: 4 } })],
    ])
  }
}

export class History {
  readonly calls: PooledCall[] = []
  readonly refusals: IsothermError[] = []
  #events = 0
  readonly #requested = new Map<Pooled, number>()
  readonly #waiting = new Map<TableSequence, number>()

  event(): number {
    return this.#events++
  }

  /** How many numbers callers have asked for. */
  requested(from: Pooled): number {
    return this.#requested.get(from) ?? 0
  }

  /** Takes numbers of a pooled generator. @throws what it is refused with */
  async take(world: World, from: Pooled, count: number): Promise<bigint[]> {
    const generator = world.pooled.get(from)!
    this.#requested.set(from, this.requested(from) + count)
    const begun = this.event()
    const { left } = generator.statistics
    const others = this.#waiting.get(generator) ?? 0
    this.#waiting.set(generator, others + 1)
    try {
      const numbers = count === 1 ? [await generator.next()] : await generator.take(count)
      this.calls.push({ from, begun, ended: this.event(), numbers })
      return numbers
    } catch (error) {
      // A fetch that fails must not reject a caller that could be served.
      const isServed = left >= count && others === 0 && !world.closed.has(from)
      if (isServed)
        throw new Error(`${from} had ${left} numbers left, and refused ${count}.`, { cause: error })
      throw error
    } finally {
      this.#waiting.set(generator, this.#waiting.get(generator)! - 1)
    }
  }

  /** Runs a transaction, which stores its numbers in its commit. */
  async transaction(world: World, id: string, transaction: Transaction): Promise<void> {
    await transact(world.process.driver, async (scope) => {
      const taken = new Map<Ordered, bigint[]>()
      for (const step of transaction.steps) {
        try {
          await this.#step(world, scope, step, taken)
        } catch (error) {
          if (!transaction.swallows) throw error
        }
      }
      if (transaction.rollsBack) throw new RolledBack()
      const numbers = [...taken].map(([name, of]) => [name, of.map(String)])
      scope.context.buffer([
        { op: 'insert', table: 'used', columns: ['id', 'numbers'], rows: [[id, JSON.stringify(numbers)]] },
      ])
    })
  }

  async #step(
    world: World,
    scope: TransactionScope,
    step: Step,
    taken: Map<Ordered, bigint[]>,
  ): Promise<void> {
    const keep = (name: Ordered, numbers: readonly bigint[]): void => {
      taken.set(name, [...(taken.get(name) ?? []), ...numbers])
    }
    const tx = { [SCOPE]: scope }
    switch (step.do) {
      case 'take':
        keep(step.from, await world.ordered.get(step.from)!.take(tx, step.count))
        return
      case 'take-at-once':
        for (const outcome of await Promise.allSettled(
          step.from.map(async (name) => keep(name, [await world.ordered.get(name)!.next(tx)])),
        )) {
          if (outcome.status === 'rejected') throw outcome.reason
        }
        return
      case 'take-pooled':
        await this.take(world, step.from, step.count)
        return
      case 'pause':
        await new Promise((resolve) => setTimeout(resolve, step.for))
    }
  }
}

/** The numbers of a sequence in the order in which the transactions were committed that wrote them. */
export function committedNumbers(database: MemoryDatabase, name: Ordered): bigint[] {
  return database.log.flatMap((mutations) =>
    mutations.flatMap((mutation) => {
      if (mutation.op === 'delete' || mutation.table !== 'used') return []
      const numbers = JSON.parse(String(mutation.rows[0]![1])) as [Ordered, string[]][]
      return numbers.flatMap(([of, texts]) => (of === name ? texts.map(BigInt) : []))
    }),
  )
}
