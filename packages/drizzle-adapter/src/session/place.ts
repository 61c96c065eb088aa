import { IsothermError, type CallOptions, type ReadOptions, type TransactionalDriver } from '@isotherm/core'
import type {
  Reader,
  ResultSet,
  Snapshot,
  Statement,
  TransactionContext,
  TransactionScope,
} from '@isotherm/core/adapter'
import type { Cache } from 'drizzle-orm/cache/core'
import type { QueryOptions } from './options.js'
import { invalidate } from './query-cache.js'

/** Where statements run: on the database, each by itself; or in one transaction or snapshot. */
export interface Place {
  read(statement: Statement, options: QueryOptions): Promise<ResultSet>
  /** Several reads as of one moment. */
  readTogether<T>(work: ReadWork<T>, options: QueryOptions): Promise<T>
  /** Writes in a transaction: in one of its own, which may run again from the start, or in the one that this is. */
  write<T>(work: WriteWork<T>, options: QueryOptions): Promise<T>
  /** Has been called once what was written is as good as committed. */
  wrote(tables: readonly string[]): Promise<void>
  /** @throws {IsothermError} `INVALID_QUERY` once it has ended. */
  refuseEnded(): void
  /** Where a fan-out reads. @throws {IsothermError} `UNSUPPORTED` where it cannot. */
  fanOut(options: QueryOptions): FanOutPlace
}

/** Where a fan-out reads, and what each of its calls is given. */
export interface FanOutPlace {
  readonly driver: TransactionalDriver
  /** Absent: each fan-out is of a moment of its own. */
  readonly snapshot?: Snapshot
  readonly options: QueryOptions
}

/** @param call what each of its calls is given */
type ReadWork<T> = (reader: Reader, call: ReadOptions) => Promise<T>
type WriteWork<T> = (context: TransactionContext, call: CallOptions) => Promise<T>

/** A write has no moment to read as of, and no choice of replicas. */
export function withoutReadOptions(options: QueryOptions): CallOptions {
  const { at: _, directedReads: __, ...call } = options
  return call
}

export class DatabasePlace implements Place {
  readonly driver: TransactionalDriver
  readonly #cache: Cache | undefined

  constructor(driver: TransactionalDriver, cache: Cache | undefined) {
    this.driver = driver
    this.#cache = cache
  }

  read(statement: Statement, options: QueryOptions): Promise<ResultSet> {
    return this.driver.run(statement, options)
  }

  async readTogether<T>(work: ReadWork<T>, options: QueryOptions): Promise<T> {
    const snapshot = await this.driver.snapshot(options)
    try {
      return await work(snapshot, options)
    } finally {
      snapshot.close()
    }
  }

  async write<T>(work: WriteWork<T>, options: QueryOptions): Promise<T> {
    const call = withoutReadOptions(options)
    const { value } = await this.driver.transaction((context) => work(context, call), call)
    return value
  }

  wrote(tables: readonly string[]): Promise<void> {
    return invalidate(this.#cache, tables)
  }

  refuseEnded(): void {}

  fanOut(options: QueryOptions): FanOutPlace {
    return { driver: this.driver, options }
  }
}

/** What transactions and snapshots have in common: options of their own, and an end. */
abstract class PlaceWithin {
  readonly #name: string
  readonly #options: CallOptions
  #hasEnded = false

  constructor(name: string, options: CallOptions) {
    this.#name = name
    this.#options = options
  }

  end(): void {
    this.#hasEnded = true
  }

  refuseEnded(): void {
    if (!this.#hasEnded) return
    throw new IsothermError('INVALID_QUERY', `The ${this.#name} has ended already.`, {
      fix: 'Await every statement inside the function that it was given to.',
    })
  }

  protected callOptions(options: QueryOptions): CallOptions {
    if (options.at === undefined && options.directedReads === undefined) {
      return { ...this.#options, ...options }
    }
    throw new IsothermError('INVALID_QUERY', `A ${this.#name} has one moment for all that it reads.`, {
      fix: 'Give at and directedReads to db.transaction, with an accessMode of `read only`; or use db.$withOptions outside.',
    })
  }
}

/** The tag is the transaction's, not that of each call. */
function withoutTag(options: CallOptions): CallOptions {
  const { tag: _, ...others } = options
  return others
}

/** A read-write transaction, in one of its attempts. */
export class TransactionPlace extends PlaceWithin implements Place {
  readonly tables = new Set<string>()
  readonly scope: TransactionScope

  constructor(scope: TransactionScope, options: CallOptions) {
    super('transaction', withoutTag(options))
    this.scope = scope
  }

  get context(): TransactionContext {
    return this.scope.context
  }

  read(statement: Statement, options: QueryOptions): Promise<ResultSet> {
    return this.context.run(statement, this.callOptions(options))
  }

  readTogether<T>(work: ReadWork<T>, options: QueryOptions): Promise<T> {
    return work(this.context, this.callOptions(options))
  }

  write<T>(work: WriteWork<T>, options: QueryOptions): Promise<T> {
    return work(this.context, this.callOptions(options))
  }

  fanOut(): never {
    throw new IsothermError('UNSUPPORTED', 'A fan-out cannot be part of a read-write transaction.', {
      fix: 'It would lock what it reads in every shard. Run it on db, or in a transaction of accessMode `read only`; in this one, await the select itself.',
    })
  }

  /** Nobody else sees it before the commit. */
  async wrote(tables: readonly string[]): Promise<void> {
    for (const table of tables) this.tables.add(table)
  }
}

export class SnapshotPlace extends PlaceWithin implements Place {
  readonly #driver: TransactionalDriver
  readonly #snapshot: Snapshot

  constructor(driver: TransactionalDriver, snapshot: Snapshot, options: CallOptions) {
    super('read-only transaction', options)
    this.#driver = driver
    this.#snapshot = snapshot
  }

  read(statement: Statement, options: QueryOptions): Promise<ResultSet> {
    return this.#snapshot.run(statement, this.callOptions(options))
  }

  readTogether<T>(work: ReadWork<T>, options: QueryOptions): Promise<T> {
    return work(this.#snapshot, this.callOptions(options))
  }

  fanOut(options: QueryOptions): FanOutPlace {
    return { driver: this.#driver, snapshot: this.#snapshot, options: this.callOptions(options) }
  }

  write(): Promise<never> {
    throw new IsothermError('UNSUPPORTED', 'A read-only transaction cannot write.', {
      fix: 'Leave accessMode out to have one that reads and writes.',
    })
  }

  async wrote(): Promise<void> {}
}
