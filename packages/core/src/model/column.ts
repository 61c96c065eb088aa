import type { ColumnType } from './column-type.js'
import type { ValueSource } from './key.js'

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
}

/** What a decorator or a builder says about one property; several may speak of the same one. */
export interface ColumnDefinition {
  readonly property: string
  readonly name?: string
  readonly type?: ColumnType
  readonly nullable?: boolean
  readonly immutable?: boolean
  readonly source?: ValueSource
  readonly key?: 'asc' | 'desc'
  readonly parentKey?: boolean
}

export type ColumnPatch = Omit<ColumnDefinition, 'property'>
