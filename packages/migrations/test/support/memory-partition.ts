import type { Mutation } from '@isotherm/core/engine'
import { IsothermError, type ConditionalWrites, type Driver } from '@isotherm/core'
import { bareDriver } from '../../../core/test/support/bare-driver.js'

/** The fate of a conditional write: a lost write gets no answer, whether it took place or not. */
export type WriteFate = 'well' | 'lost' | 'lost-and-written'

interface StaticCell {
  readonly value: unknown
  /** In the clock of `Date.now()`. */
  readonly endsAt: number
}

const CONDITIONAL_ONLY = 'This driver has conditional writes only.'
const INT64 = new Set(['statement', 'attempt', 'row_count'])
const STATIC = new Set(['holder', 'holder_description', 'holder_since', 'holder_until'])

/** The partition of a history of migrations, in a keyspace whose servers have a clock of their own: that of `Date`. */
export class MemoryPartition {
  readonly statics = new Map<string, StaticCell>()
  readonly rows = new Map<string, Map<string, unknown>>()
  readonly fates: WriteFate[]
  readonly written: Mutation[] = []
  /** Runs before each write is evaluated. */
  beforeWrite: (mutation: Mutation) => void = () => {}
  isMade = true

  constructor(fates: readonly WriteFate[] = []) {
    this.fates = [...fates]
  }

  driver(more: Partial<Driver> = {}): Driver {
    const refuse = (): never => {
      throw new Error(CONDITIONAL_ONLY)
    }
    return {
      ...bareDriver(CONDITIONAL_ONLY),
      applyDdl: async () => {
        if (this.isMade) throw new IsothermError('ALREADY_EXISTS', 'It is there.')
        this.isMade = true
      },
      schemaChanges: { begin: refuse, state: refuse },
      atomic: this.#conditional(),
      ...more,
    }
  }

  static(name: string): unknown {
    const cell = this.statics.get(name)
    if (!cell || cell.endsAt <= Date.now() || cell.value === null) return null
    return name === 'holder_since' || name === 'holder_until' ? new Date(cell.value as string) : cell.value
  }

  /** The cells of a row, by the names of its columns. */
  row(migration: string, statement: number): Record<string, unknown> | undefined {
    const row = this.rows.get(JSON.stringify([migration, String(statement)]))
    return row && Object.fromEntries(row)
  }

  #conditional(): ConditionalWrites {
    return {
      kind: 'conditional-writes',
      read: async ({ columns, limit }) => {
        this.#refuseUnmade()
        const rows = [...this.rows].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
        // A partition of static cells alone is one row.
        const hasStatics = [...STATIC].some((name) => this.static(name) !== null)
        const all = rows.length === 0 && hasStatics ? [new Map<string, unknown>()] : rows
        return all
          .slice(0, limit)
          .map((row) =>
            columns.map(({ name }) => (STATIC.has(name) ? this.static(name) : (row.get(name) ?? null))),
          )
      },
      writeIf: async ({ mutation, condition }, columns, { ttlSeconds } = {}) => {
        this.#refuseUnmade()
        this.beforeWrite(mutation)
        const fate = this.fates.shift() ?? 'well'
        const applied = Object.entries(condition!).every(([name, wire]) => this.static(name) === wire)
        if (applied && fate !== 'lost') this.#apply(mutation, ttlSeconds)
        if (fate !== 'well') throw new IsothermError('OUTCOME_UNKNOWN', 'The answer is lost.')
        return applied ? { applied } : { applied, found: columns.map(({ name }) => this.static(name)) }
      },
    }
  }

  #apply(mutation: Mutation, ttlSeconds: number | undefined): void {
    this.written.push(mutation)
    if (mutation.op === 'delete') {
      this.rows.delete(JSON.stringify(mutation.keys[0]!.slice(1)))
      return
    }
    const cells = mutation.columns.map((name, at) => [name, mutation.rows[0]![at]] as const)
    const byColumn = new Map(cells)
    if (!byColumn.has('migration')) {
      const endsAt = ttlSeconds === undefined ? Infinity : Date.now() + ttlSeconds * 1_000
      for (const [name, value] of cells) if (STATIC.has(name)) this.statics.set(name, { value, endsAt })
      return
    }
    const key = JSON.stringify([byColumn.get('migration'), byColumn.get('statement')])
    const row = this.rows.get(key) ?? new Map<string, unknown>()
    for (const [name, value] of cells)
      row.set(name, INT64.has(name) && value !== null ? BigInt(value as string) : value)
    this.rows.set(key, row)
  }

  #refuseUnmade(): void {
    if (!this.isMade) throw new IsothermError('NOT_FOUND', 'unconfigured table isotherm_migrations')
  }
}
