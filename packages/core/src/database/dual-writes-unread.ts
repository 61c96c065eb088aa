import { keyFields, type TableLayout } from '../dialects/layout.js'
import type { Wire } from '../dialects/wire.js'
import { keyWires, type PlainRow } from './codec.js'
import type { RowMapping, StoredRow } from './dual-writes-mapping.js'
import type { PreparedInsert } from './insert-plan.js'
import type { PreparedChange } from './writes.js'

/**
 * Columns of one table that a transaction cannot read any more: as soon as one row waits for the commit's timestamp, none can
 * be read there. What the transaction has written into them itself is remembered, since a row that was to wait may have been
 * given a value afterwards.
 *
 * Source: https://cloud.google.com/spanner/docs/commit-timestamp
 */
export class UnreadColumns {
  readonly #mapping: RowMapping
  /** Where a timestamp may have to be waited for. */
  readonly #timestamps: ReadonlySet<string>
  readonly #properties = new Set<string>()
  readonly #rows = new Map<string, StoredRow>()

  constructor(mapping: RowMapping) {
    this.#mapping = mapping
    this.#timestamps = new Set(
      mapping.from.layout.fields.flatMap(({ column, fill }) =>
        fill.by === 'commit-timestamp' ? [column.property] : [],
      ),
    )
  }

  /** The properties that cannot be read. */
  get properties(): ReadonlySet<string> {
    return this.#properties
  }

  /** Rows were inserted or upserted. */
  wrote(prepared: PreparedInsert): void {
    if (this.#timestamps.size === 0) return
    const waiting = waitingIn(prepared)
    // In the order of the statements: the last one counts where two rows of an upsert are the same.
    for (const place of prepared.groups.flatMap(({ places }) => places)) {
      const waits = waiting.get(place) ?? NOTHING
      for (const property of waits) this.#properties.add(property)
      const row = prepared.rows[place]!
      if (isComplete(this.#mapping.from.layout, row)) this.#remember(row, row, waits)
    }
  }

  /** Rows were updated. */
  changed(prepared: readonly PreparedChange[]): void {
    for (const { key, changes } of prepared) {
      const row = Object.fromEntries(changes.map(({ property, value }) => [property, value]))
      this.#remember(key, row, NOTHING)
    }
  }

  /** Rows were deleted. @param keys as stored */
  deleted(keys: readonly (readonly Wire[])[]): void {
    for (const key of keys) this.#rows.delete(keyName(key))
  }

  /** A row as it was read, and what could not be read of it, if that is known. */
  complete(row: StoredRow): StoredRow {
    const known = this.#rows.get(keyName(keyWires(this.#mapping.from.layout, row.values)))
    return known && this.#properties.size > 0 ? merged(known, row) : row
  }

  #remember(key: PlainRow, row: PlainRow, waits: ReadonlySet<string>): void {
    const written = Object.fromEntries(
      Object.entries(row).filter(([property]) => this.#timestamps.has(property)),
    )
    const name = keyName(keyWires(this.#mapping.from.layout, key))
    const stored = this.#mapping.fromRow(written, waits)
    const known = this.#rows.get(name)
    this.#rows.set(name, known ? merged(known, stored) : stored)
  }
}

/** Of rows with the same key, what the second says, and what the first says beside it. */
function merged(first: StoredRow, second: StoredRow): StoredRow {
  return {
    wires: new Map([...first.wires, ...second.wires]),
    values: { ...first.values, ...second.values },
  }
}

export const NOTHING: ReadonlySet<string> = new Set()

/** The properties that wait for the commit's timestamp, by the places of their rows. */
export function waitingIn({ awaitsCommit }: PreparedInsert): ReadonlyMap<number, ReadonlySet<string>> {
  const waiting = new Map<number, Set<string>>()
  for (const { place, property } of awaitsCommit) {
    const properties = waiting.get(place) ?? new Set()
    waiting.set(place, properties.add(property))
  }
  return waiting
}

/** Whether the whole key of a row is known. */
export function isComplete(layout: TableLayout, row: PlainRow): boolean {
  return keyFields(layout).every(({ column }) => row[column.property] !== undefined)
}

export function keyName(key: readonly Wire[]): string {
  return JSON.stringify(key)
}
