import { shared } from '../copies.js'
import type { Hash64 } from '../keys/fingerprint.js'
import type { ColumnType } from '../model/column-type.js'
import type { Column } from '../model/column.js'
import type { AnyCounter } from '../model/bindings.js'
import type { HashSource, Order, ShardSource, TimeBucketSource } from '../model/key.js'
import type { SecondaryIndex } from '../model/secondary-index.js'
import type { Table } from '../model/table.js'

/**
 * A value as it is stored and sent: exact, comparable, and plain data. 64-bit integers and decimals are text,
 * timestamps RFC 3339 text with nanoseconds, bytes base64. Keys and cursors carry these.
 */
export type Wire = string | number | boolean | null | readonly Wire[]

export function sameWire(a: Wire, b: Wire): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b
  return JSON.stringify(a) === JSON.stringify(b)
}

/** The type a parameter is sent with, or a cell is read as. */
export type WireType = ColumnType

/**
 * The placeholder of a commit timestamp, which the database fills in. It is compared by identity: no value of a user can be
 * mistaken for it, and each driver sends what its engine expects.
 */
export const COMMIT_TIMESTAMP: Wire = shared('commitTimestamp.1', () => Object.freeze([]))

/** One column as the database stores it. */
export interface PhysicalColumn {
  readonly name: string
  readonly type: WireType
  readonly nullable: boolean
  /** False for a column that the database computes: a write may not name it. */
  readonly written: boolean
  /** The source of its value, by its definition. */
  readonly made?: Made
  /** Not part of `SELECT *`. */
  readonly hidden?: true
  /** The accepted value of the logical column as this one stores it; NULL is the caller's business. */
  encode(value: unknown): Wire
}

/** How the database makes a column's value, in the dialect's SQL. */
export type Made =
  | { readonly by: 'default'; readonly expression: string }
  | {
      readonly by: 'generated'
      readonly expression: string
      readonly stored: boolean
      /** For a column that is not stored. */
      readonly notNull?: true
    }
  | {
      readonly by: 'identity'
      readonly startCounter?: string
      readonly skipRange?: readonly [string, string]
    }
  | { readonly by: 'sequence'; readonly sequence: string }
  | { readonly by: 'commit-timestamp' }

/** Who makes a field's value when an insert leaves it out. */
export type Fill =
  | { readonly by: 'caller' }
  | { readonly by: 'uuid-v4' }
  | { readonly by: 'clock' }
  | { readonly by: 'commit-timestamp' }
  | { readonly by: 'shard'; readonly source: ShardSource; readonly hash64: Hash64 }
  | { readonly by: 'hash'; readonly source: HashSource }
  /** The period that another column's time falls into. */
  | { readonly by: 'bucket'; readonly source: TimeBucketSource }
  /** The client's clock at the insert, in a UUID of version 1. */
  | { readonly by: 'timeuuid' }
  /** The application's own counter. `reversed`: its numbers are stored with their bits reversed. */
  | { readonly by: 'counter'; readonly counter: AnyCounter; readonly reversed: boolean }
  /** The database, and only a statement that returns it tells the value. */
  | { readonly by: 'database' }

/**
 * A logical column and where it lies. It may be several physical columns (a value split in two, a value and its
 * mirror): this is the only place that knows.
 */
