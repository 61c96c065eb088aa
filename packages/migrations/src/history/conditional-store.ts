import { defineSchema, defineTable } from '@isotherm/core'
import {
  type CallOptions,
  type Cells,
  type ConditionalWrites,
  type Driver,
  type Field,
  IsothermError,
  type KeyRange,
  Limits,
  type Mutation,
  type TableLayout,
  type Wire,
  withRetries,
  itemAt,
  known,
} from '@isotherm/core/engine'
import { type Dialect, type PlainRow, type RowCodec, keyWires, rowCodec } from '@isotherm/core/tools'
import { type RecordKey, historyRows } from './history.js'
import { leaseClock } from './lease-clock.js'
import {
  type LeaseHolder,
  type LeaseOptions,
  LeaseTerm,
  RUNNER,
  leaseDuration,
  takeOrWait,
} from './lease-options.js'
import { AT_COMMIT, HISTORY_TABLE, type MigrationRecord, type Stamped } from './tables.js'
import { randomUUID } from 'node:crypto'
import type { DmlToRun, HeldLease, HistoryChange, MigrationStore } from './store.js'
import { type MigrationDriver, Backoff, pause } from '../options.js'

/** The partition in which everything lies: one history for a keyspace. */
const SCOPE = 'migrations'

/** How often a write is made whose answer is lost. */
const ATTEMPTS = 5

/**
 * The history of an engine that has conditional writes in place of transactions. It is one partition, and its lease is in
 * static columns, beside all of its rows: a write of any row can have the condition that the lease is held.
 */
const table = defineTable(
  HISTORY_TABLE,
  (t) => ({
    scope: t.string().key(),
    migration: t.string().key(),
    statement: t.int64({ as: 'number' }).key(),
    holder: t.uuid({ nullable: true, static: true }),
    description: t.string({ name: 'holder_description', nullable: true, static: true }),
    since: t.timestamp({ name: 'holder_since', nullable: true, static: true }),
    until: t.timestamp({ name: 'holder_until', nullable: true, static: true }),
    hash: t.string({ nullable: true }),
    kind: t.string({ nullable: true }),
    state: t.string({ nullable: true }),
    operation: t.string({ nullable: true }),
    attempt: t.int64({ as: 'number', nullable: true }),
    rows: t.int64({ name: 'row_count', as: 'number', nullable: true }),
    error: t.string({ nullable: true }),
    started: t.timestamp({ nullable: true }),
    finished: t.timestamp({ nullable: true }),
    runner: t.string({ nullable: true }),
  }),
  // The lease ends by itself, and nothing else of the table does.
  { partitionKey: ['scope'], writesExpire: true },
)

const LEASE = ['holder', 'description', 'since', 'until'] as const

const schema = defineSchema([table])

/** Who holds the lease, by the id of its holder. */
interface Holder extends LeaseHolder {
  readonly holder: string
}

/** Fields of the table, by their names; fields that are left out keep their values. */
type Values = Partial<MigrationRecord> & { readonly [Field in keyof Holder]?: Holder[Field] | null }

/** The one partition, with serial reads and writes. */
class ConditionalTable {
  readonly #writes: ConditionalWrites
  readonly #layout: TableLayout
  readonly #fields: ReadonlyMap<string, Field>
  readonly #lease: RowCodec
  readonly #records: RowCodec

