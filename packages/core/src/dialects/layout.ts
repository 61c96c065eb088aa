import type { Column } from '../model/column.js'
import type { Order, ShardSource } from '../model/key.js'
import type { Table } from '../model/table.js'
import type { Wire, WireType } from './wire.js'

/** One column as it lies in the database. */
export interface PhysicalColumn {
  readonly name: string
  readonly type: WireType
  readonly nullable: boolean
  /** False for a column that the database computes: a write may not name it. */
  readonly written: boolean
  /** The accepted value of the logical column as this one stores it; NULL is the caller's business. */
  encode(value: unknown): Wire
}

/** Who makes a field's value when an insert leaves it out. */
export type Fill =
  | { readonly by: 'caller' }
  | { readonly by: 'uuid-v4' }
  | { readonly by: 'clock' }
  | { readonly by: 'commit-timestamp' }
  | { readonly by: 'shard'; readonly source: ShardSource }
  /** The database, and only a statement that returns it tells the value. */
  | { readonly by: 'database' }

/**
 * A logical column and where it lies. It may be several physical columns (a value split in two, a value and its
 * mirror): this is the only place that knows.
 */
export interface Field {
  readonly column: Column
  readonly physical: readonly PhysicalColumn[]
  readonly fill: Fill
  /** @throws {IsothermError} `INVALID_VALUE` naming the table and the column. */
  accept(value: unknown): unknown
  /** The inverse of the physical columns' `encode`, for cursors. @throws {IsothermError} */
  parse(wires: readonly Wire[]): unknown
  /** Cells as read, one per physical column; absent where the only cell is the value. */
  readonly join?: (cells: readonly unknown[], at: number) => unknown
  /** The engine's order of two values that are not NULL. */
  compare(a: unknown, b: unknown): number
}

export interface PhysicalKeyPart {
  readonly field: Field
  readonly column: PhysicalColumn
  readonly order: Order
}

/** A table as it lies in the database, compiled once. */
export interface TableLayout {
  readonly table: Table
  readonly fields: readonly Field[]
  readonly byProperty: ReadonlyMap<string, Field>
  readonly key: readonly PhysicalKeyPart[]
  /** The field that shards the table, if one does. */
  readonly shard: Field | undefined
}

export function keyFields(layout: TableLayout): readonly Field[] {
  return [...new Set(layout.key.map((part) => part.field))]
}

/** Every physical column that a row is read from, in the order of the fields. */
export function physicalColumns(layout: TableLayout): readonly PhysicalColumn[] {
  return layout.fields.flatMap((field) => field.physical)
}

/** What the shard hashes and the key does not hold: needed to find a row, though not part of its key. */
export function hashedOutsideKey({ key, shard }: TableLayout): readonly string[] {
  if (shard?.fill.by !== 'shard') return []
  return shard.fill.source.of.filter(
    (property) => !key.some((part) => part.field.column.property === property),
  )
}
