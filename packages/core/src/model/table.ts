import type { Column, ColumnDefinition } from './column.js'
import type { KeyPart } from './key.js'
import type { IndexOptions, SecondaryIndex } from './secondary-index.js'

export type OnDelete = 'cascade' | 'no action'

/** A lint rule that does not apply to this table, and why: the reason is for whoever reads the model next. */
export interface LintException {
  readonly rule: string
  /** Limits the exception to one index or one column; absent, it covers the whole table. */
  readonly on?: string
  readonly reason: string
}

export interface Interleaving {
  readonly table: string
  readonly onDelete: OnDelete
}

export interface Table {
  /** The name in the database. */
  readonly name: string
  readonly columns: readonly Column[]
  readonly primaryKey: readonly KeyPart[]
  readonly indexes: readonly SecondaryIndex[]
  readonly parent?: Interleaving
  readonly exceptions: readonly LintException[]
}

export interface TableOptions {
  /** The parent in whose rows this table's rows live: `() => Customer`. */
  readonly interleaveIn?: () => object
  /** What becomes of the rows when their parent's row is deleted. Default: `no action`. */
  readonly onDelete?: OnDelete
  /** The key parts in order. Default: the key properties in the order of their declaration. */
  readonly primaryKey?: readonly string[]
  /** Lint rules that do not apply here, each with its reason. */
  readonly except?: readonly LintException[]
}

/** A table as declared: parents are not resolved yet, and nothing is checked. */
export interface TableDefinition {
  readonly name: string
  readonly columns: readonly ColumnDefinition[]
  readonly indexes: readonly IndexOptions[]
  readonly options: TableOptions
}

export function columnOf(table: Table, property: string): Column | undefined {
  return table.columns.find((column) => column.property === property)
}

/** The leading key part that shards this table, if it has one. */
export function shardColumnOf(table: Table): Column | undefined {
  const first = table.primaryKey[0]
  const column = first && columnOf(table, first.property)
  return column?.source?.kind === 'shard' ? column : undefined
}
