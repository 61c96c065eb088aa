import { IsothermError } from '@isotherm/core'
import { googlesql } from '@isotherm/spanner'
import type {
  CallOptions,
  Capability,
  Cells,
  Driver,
  Mutation,
  TransactionContext,
} from '../../../src/engine/driver.js'
import { SERVICE_COSTS } from '../../../../spanner/src/driver/reachability.js'
import { type LockOwner, Locks } from './locks.js'

/** What happens to a call. */
export type Fate = 'well' | 'aborted' | 'unavailable'
/** What happens to a commit: the answer to a lost one never arrives, whether it took place or not. */
export type CommitFate = 'well' | 'aborted' | 'lost' | 'lost-and-written'

/** What happens to calls, one after the other. */
export interface Weather {
  /** Milliseconds that the next call takes. */
  latency(): number
  call(): Fate
  commit(): CommitFate
}

export const fair: Weather = { latency: () => 2, call: () => 'well', commit: () => 'well' }

interface Open extends LockOwner {
  readonly of: Process
  readonly buffered: Mutation[]
}

const NEVER = new Promise<never>(() => {})

/** Rows of a few tables, each `[key, value]`, and transactions over them: locks, aborts, lost answers and dead processes. */
export class MemoryDatabase {
  readonly rows = new Map<string, string>()
  /** What was committed, in order. */
  readonly log: (readonly Mutation[])[] = []
  readonly locks = new Locks()
  readonly open = new Set<Open>()
  weather: Weather
  /** As in the emulator: of two open transactions, one is aborted. */
  readonly isSingle: boolean
  #ages = 0

  constructor({ weather = fair, isSingle = false }: { weather?: Weather; isSingle?: boolean } = {}) {
    this.weather = weather
    this.isSingle = isSingle
  }

  /** The number at which a sequence stands. */
  at(name: string, table = 'sequences'): bigint | undefined {
    const value = this.rows.get(rowName(table, name))
    return value === undefined ? undefined : BigInt(value)
  }

  set(name: string, next: bigint, table = 'sequences'): void {
    this.rows.set(rowName(table, name), String(next))
  }

  nextAge(): number {
    return ++this.#ages
  }

  apply(mutations: readonly Mutation[]): void {
    for (const mutation of mutations) {
      if (mutation.op === 'delete') throw new Error('Nothing is deleted here.')
      for (const [key, value] of mutation.rows) {
        const name = rowName(mutation.table, String(key))
        if (mutation.op === 'insert' && this.rows.has(name)) throw new Error(`${name} is there.`)
        if (mutation.op === 'update' && !this.rows.has(name)) throw new Error(`${name} is not there.`)
        this.rows.set(name, String(value))
      }
    }
    this.log.push(mutations)
  }

  process(): Process {
    return new Process(this)
  }
}

/** A program that uses the database, and may be killed. */
export class Process {
  readonly database: MemoryDatabase
  readonly driver: Driver
  /** Transactions at work by the row that they read first, and the most there have been at once. */
  readonly max = new Map<string, number>()
  readonly #reading = new Map<string, number>()
  #isDead = false

