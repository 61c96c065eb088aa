import { setTimeout as delay } from 'node:timers/promises'
import { IsothermError, present } from '@isotherm/core/engine'
import { snapshotsOf } from '@isotherm/core/tools'
import type { CompiledTable, PlainRow } from '@isotherm/core/tools'
import { insertMutations } from '@isotherm/core/tools'
import type { Driver, Mutation, Reader, ReadRequest } from '@isotherm/core/engine'
import { phaseNamed, ReshardControl, reshardControlTables, type ReshardPhase } from '@isotherm/core/tools'
import type { TablePair } from './command.js'
import { refuseStopped, transactAgain } from './run-options.js'
import { rangeAfter } from './scan.js'

/**
 * How long a phase has to last before every process follows it, in milliseconds: three of the longest refreshes, a write
 * that began just before and is sent again and again (30 s, the driver's timeout), its commit, which has another such
 * timeout of its own, and a second.
 */
export const PROPAGATION_WAIT_MS = 91_000

/** The database's record of a change of a key. */
export interface ControlRow {
  readonly table: string
  readonly into: string
  readonly phase: ReshardPhase
  readonly changedAt: Date
  readonly emptiedAt: Date | null
  readonly copiedAt: Date | null
  readonly verifiedAt: Date | null
}

/** How long to wait for all processes, in milliseconds. */
export interface Propagation {
  readonly propagationWaitMs: number
  readonly signal: AbortSignal | undefined
}

/** The row that says in which phase a change is. */
export class Control {
  readonly #driver: Driver
  readonly #table: CompiledTable
  readonly #pair: TablePair

  constructor(driver: Driver, pair: TablePair) {
    this.#driver = driver
    this.#table = reshardControlTables(driver.dialect).of(ReshardControl)
    this.#pair = pair
  }

  async read(reader: Reader = this.#driver): Promise<ControlRow | undefined> {
    const { from, to } = this.#pair
    const [row] = await this.#read(reader, { keys: [[from, to]] })
    return row
  }

  /** Of all changes of this table that there were. */
  #all(reader: Reader): Promise<readonly ControlRow[]> {
    return this.#read(reader, { ranges: [rangeAfter({ number: 0n, prefix: [this.#pair.from] }, undefined)] })
  }

  async #read(reader: Reader, which: Pick<ReadRequest, 'keys' | 'ranges'>): Promise<readonly ControlRow[]> {
    const { layout, codec } = this.#table
    const rows = await reader.read({ layout, columns: codec.columns, ...which })
    return rows.map((cells): ControlRow => {
      const row = codec.decode(cells)
      checkRow(row)
      return row
    })
  }

  /** Inside a transaction: the row, where this change is in that phase. @throws {IsothermError} `RESHARD_REFUSED` */
  async require(reader: Reader, phase: ReshardPhase): Promise<ControlRow> {
    const row = await this.read(reader)
    if (row?.phase === phase) return row
    throw this.refusal(row, `has to be ${phase}`)
  }

  mutation(row: Omit<ControlRow, 'changedAt'> & { readonly changedAt?: Date }): Mutation[] {
    return insertMutations(this.#table, this.#table.insertPlan.prepare([row]), 'upsert')
  }

  /**
   * Brings the change into a phase, unless it is in it, and waits until every process follows it.
   *
   * @param from the phases before this one
   * @param check throws if the change must not be made yet
   */
  async enter(
    phase: ReshardPhase,
    from: readonly ReshardPhase[],
    { propagationWaitMs, signal }: Propagation,
    check: (row: ControlRow) => void = () => {},
  ): Promise<void> {
    const { from: table, to: into } = this.#pair
    await transactAgain(this.#driver, signal, async (context) => {
      const rows = await this.#all(context)
      const row = rows.find((each) => each.into === into)
      const current = row?.phase ?? 'off'
      if (current === phase && row) return
      this.#refuseOther(rows)
      if (!from.includes(current)) throw this.refusal(row, `has to be ${from.join(' or ')}`)
      if (row) check(row)
      const isAnew = current === 'off' || phase === 'off'
      context.buffer(
        this.mutation({
          table,
          into,
          phase,
          emptiedAt: isAnew ? null : (row?.emptiedAt ?? null),
          copiedAt: isAnew ? null : (row?.copiedAt ?? null),
          // A change that went back to `writing` has to be verified again before it goes on.
          verifiedAt: isAnew || phase === 'writing' ? null : (row?.verifiedAt ?? null),
        }),
      )
    })
    await this.propagated(phase, propagationWaitMs, signal)
  }

  /**
   * Called before the new table is made. Where a change between tables of the same names is over, and its new table has got
   * the old name since, the row says `off` again, so that processes which still follow the old change learn of it first.
   *
   * @param isThere whether the new table is there
   */
  async prepare(propagation: Propagation, isThere: () => Promise<boolean>): Promise<void> {
    const rows = await this.#all(this.#driver)
    this.#refuseOther(rows)
    const row = rows.find(({ into }) => into === this.#pair.to)
    if (!row) return
    // The application would go back to the old table, which has not been written since.
    if (row.phase === 'done' && (await isThere())) throw this.refusal(row, `${this.#pair.to} is in use`)
    await this.enter('off', ['done'], propagation)
  }

  /** Two changes of one table at a time would each miss the writes for the other. */
  #refuseOther(rows: readonly ControlRow[]): void {
    const { to } = this.#pair
    const other = rows.find(({ into, phase }) => into !== to && phase !== 'off' && phase !== 'done')
    if (!other) return
    const { from } = this.#pair
    throw new IsothermError(
      'RESHARD_REFUSED',
      `${from} cannot be resharded into ${to}: its reshard into ${other.into} is in the phase ${other.phase}.`,
      { fix: 'Finish that reshard, or undo it.', table: from },
    )
  }

  /** The time of the database's clock. */
  async now(): Promise<Date> {
    const snapshot = await snapshotsOf(this.#driver)()
    snapshot.close()
    return present(snapshot.readTimestamp, 'read timestamp')
  }

  /** Waits until every process follows the phase, by the database's clock. */
  async propagated(phase: ReshardPhase, waitMs: number, signal: AbortSignal | undefined): Promise<void> {
    for (;;) {
      const snapshot = await snapshotsOf(this.#driver)()
      let left: number
      try {
        const row = await this.require(snapshot, phase)
        left = row.changedAt.getTime() + waitMs - present(snapshot.readTimestamp, 'read timestamp').getTime()
      } finally {
        snapshot.close()
      }
      if (left <= 0) return
      refuseStopped(signal)
      await delay(Math.min(left, 1_000) + 1, undefined, signal && { signal }).catch(() => {})
      refuseStopped(signal)
    }
  }

  refusal(row: ControlRow | undefined, what: string, fix = 'Run its steps in their order.'): IsothermError {
    const { from, to } = this.#pair
    const now = row ? `is ${row.phase}` : 'has not begun'
    return new IsothermError('RESHARD_REFUSED', `The reshard of ${from} to ${to} ${now}, and ${what}.`, {
      fix,
      table: from,
    })
  }
}

/** @throws {IsothermError} for a phase that this version does not know */
function checkRow(row: PlainRow): asserts row is PlainRow & ControlRow {
  phaseNamed(String(row['phase']), String(row['table']))
}