export interface Field {
  readonly column: Column
  /** The columns that hold the value, the most significant first: compared in turn, they order as the values do. */
  readonly physical: readonly [PhysicalColumn, ...PhysicalColumn[]]
  /**
   * A column that the database stores beside the value and that sorts in the opposite direction, for keys that cannot
   * descend. It may be coarser than the value: different values may have the same mirror.
   */
  readonly mirror?: PhysicalColumn
  readonly coarseMirror?: true
  /** The column cannot hold NaN, because it is in a key of a dialect that does not allow NaN there. */
  readonly storesNoNan?: true
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

/** A list that is not empty, changed item by item. */
export function eachOf<From, To>(
  [first, ...others]: readonly [From, ...From[]],
  change: (item: From, at: number) => To,
): readonly [To, ...To[]] {
  return [change(first, 0), ...others.map((item, at) => change(item, at + 1))]
}

export interface PhysicalKeyPart {
  readonly field: Field
  /** One of the columns that hold the field's value, or its mirror. */
  readonly column: PhysicalColumn
  readonly order: Order
}

/**
 * Rows in the order of a key: a table's, or an index's. Where rows may share a key, or a mirror is coarser than the values
 * behind it, the key puts them in order only in groups.
 */
export interface KeyOrder {
  readonly key: readonly PhysicalKeyPart[]
  /**
   * How many leading key parts put rows in the order of their fields. Absent: all of them do, and each key is one row's.
   * Rows that agree in those parts come in an order of their own.
   */
  readonly grouped?: number
  /**
   * How many leading key parts only say in which partition a row is stored: rows of one partition are in order, and there
   * is not an order across partitions. Absent: one order over all rows.
   */
  readonly partition?: number
  /** Rows of a partition can be read backwards as well. */
  readonly reversible?: true
  /** The field that shards these keys, if one does. */
  readonly shard: Field | undefined
}

/** An index of a table, as a set of rows in another order, with some of the columns. */
export interface IndexLayout extends KeyOrder {
  readonly index: SecondaryIndex
  /** The fields that it holds. */
  readonly covered: ReadonlySet<Field>
  /**
   * Its entries are not in the order that a query expects, so a read by keys would miss some: it is read by statements
   * only.
   */
  readonly byStatement?: true
}

/** A table as the database stores it, compiled once. */
export interface TableLayout extends KeyOrder {
  readonly table: Table
  readonly fields: readonly Field[]
  readonly byProperty: ReadonlyMap<string, Field>
  /** Every column of the table in the order of its definition, mirrors and the shards of indexes included. */
  readonly columns: readonly PhysicalColumn[]
  readonly indexes: readonly IndexLayout[]
  /** By which its shards, and those of its indexes, are computed. */
  readonly hash64: Hash64
  /** Where its rows lie, where that is not a table of their own. */
  readonly stored?: StoredRows
}

/**
 * A table that shares one in the database with its parent, or with its child. The parent's fields are static columns there,
 * the same for all rows of a partition; `rows beside static` are the child's.
 */
export interface StoredRows {
  readonly table: string
  readonly as: 'rows' | 'static' | 'rows beside static'
}

/** The name of the table in the database in which a layout's rows lie. */
export function storedTable({ table, stored }: TableLayout): string {
  return stored?.table ?? table.name
}

export function keyFields(layout: TableLayout): readonly Field[] {
  return [...new Set(layout.key.map((part) => part.field))]
}

/** Every physical column that a row is read from, in the order of the fields. */
export function physicalColumns(layout: TableLayout): readonly PhysicalColumn[] {
  return layout.fields.flatMap((field) => field.physical)
}

/**
 * The columns that a shard or a hash key hashes, or the time of a bucket, if the key does not contain them: they are needed
 * to find a row, though they are not part of its key.
 */
export function hashedOutsideKey({ key }: { readonly key: readonly FilledPart[] }): readonly string[] {
  return outsideOf(key, key)
}

/** Those of `hashedOutsideKey` from which the database computes the key: a mutation that names the row has to write them. */
export function generatedOutsideKey({ key }: TableLayout): readonly string[] {
  return outsideOf(
    key,
    key.filter(({ column }) => !column.written),
  )
}

/** A part of a key, and who makes its value. */
interface FilledPart {
  readonly field: Pick<Field, 'column' | 'fill'>
}

function outsideOf(key: readonly FilledPart[], parts: readonly FilledPart[]): readonly string[] {
  const hashed = parts.flatMap(({ field: { fill } }) => {
    if (fill.by === 'bucket') return [fill.source.of]
    return fill.by === 'shard' || fill.by === 'hash' ? fill.source.of : []
  })
  return [...new Set(hashed)].filter(
    (property) => !key.some((part) => part.field.column.property === property),
  )
}

/** The properties that a generated key part follows from; undefined where its expression is all that is known. */
export function generatedFrom({ column: { source } }: Field): readonly string[] | undefined {
  return source?.kind === 'shard' ? source.of : undefined
}

const namesByFields = new WeakMap<readonly Field[], ReadonlySet<string>>()

/**
 * Names of the columns that all rows of a partition share: collected once for a layout, since reads and writes need them. A
 * parent that is stored beside its children does not have any: its partition is its one row.
 */
export function staticColumns({ fields }: Pick<TableLayout, 'fields'>): ReadonlySet<string> {
  let names = namesByFields.get(fields)
  if (!names) {
    const shared = fields.filter(({ column }) => column.static === true)
    names = new Set(shared.flatMap(({ physical }) => physical.map(({ name }) => name)))
    namesByFields.set(fields, names)
  }
  return names
}
