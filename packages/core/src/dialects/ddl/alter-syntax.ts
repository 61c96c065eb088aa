import type { ChangeStream, Sequence, View } from '../../model/schema.js'
import type { Interleaving } from '../../model/table.js'
import type { Layouts } from './constraints.js'
import type { DefinedColumn } from './defined-column.js'

/** When rows are deleted, by the column's name. */
export interface ColumnRowDeletion {
  readonly column: string
  readonly days: number
}

export type StreamOptions = Readonly<Record<string, string | null>>

/**
 * How a dialect spells the changes of what is there. Some take more than one statement: then they are in the order in which
 * they must run.
 */
export interface AlterSyntax {
  /** The type of a column, without what else its definition says. */
  columnType(column: DefinedColumn): string
  /** Whether there is a word for an index without NULL; else its filter is spelled out. */
  readonly hasNullFiltered: boolean
  /** Whether a generated column that is there can be defined otherwise: with another expression, or a longer type. */
  readonly altersGenerated: boolean
  /** Whether a column can be told to take no more commit timestamps. */
  readonly revokesCommitTimestamp: boolean
  /** Whether a sequence can be told to pass over nothing any more. */
  readonly dropsSkipRange: boolean
  /** Whether a column can be left out of `SELECT *`. */
  readonly hidesColumns: boolean
  /** Whether a table that is in a named schema can get another name in it. */
  readonly renamesInNamespace: boolean
  renameTable(from: string, to: string): string
  dropTable(table: string): string
  addColumn(table: string, column: DefinedColumn): string
  alterColumn(table: string, from: DefinedColumn, to: DefinedColumn): string[]
  dropColumn(table: string, column: string): string
  /** DML that fills a column from another one, where it has no value yet. It may be run again. */
  copyColumn(table: string, from: string, to: string): string
  addCheck(table: string, check: { readonly name: string; readonly expression: string }): string
  dropConstraint(table: string, constraint: string): string
  setOnDelete(table: string, onDelete: Interleaving['onDelete']): string
  setInterleaving(table: string, to: Interleaving): string[]
  addRowDeletion(table: string, policy: ColumnRowDeletion): string
  replaceRowDeletion(table: string, policy: ColumnRowDeletion): string
  dropRowDeletion(table: string): string
  addStored(index: string, column: string): string
  dropStored(index: string, column: string): string
  dropIndex(index: string): string
  alterSequence(from: Sequence, to: Sequence): string
  dropSequence(sequence: string): string
  replaceView(view: View): string
  dropView(view: string): string
  watchOtherwise(stream: ChangeStream, layouts: Layouts): string
  /** Sets options; those that are null go back to their defaults. */
  setStreamOptions(stream: string, options: StreamOptions): string[]
  dropChangeStream(stream: string): string
  dropNamespace(namespace: string): string
}
