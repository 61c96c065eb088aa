import type { ColumnType } from './column-type.js'
import type { Binding } from './bindings.js'
import type { BitReversedSource, ComputedBy, HashSource, ShardSource, ValueSource } from './key.js'
import type { SqlExpression } from './sql-expression.js'

/** One property of a model, as the schema keeps it. */
export interface Column {
  readonly property: string
  /** The name in the database. */
  readonly name: string
  readonly type: ColumnType
  readonly nullable: boolean
  /** Set once, at the insert; only such columns and key columns may feed a shard's hash. */
  readonly immutable: boolean
  /** The column is the parent's key part, inherited by an interleaved child. */
  readonly inherited: boolean
  readonly source?: ValueSource
  /** The database's default, for whoever leaves the column out. */
  readonly default?: SqlExpression
  /** The database computes the column from others: nobody writes it. */
  readonly generated?: GeneratedColumn
  /** Not part of `SELECT *`. */
  readonly hidden?: true
  /** One value for all rows of a partition. */
  readonly static?: true
}

export interface GeneratedColumn {
  readonly expression: SqlExpression
  /** Kept with the row, rather than computed when it is read. */
  readonly stored: boolean
}

/** A sequence as a column brings it along; in a schema it is one of `sequences`. */
export type SequenceSource = Omit<BitReversedSource, 'from'> & { readonly from: 'sequence' }

type Undecided<Source> = Omit<Source, 'computedBy'> & { readonly computedBy?: ComputedBy }

/** A source as declared: who computes it may be left open, and is decided when the schema is made. */
export type SourceDefinition =
  | Exclude<ValueSource, ShardSource | HashSource>
  | SequenceSource
  | Undecided<ShardSource>
  | Undecided<HashSource>

/** What a decorator or a builder says about one property; several may speak of the same one. */
export interface ColumnDefinition {
  readonly property: string
  readonly name?: string
  readonly type?: ColumnType
  readonly nullable?: boolean
  readonly immutable?: boolean
  readonly source?: SourceDefinition
  readonly default?: SqlExpression
  readonly generated?: GeneratedColumn
  readonly hidden?: true
  readonly static?: true
  /** Models of the user types that the column's type names. */
  readonly userTypes?: readonly object[]
  /** What a schema cannot hold, since it is plain data. */
  readonly binding?: Binding
  readonly key?: 'asc' | 'desc'
  readonly parentKey?: boolean
}

export type ColumnPatch = Omit<ColumnDefinition, 'property'>
