import type { ColumnType } from './column-type.js'
import type { ColumnDefault } from './column-default.js'
import type { Binding } from './bindings.js'
import type { BitReversedSource, ComputedBy, HashSource, ShardSource, ValueSource } from './key.js'
import type { OptionMistake } from '../options.js'
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
  /** The database's default, for inserts that leave the column out. */
  readonly default?: ColumnDefault
  /** The database computes the column from others: a write cannot set it. */
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
  /** The database holds a column that is not stored to NOT NULL. Absent: nothing does, whatever its values are. */
  readonly notNull?: true
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

/** What a decorator or a builder declares about one property; several may declare parts of the same property. */
export interface ColumnDefinition {
  readonly property: string
  readonly name?: string
  readonly type?: ColumnType
  readonly nullable?: boolean
  readonly immutable?: boolean
  readonly source?: SourceDefinition
  /** A value of the column's type, or what `sql` gives; checked when the schema is made. */
  readonly default?: unknown
  readonly generated?: GeneratedColumn
  readonly hidden?: true
  readonly static?: true
  /** Models of the user types that the column's type names. */
  readonly userTypes?: readonly object[]
  /** The functions and counters of the declaration, which a schema cannot hold, since it is plain data. */
  readonly binding?: Binding
  /** `false`: not a key part, though its declaration would make it one. */
  readonly key?: 'asc' | 'desc' | false
  readonly parentKey?: boolean
  /** The mistakes in the options of its declarations: `defineSchema` refuses the column. */
  readonly mistakes?: readonly OptionMistake[]
}

export type ColumnPatch = Omit<ColumnDefinition, 'property'>

/** Merges two declarations of one property. The later one decides, and all mistakes are kept. */
export function merged<Declared extends ColumnPatch>(
  first: ColumnPatch | undefined,
  second: Declared,
): Declared {
  if (!first) return second
  const contradict =
    first.key !== undefined && second.key !== undefined && (first.key === false) !== (second.key === false)
  const mistakes = [
    ...(first.mistakes ?? []),
    ...(second.mistakes ?? []),
    ...(contradict ? [CONTRADICTION] : []),
  ]
  return { ...first, ...second, ...(mistakes.length > 0 && { mistakes }) }
}

const CONTRADICTION: OptionMistake = {
  path: 'key',
  message: 'key is false, but the column is declared as a key part.',
  fix: 'Keep key: false for a plain column; .key() or @Key for a key part.',
}
