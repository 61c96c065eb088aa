import type { DialectRuntime } from '../engine/dialect.js'
import { IsothermError } from '../errors.js'
import { defineSchema } from '../model/define-schema.js'
import { defineTable } from '../model/define-table.js'
import { CompiledTables } from '../rows/compiled-table.js'
import type { Driver } from '../engine/driver.js'
import type { Limits } from '../engine/retries.js'

/**
 * How far a change of a key has come, and so where rows are read and written.
 *
 * - `off`: the old table alone.
 * - `writing`: both are written, the old one is read.
 * - `reading`: both are written, the new one is read.
 * - `done`: the new table alone.
 */
export type ReshardPhase = 'off' | 'writing' | 'reading' | 'done'

const RESHARD_PHASES: readonly ReshardPhase[] = ['off', 'writing', 'reading', 'done']

/**
 * The table in which all processes read the phase of each change. The row of a change that is over stays, so that processes
 * which still follow that change see it: a table that has got its old name back changes its key again under a row of its
 * own.
 */
export const ReshardControl = defineTable('isotherm_reshard', (t) => ({
  table: t.string({ length: 300, name: 'table_name' }).key(),
  into: t.string({ length: 300, name: 'into_table' }).key(),
  phase: t.string({ length: 20 }),
  changedAt: t.timestamp({ name: 'changed_at', default: 'commit' }),
  emptiedAt: t.timestamp({ name: 'emptied_at', nullable: true }),
  copiedAt: t.timestamp({ name: 'copied_at', nullable: true }),
  verifiedAt: t.timestamp({ name: 'verified_at', nullable: true }),
}))

/** How far the copying of each part of a table has come. */
export const ReshardCopy = defineTable('isotherm_reshard_copy', (t) => ({
  table: t.string({ length: 300, name: 'table_name' }).key(),
  copied: t.string({ length: 300, name: 'copied_table' }).key(),
  part: t.int64().key(),
  /** The key of the last row that was copied, as JSON; NULL before the first. */
  position: t.string({ name: 'last_key', nullable: true }),
  rows: t.int64({ name: 'copied_rows' }),
  isDone: t.bool({ name: 'is_done' }),
}))

export const reshardControlSchema = defineSchema([ReshardControl, ReshardCopy])

export function reshardControlTables(dialect: DialectRuntime): CompiledTables {
  return new CompiledTables(reshardControlSchema, dialect)
}

/** How often the phase is read again, in milliseconds. */
export const DEFAULT_REFRESH = 5_000
/** The maximum of `refresh`: a process that changes a phase waits this long, so that every process has seen the change. */
export const MAX_REFRESH = 10_000
/** A phase that was read more than this many refreshes ago is read again before anything is done. */
const TRUSTED_REFRESHES = 3
/** For how many milliseconds a caller that cannot wait relies on a phase that was read. */
const TRUSTED_WITHOUT_WAIT = TRUSTED_REFRESHES * MAX_REFRESH

/** A table and its replacement. */
interface PhasedPair {
  readonly from: string
  readonly to: string
}

/** The phases of some changes as this process knows them, by the old tables, read again and again. */
export class Phases {
  readonly #driver: Driver
  readonly #pairs: readonly PhasedPair[]
  readonly #refresh: number
  readonly #control: CompiledTables
  #phases: ReadonlyMap<string, ReshardPhase> | undefined
  #readAt = -Infinity
  #reading: Promise<void> | undefined
  #isWatched = false

  constructor(driver: Driver, pairs: readonly PhasedPair[], refresh: number) {
    this.#driver = driver
    this.#pairs = pairs
    this.#refresh = refresh
    this.#control = reshardControlTables(driver.dialect)
  }