  constructor(database: MemoryDatabase) {
    this.database = database
    const refuse = (): never => {
      throw new Error('This driver has transactions only.')
    }
    const lacks: Capability[] = database.isSingle ? ['concurrent-transactions'] : []
    this.driver = {
      name: 'memory',
      system: 'memory',
      dialect: googlesql,
      client: this,
      costs: SERVICE_COSTS,
      lacks,
      takes: [],
      read: refuse,
      query: refuse,
      run: refuse,
      snapshot: refuse,
      writes: { commit: refuse, maxRows: refuse },
      applyDdl: refuse,
      readDdl: refuse,
      atomic: { kind: 'transactions', run: (work, options) => this.#transaction(work, options) },
    }
  }

  /** Its calls are never answered any more, and what it had open is aborted; commits under way may yet take place. */
  kill(): void {
    this.#isDead = true
    for (const open of this.database.open) if (open.of === this && !open.isCommitting) this.#end(open)
  }

  async #transaction<T>(
    work: (context: TransactionContext) => Promise<T>,
    { timeoutMs = 120_000, signal }: CallOptions = {},
  ): Promise<{ value: T; commitTimestamp: Date }> {
    const state = { isOver: false, isCommitting: false }
    let timer: NodeJS.Timeout | undefined
    const listening = new AbortController()
    const interrupted = new Promise<never>((_, reject) => {
      const end = (code: 'TIMEOUT' | 'CANCELLED') => () => {
        const lost = state.isCommitting ? 'OUTCOME_UNKNOWN' : code
        reject(new IsothermError(lost, `Given up: ${code}.`, { retryable: code === 'TIMEOUT' }))
      }
      timer = setTimeout(end('TIMEOUT'), timeoutMs)
      if (signal?.aborted) end('CANCELLED')()
      signal?.addEventListener('abort', end('CANCELLED'), { signal: listening.signal })
    })
    try {
      return await Promise.race([this.#attempts(work, state), interrupted])
    } finally {
      clearTimeout(timer)
      listening.abort()
      state.isOver = true
    }
  }

  async #attempts<T>(
    work: (context: TransactionContext) => Promise<T>,
    state: { isOver: boolean; isCommitting: boolean },
  ): Promise<{ value: T; commitTimestamp: Date }> {
    const age = this.database.nextAge()
    for (let attempt = 1; ; attempt++) {
      const open: Open = { age, isAborted: false, isCommitting: false, of: this, buffered: [] }
      try {
        const value = await work(this.#context(open))
        if (state.isOver) throw new IsothermError('CANCELLED', 'It was given up before its commit.')
        state.isCommitting = true
        await this.#commit(open)
        return { value, commitTimestamp: new Date() }
      } catch (error) {
        const isAborted = error instanceof IsothermError && error.code === 'ABORTED'
        this.#end(open)
        if (!isAborted || state.isOver) throw error
        state.isCommitting = false
        await this.#pause(Math.min(5 * attempt, 50))
      }
    }
  }

  #context(open: Open): TransactionContext {
    const refuse = (): never => {
      throw new Error('This driver reads rows by key.')
    }
    return {
      read: async ({ layout, keys }) => this.#read(open, layout.table.name, String(keys![0]![0]), false),
      // The only statement here is that of a row to be changed.
      query: async ({ parameters }) => this.#read(open, 'sequences', String(parameters[0]!.value), true),
      run: refuse,
      returning: refuse,
      execute: refuse,
      write: refuse,
      buffer: (mutations) => void open.buffered.push(...mutations),
    }
  }

  async #read(open: Open, table: string, key: string, alone: boolean): Promise<Cells[]> {
    const row = rowName(table, key)
    this.#reading.set(row, (this.#reading.get(row) ?? 0) + 1)
    this.max.set(row, Math.max(this.max.get(row) ?? 0, this.#reading.get(row)!))
    try {
      const { database } = this
      await this.#pause(database.weather.latency())
      const fate = database.weather.call()
      if (fate === 'unavailable')
        throw new IsothermError('UNAVAILABLE', 'The database does not answer.', { retryable: true })
      if (fate === 'aborted') database.locks.abort(open)
      this.#begin(open)
      const has = await this.#alive(database.locks.acquire(open, row, alone))
      if (!has) throw aborted()
      const value = database.rows.get(row)
      await this.#pause(database.weather.latency())
      return value === undefined ? [] : [[key, BigInt(value)]]
    } finally {
      this.#reading.set(row, this.#reading.get(row)! - 1)
    }
  }

  #begin(open: Open): void {
    const { database } = this
    if (open.isAborted) throw aborted()
    if (database.isSingle && [...database.open].some((each) => each !== open)) throw aborted()
    database.open.add(open)
  }

  async #commit(open: Open): Promise<void> {
    const { database } = this
    await this.#pause(database.weather.latency())
    const fate = database.weather.commit()
    if (fate === 'aborted') database.locks.abort(open)
    this.#begin(open)
    const rows = open.buffered.flatMap((mutation) =>
      mutation.op === 'delete' ? [] : mutation.rows.map(([key]) => rowName(mutation.table, String(key))),
    )
    for (const row of rows.toSorted()) {
      if (!(await this.#alive(database.locks.acquire(open, row, true)))) throw aborted()
    }
    if (open.isAborted) throw aborted()
    open.isCommitting = true
    await new Promise((resolve) => setTimeout(resolve, database.weather.latency()))
    if (fate !== 'lost') database.apply(open.buffered)
    this.#end(open)
    if (fate !== 'well') throw new IsothermError('OUTCOME_UNKNOWN', 'The answer to the commit was lost.')
    await this.#pause(database.weather.latency())
  }

  #end(open: Open): void {
    this.database.open.delete(open)
    this.database.locks.abort(open)
  }

  /** The answer to a call, unless the process was killed meanwhile. */
  async #alive<T>(call: Promise<T>): Promise<T> {
    const answer = await call
    return this.#isDead ? NEVER : answer
  }

  #pause(milliseconds: number): Promise<void> {
    return this.#alive(new Promise((resolve) => setTimeout(resolve, milliseconds)))
  }
}

function rowName(table: string, key: string): string {
  return `${table}/${key}`
}

function aborted(): IsothermError {
  return new IsothermError('ABORTED', 'It was aborted.', { retryable: true })
}
