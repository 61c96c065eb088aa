import { setTimeout as delay } from 'node:timers/promises'
import { IsothermError } from '../../errors.js'
import type { CompiledTable } from '../../database/compiled-table.js'
import { insertMutations } from '../../database/writes.js'
import type { Driver, Mutation, Reader } from '../../database/driver.js'
import {
  phaseNamed,
  ReshardControl,
  reshardControlTables,
  type ReshardPhase,
} from '../../database/dual-writes-phases.js'
import type { TablePair } from './command.js'
import { refuseStopped, transactAgain } from './run-options.js'

/**
 * How long a phase has to stand before everybody goes by it, in milliseconds: three of the longest refreshes, a write that
 * began just before (30 s, the driver's deadline), and a second for its commit.
 */
export const SETTLE = 61_000

/** What the database knows of a change of a key. */
export interface ControlRow {
  readonly table: string
  readonly into: string
  readonly phase: ReshardPhase
  readonly changedAt: Date
  readonly emptiedAt: Date | null
  readonly copiedAt: Date | null
  readonly verifiedAt: Date | null
}

/** The row that says in which phase a table is. */
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
    const { layout, codec } = this.#table
    const keys = [[this.#pair.from]]
    const [cells] = await reader.read({ table: layout.table.name, columns: codec.columns, keys })
    if (!cells) return undefined
    const row = codec.decode(cells) as unknown as ControlRow
    phaseNamed(row.phase, row.table)
    return row
  }

  /** Inside a transaction: the row, where this change is in that phase. @throws {IsothermError} `UNSUPPORTED` */
  async require(reader: Reader, phase: ReshardPhase): Promise<ControlRow> {
    const row = await this.read(reader)
    if (row?.phase === phase && row.into === this.#pair.to) return row
    throw this.refusal(row, `has to be ${phase}`)
  }

  mutation(row: Omit<ControlRow, 'changedAt'> & { readonly changedAt?: Date }): Mutation[] {
    return insertMutations(this.#table, this.#table.insertPlan.prepare([row]), 'upsert')
  }

  /**
   * Brings the change into a phase, unless it is in it, and waits until everybody goes by it.
   *
   * @param from the phases from which that is a step
   * @param check throws where it must not be done yet
   */
  async enter(
    phase: ReshardPhase,
    from: readonly ReshardPhase[],
    { settle, signal }: { readonly settle: number; readonly signal: AbortSignal | undefined },
    check: (row: ControlRow) => void = () => {},
  ): Promise<void> {
    const { from: table, to: into } = this.#pair
    await transactAgain(this.#driver, signal, async (context) => {
      const found = await this.read(context)
      // What has ended, and led into another table, is over.
      const row = found && (found.into === into || found.phase !== 'done') ? found : undefined
      const now = row?.phase ?? 'off'
      if (row && row.phase !== 'off' && row.into !== into) throw this.refusal(row, 'has to be over first')
      if (now === phase && row) return
      if (!from.includes(now)) throw this.refusal(row, `has to be ${from.join(' or ')}`)
      if (row) check(row)
      const isFresh = phase === 'writing' && now === 'off'
      context.buffer(
        this.mutation({
          table,
          into,
          phase,
          emptiedAt: isFresh || phase === 'off' ? null : (row?.emptiedAt ?? null),
          copiedAt: isFresh || phase === 'off' ? null : (row?.copiedAt ?? null),
          verifiedAt: isFresh || phase === 'off' ? null : (row?.verifiedAt ?? null),
        }),
      )
    })
    await this.settled(phase, settle, signal)
  }

  /** Waits until everybody goes by the phase, by the database's clock. */
  async settled(phase: ReshardPhase, settle: number, signal: AbortSignal | undefined): Promise<void> {
    for (;;) {
      const snapshot = await this.#driver.snapshot()
      let left: number
      try {
        const row = await this.require(snapshot, phase)
        left = row.changedAt.getTime() + settle - snapshot.readTimestamp!.getTime()
      } finally {
        snapshot.close()
      }
      if (left <= 0) return
      refuseStopped(signal)
      await delay(Math.min(left, 1_000) + 1, undefined, signal && { signal }).catch(() => {})
      refuseStopped(signal)
    }
  }

  refusal(row: ControlRow | undefined, what: string): IsothermError {
    const { from, to } = this.#pair
    const now = row ? `is ${row.phase}, into ${row.into}` : 'has not begun'
    return new IsothermError('UNSUPPORTED', `The change of ${from} to ${to} ${now}, and ${what}.`, {
      fix: 'Run its steps in their order.',
      table: from,
    })
  }
}