  /**
   * The phases; a promise where they have to be read first.
   *
   * @param limits of the caller that waits: several callers may wait for one read
   * @throws {IsothermError} where they cannot be read; `TIMEOUT`, `CANCELLED`.
   */
  known(limits: Limits): ReadonlyMap<string, ReshardPhase> | Promise<ReadonlyMap<string, ReshardPhase>> {
    const age = performance.now() - this.#readAt
    if (!this.#phases || age > TRUSTED_REFRESHES * this.#refresh)
      return limits.within(`The phases of ${namesOf(this.#pairs)}`, async () => {
        await this.#read()
        return this.#phases!
      })
    if (age > this.#refresh) this.#read().catch(() => {})
    return this.#phases
  }

  /** The phases as they were read. @throws {IsothermError} `UNAVAILABLE` where they have not been, or too long ago. */
  get now(): ReadonlyMap<string, ReshardPhase> {
    if (this.#phases && performance.now() - this.#readAt <= TRUSTED_WITHOUT_WAIT) return this.#phases
    // So that a later call succeeds.
    this.#read().catch(() => {})
    throw new IsothermError('UNAVAILABLE', `The phases of ${namesOf(this.#pairs)} are not known yet.`, {
      fix: 'Call await db.ready() once, after openDatabase.',
      table: this.#pairs[0]!.from,
      retryable: true,
    })
  }

  #read(): Promise<void> {
    this.#reading ??= this.#readOnce().finally(() => {
      this.#reading = undefined
    })
    return this.#reading
  }

  async #readOnce(): Promise<void> {
    // The result may be as old as the call that read it.
    const began = performance.now()
    const { layout, codec } = this.#control.of(ReshardControl)
    let rows
    try {
      rows = await this.#driver.read({
        layout,
        columns: codec.columns,
        keys: this.#pairs.map(({ from, to }) => [from, to]),
      })
    } catch (cause) {
      throw unreadable(this.#pairs, cause)
    }
    const phases = new Map<string, ReshardPhase>(this.#pairs.map(({ from }) => [from, 'off']))
    for (const cells of rows) {
      const { table, phase } = codec.decode(cells)
      phases.set(table as string, phaseNamed(phase, table as string))
    }
    const past = this.#pairs.find(({ from }) => isPast(this.#phases?.get(from), phases.get(from)))
    if (past) throw begunAgain(past)
    this.#phases = phases
    this.#readAt = began
    this.#watch()
  }

  /**
   * Reads again and again in the background, for as long as the database object is in use, without keeping the process
   * alive.
   */
  #watch(): void {
    if (this.#isWatched) return
    this.#isWatched = true
    const weak = new WeakRef(this)
    const timer = setInterval(() => {
      const phases = weak.deref()
      if (phases) phases.#read().catch(() => {})
      else clearInterval(timer)
    }, this.#refresh)
    timer.unref()
  }
}

export function phaseNamed(phase: unknown, table: string): ReshardPhase {
  if (RESHARD_PHASES.includes(phase as ReshardPhase)) return phase as ReshardPhase
  throw new IsothermError('INVALID_VALUE', `${JSON.stringify(phase)} is not a phase of ${table}.`, {
    fix: `It is one of ${RESHARD_PHASES.join(', ')}: another release may have written it.`,
    table,
  })
}

function namesOf(pairs: readonly PhasedPair[]): string {
  return pairs.map(({ from }) => from).join(', ')
}

/**
 * A change does not leave `done`: if a process has seen `done` and then sees another phase, that phase belongs to another
 * change.
 */
function isPast(seen: ReshardPhase | undefined, now: ReshardPhase | undefined): boolean {
  return seen === 'done' && now !== 'done'
}

function begunAgain({ from, to }: PhasedPair): IsothermError {
  return new IsothermError(
    'RESHARD_ENDED',
    `The change of ${from} to ${to} that this process goes by is over, and another one between tables of these names has begun.`,
    { fix: 'Start the process anew, with the schema and the dualWrites of that change.', table: from },
  )
}

function unreadable(pairs: readonly PhasedPair[], cause: unknown): unknown {
  if (!(cause instanceof IsothermError) || cause.retryable) return cause
  return new IsothermError(
    cause.code,
    `The phases of ${namesOf(pairs)} cannot be read from isotherm_reshard: ${cause.message}`,
    { fix: 'Apply the migration that makes the new table first, which makes that one too.', cause },
  )
}