  constructor(driver: Driver, writes: ConditionalWrites) {
    this.#writes = writes
    this.#layout = driver.dialect.layout(itemAt(schema.tables, 0), schema)
    this.#fields = new Map(this.#layout.fields.map((field) => [field.column.property, field]))
    const isLease = new Set<string>(LEASE)
    this.#lease = rowCodec(LEASE.map((property) => known(this.#fields, property)))
    this.#records = rowCodec(
      this.#layout.fields.filter(
        ({ column: { property } }) => property !== 'scope' && !isLease.has(property),
      ),
    )
  }

  /** The statement that makes it. */
  ddl(dialect: Dialect): string {
    const [create] = dialect.ddl(schema, [this.#layout])
    return create!
  }

  /** Undefined where no migrator holds the lease. */
  async holder(call: CallOptions = {}): Promise<Holder | undefined> {
    const [cells] = await this.#read(this.#lease, call, 1)
    if (!cells) return undefined
    const { holder, ...rest } = this.#lease.decode(cells)
    return holder === null ? undefined : ({ holder, ...rest } as Holder)
  }

  async records(call: CallOptions = {}): Promise<readonly MigrationRecord[]> {
    const rows = (await this.#read(this.#records, call)).map((cells) => this.#records.decode(cells))
    // A partition without rows reads as one row, with only the static columns.
    return rows.filter(isRecord)
  }

  /** Writes fields of one row, or with no key those of the lease. */
  write(key: RecordKey | undefined, values: Values): Mutation {
    const row: PlainRow = { scope: SCOPE, ...key, ...values }
    const fields = this.#layout.fields.filter(({ column }) => row[column.property] !== undefined)
    return {
      op: 'update',
      table: HISTORY_TABLE,
      layout: this.#layout,
      columns: fields.map(({ column }) => column.name),
      rows: [fields.map((field) => wireOf(field, row[field.column.property]))],
    }
  }

  delete(key: RecordKey): Mutation {
    const wires = keyWires(this.#layout, { scope: SCOPE, ...key })
    return { op: 'delete', table: HISTORY_TABLE, layout: this.#layout, keys: [wires] }
  }

  /**
   * Makes a change if the lease is held by `holder`; with null, if the lease is free. A change whose answer is lost is made
   * again, which does no harm: if the first one took effect, the second finds its own holder there.
   *
   * @returns undefined once the change is made; otherwise the id of the current holder, null where the lease is free
   */
  async exchange(
    mutation: Mutation,
    holder: string | null,
    options: CallOptions & { readonly ttlSeconds?: number } = {},
  ): Promise<{ readonly holder: string | null } | undefined> {
    const field = known(this.#fields, 'holder')
    const condition = { [field.physical[0].name]: wireOf(field, holder) }
    const { ttlSeconds, ...call } = options
    for (let attempt = 1; ; attempt++) {
      try {
        const limits = new Limits(call)
        const { applied, found } = await withRetries(
          () =>
            this.#writes.writeIf({ mutation, condition }, field.physical, {
              ...limits.options,
              ...(ttlSeconds !== undefined && { ttlSeconds }),
            }),
          limits,
        )
        return applied ? undefined : { holder: (found?.[0] as string | null | undefined) ?? null }
      } catch (error) {
        const isLost = error instanceof IsothermError && error.code === 'OUTCOME_UNKNOWN'
        if (!isLost || attempt === ATTEMPTS || call.signal?.aborted) throw error
      }
    }
  }

  async #read({ columns }: RowCodec, call: CallOptions, limit?: number): Promise<Cells[]> {
    const limits = new Limits(call)
    const scope = [wireOf(known(this.#fields, 'scope'), SCOPE)]
    const range: KeyRange = { start: scope, startOpen: false, end: scope, endOpen: false }
    const request = {
      layout: this.#layout,
      columns,
      ranges: [range],
      ...(limit !== undefined && { limit }),
    }
    return withRetries(() => this.#writes.read(request, limits.options), limits)
  }
}

function isRecord(row: PlainRow): row is PlainRow & MigrationRecord {
  return typeof row['migration'] === 'string'
}

function wireOf(field: Field, value: unknown): Wire {
  return value === null ? null : field.physical[0].encode(field.accept(value))
}

/**
 * The lease of a keyspace, which ensures that one migrator runs at a time: cells with a time to live, so that it expires by
 * the servers' clocks unless it is renewed. Every write of a migrator has the condition that the lease still stands, so a
 * migrator that lost the lease without knowing it, for example while its machine was asleep, writes nothing.
 *
 * The times in messages are those of the holder's clock; no decision depends on them.
 */
export class ConditionalLease implements HeldLease {
  readonly #table: ConditionalTable
  readonly #holder = randomUUID()
  readonly #term: LeaseTerm
  readonly #since = new Date()
  #turn: Promise<unknown> = Promise.resolve()

  private constructor(table: ConditionalTable, duration: number) {
    this.#table = table
    this.#term = new LeaseTerm(duration, (timeoutMs) => this.#renew({ timeoutMs }))
  }

  /**
   * Takes the lease, or waits for it.
   *
   * @throws {IsothermError} `MIGRATION_LOCKED` naming who holds it, and until when.
   */
  static async acquire(table: ConditionalTable, options: LeaseOptions = {}): Promise<ConditionalLease> {
    const lease = new ConditionalLease(table, leaseDuration(options))
    await takeOrWait(
      options,
      () => lease.#take(),
      () => table.holder(),
    )
    return lease
  }

  get signal(): AbortSignal {
    return this.#term.signal
  }

  async ensureHeld(): Promise<void> {
    if (this.#term.mayBeOver) await this.#renew({})
  }

  /**
   * Makes a change of one row while this migrator holds the lease.
   *
   * @throws {IsothermError} `MIGRATION_LOCKED` once another migrator has the lease, or it has expired.
   */
  write(mutation: Mutation, options: CallOptions & { readonly ttlSeconds?: number } = {}): Promise<void> {
    // One after the other: conditional writes of one partition that meet make each other begin again.
    const turn = this.#turn.then(async () => {
      const found = await this.#table.exchange(mutation, this.#holder, options)
      if (found) throw this.#term.lose(await this.#table.holder())
    })
    this.#turn = turn.catch(() => {})
    return turn
  }

  async release(): Promise<void> {
    if (!(await this.#term.end())) return
    await this.#turn
    const free = { holder: null, description: null, since: null, until: null }
    // If this fails, the lease expires by itself, and the work that was done is not affected.
    await this.#table.exchange(this.#table.write(undefined, free), this.#holder).catch(() => {})
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release()
  }

  async #take(): Promise<LeaseHolder | undefined> {
    const began = leaseClock.now()
    const found = await this.#table.exchange(this.#cells(), null, { ttlSeconds: this.#ttl })
    if (!found) this.#term.extended(began)
    // The answer to a first try may have been lost.
    else if (found.holder === this.#holder) await this.#renew({})
    // The previous holder may have released it since.
    else return (await this.#table.holder()) ?? this.#take()
    return undefined
  }

  async #renew(call: CallOptions): Promise<void> {
    // The servers count from when they receive it, or later.
    const began = leaseClock.now()
    await this.write(this.#cells(), { ...call, ttlSeconds: this.#ttl })
    this.#term.extended(began)
  }

  /** All cells: each has a time to live of its own. */
  #cells(): Mutation {
    return this.#table.write(undefined, {
      holder: this.#holder,
      description: RUNNER,
      since: this.#since,
      until: new Date(leaseClock.wall() + this.#term.duration),
    })
  }

  /** In seconds, and one more: a server counts whole seconds of its clock, and the first of them may be nearly over. */
  get #ttl(): number {
    return Math.ceil(this.#term.duration / 1_000) + 1
  }
}

/** How long a table that another is making may take to be there, in milliseconds. */
const PATIENCE = 60_000

/**
 * One table of one partition. Each row is written on the condition that this migrator holds the lease. Times are those of
 * the migrator's clock: the engine cannot write its own.
 */
export class ConditionalStore implements MigrationStore {
  readonly runsDmlOnce = false
  readonly #driver: MigrationDriver
  readonly #table: ConditionalTable

  /** @throws {IsothermError} `INVALID_OPTION` for a history of another name: the lease and the history are one table. */
  constructor(driver: MigrationDriver, writes: ConditionalWrites, table: string) {
    if (table !== HISTORY_TABLE) {
      throw new IsothermError(
        'INVALID_OPTION',
        `The table of the migration history is ${HISTORY_TABLE} on ${driver.name}; it cannot be ${table}.`,
        { fix: 'Leave the name out, and give each history a keyspace of its own.' },
      )
    }
    this.#driver = driver
    this.#table = new ConditionalTable(driver, writes)
  }

  async ensure(dialect: Dialect, call: CallOptions): Promise<void> {
    if (await this.#isThere(call)) return
    try {
      await this.#driver.applyDdl([this.#table.ddl(dialect)], call)
    } catch (error) {
      if (!(error instanceof IsothermError && error.code === 'ALREADY_EXISTS')) throw error
      await this.#appeared(error, call)
    }
  }

  acquire(options?: LeaseOptions): Promise<ConditionalLease> {
    return ConditionalLease.acquire(this.#table, options)
  }

  holder(call?: CallOptions): Promise<LeaseHolder | undefined> {
    return this.#table.holder(call)
  }

  async read(call?: CallOptions): Promise<readonly MigrationRecord[]> {
    try {
      return await this.#table.records(call)
    } catch (error) {
      if (isMissing(error)) return []
      throw error
    }
  }

  async write(lease: ConditionalLease, changes: readonly HistoryChange[]): Promise<void> {
    const now = new Date()
    for (const mutation of changes.flatMap((change) => this.#mutations(change, now)))
      await lease.write(mutation)
  }

  /** At least once: nothing says of a row that a statement has been there. */
  async runDml(lease: ConditionalLease, { sql, signal, done }: DmlToRun): Promise<undefined> {
    const limits = new Limits({ signal })
    await withRetries(async () => {
      // A statement that a sleeping process sends late could undo what others have done since.
      await lease.ensureHeld()
      await this.#driver.run({ text: sql, parameters: [] }, limits.options)
    }, limits)
    await this.write(lease, done(undefined))
  }

  /** The record of the migration as a whole is written last, so that it is true wherever a crash interrupts the writes. */
  #mutations(change: HistoryChange, now: Date): Mutation[] {
    const rows = historyRows(change)
    if (rows.op === 'delete') return rows.keys.map((key) => this.#table.delete(key))
    const wholeLast = change.to === 'recorded' ? rows.rows.toSorted(byWhole) : rows.rows
    return wholeLast.map(({ migration, statement, ...values }) =>
      this.#table.write({ migration: String(migration), statement: Number(statement) }, stamped(values, now)),
    )
  }

  async #isThere(call: CallOptions): Promise<boolean> {
    try {
      await this.#table.holder(call)
      return true
    } catch (error) {
      if (isMissing(error)) return false
      throw error
    }
  }

  /** Waits for the table that another migrator is making; throws the database's error if it never appears. */
  async #appeared(alreadyExists: IsothermError, call: CallOptions): Promise<void> {
    const backoff = new Backoff(50, 1_000)
    const endsAt = performance.now() + PATIENCE
    while (!(await this.#isThere(call))) {
      if (performance.now() > endsAt) throw alreadyExists
      await pause(backoff.next(), call.signal)
    }
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof IsothermError && error.code === 'NOT_FOUND'
}

function byWhole(one: Stamped<MigrationRecord>, other: Stamped<MigrationRecord>): number {
  return Number(one.statement === 0) - Number(other.statement === 0)
}

function stamped(values: Stamped<MigrationRecord>, now: Date): Values {
  return Object.fromEntries(
    Object.entries(values).map(([field, value]) => [field, value === AT_COMMIT ? now : value]),
  ) as Values
}
