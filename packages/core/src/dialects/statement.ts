import type { Condition, OrderTerm, Position } from './condition.js'
import type { Field, IndexLayout, PhysicalColumn, TableLayout } from './layout.js'
import type { Wire, WireType } from './wire.js'

export interface Parameter {
  readonly name: string
  readonly type: WireType
  readonly value: Wire
}

export interface Statement {
  readonly text: string
  readonly parameters: readonly Parameter[]
}

/** Which rows of one table, in which order. */
export interface Selection {
  readonly layout: TableLayout
  /** Read the table by this index, whose shards are meant then. */
  readonly index?: IndexLayout
  /** Only these shards; absent, the whole table. */
  readonly shards?: readonly number[]
  readonly condition?: Condition
  readonly order: readonly OrderTerm[]
  readonly after?: Position
  readonly limit?: number
}

/** Rows of a table, or of an index, that has shards: of these ones. */
export interface ShardSelection extends Selection {
  readonly shards: readonly number[]
}

/** A row to be written, as stored; `undefined` leaves the column to the database's default. */
export type WireRow = readonly (Wire | undefined)[]

/** The statements that Isotherm needs, in one dialect's spelling. */
export interface Statements {
  /** One row or many of the same columns; gives `returning` back, a row each. */
  insert(
    layout: TableLayout,
    columns: readonly PhysicalColumn[],
    rows: readonly WireRow[],
    returning: readonly PhysicalColumn[],
  ): Statement
  /** Undefined where the dialect has no such statement for this table. */
  upsert(
    layout: TableLayout,
    columns: readonly PhysicalColumn[],
    rows: readonly WireRow[],
  ): Statement | undefined
  update(
    layout: TableLayout,
    changes: readonly { readonly column: PhysicalColumn; readonly value: Wire }[],
    key: readonly Wire[],
  ): Statement
  delete(layout: TableLayout, key: readonly Wire[]): Statement
  get(layout: TableLayout, key: readonly Wire[]): Statement
  select(selection: Selection): Statement
  /** How many shards `selectPerShard` may name at once. */
  shardsPerStatement(selection: ShardSelection): number
  /** The limit is pushed into each shard, so that no shard gives back more than the whole needs. */
  selectPerShard(selection: ShardSelection): Statement
  count(selection: Selection, groupBy: readonly Field[]): Statement
}
