import { type ChangeStream, type Schema, type Sequence, type View, namespaceOf } from '../model/schema.js'
import type { Interleaving } from '../model/table.js'
import {
  type ColumnForeignKey,
  type DefinedColumn,
  type Layouts,
  type NamedCheck,
  foreignKeyColumns,
} from './clauses.js'
import { type SqlColumn, opaqueObjects } from './opaque.js'
import type { LexicalSyntax } from '../tokens/lexical-syntax.js'
import type { IndexLayout, TableLayout } from '../layout/layout.js'

/** When rows are deleted, by the column's name. */
export interface ColumnRowDeletion {
  readonly column: string
  readonly days: number
}

export type StreamOptions = Readonly<Record<string, string | null>>

/**
 * The syntax with which a dialect changes existing objects. Some changes take more than one statement: these are in the
 * order in which they must run.
 */
export interface AlterSyntax {
  /** The type of a column, without what else its definition says. */
  columnType(column: DefinedColumn): string
  /** Whether there is a keyword for an index without NULL; otherwise its filter is written out. */
  readonly hasNullFiltered: boolean
  /** Whether an existing generated column can be redefined: with another expression, or a longer type. */
  readonly altersGenerated: boolean
  /** Whether a column can be changed to accept no more commit timestamps. */
  readonly revokesCommitTimestamp: boolean
  /** Whether the skipped range of a sequence can be removed. */
  readonly dropsSkipRange: boolean
  /** Whether a column can be left out of `SELECT *`. */
  readonly hidesColumns: boolean
  /**
   * Whether every database reports the filter of an index: the emulator does not store it, except for columns that are
   * never NULL because of it.
   */
  readonly tellsFilters: boolean
  /** Whether a table that is in a named schema can get another name in it. */
  readonly renamesInNamespace: boolean
  /** A parent is a foreign key, which a table that exists can be given, and which can be taken away. */
  readonly parentsAreForeignKeys?: true
  /** Whether a column that a generated column or a view reads can be made longer or shorter. */
  readonly resizesReadColumns: boolean
  /** Whether an array of a table that exists can become NOT NULL, or be added as that. */
  readonly constrainsArrays?: true
  /** How an index that exists stores more columns, or fewer. Absent: it is dropped and created again. */
  readonly stored?: {
    add(index: string, column: string): string
    drop(index: string, column: string): string
  }
  /** @param from the former name @param parent the former parent, which has the same name as before */
  renameTable(from: string, to: TableLayout, parent: Interleaving | undefined): string[]
  dropTable(table: string): string
  addColumn(table: string, column: DefinedColumn): string[]
  addOpaqueColumn(table: string, column: SqlColumn): string
  alterColumn(table: string, from: DefinedColumn, to: DefinedColumn): string[]
  dropColumn(table: string, column: string): string
  /** DML that fills a column from another one, where it has no value yet. It may be run again. */
  copyColumn(table: string, from: string, to: string): string
  addCheck(table: string, check: NamedCheck): string
  dropConstraint(table: string, constraint: string): string
  setOnDelete(layout: TableLayout, onDelete: Interleaving['onDelete']): string[]
  setInterleaving(layout: TableLayout, to: Interleaving): string[]
  /** Absent: the database does not delete old rows. */
  readonly rowDeletion?: {
    add(table: string, policy: ColumnRowDeletion): string
    replace(table: string, policy: ColumnRowDeletion): string
    drop(table: string): string
  }
  dropIndex(index: string): string
  alterSequence(from: Sequence, to: Sequence): string
  dropSequence(sequence: string): string
  /** Gives a view another query. Absent: it is dropped and created again. */
  replaceView?(view: View): string
  dropView(view: string): string
  watchOtherwise(stream: ChangeStream, layouts: Layouts): string
  /** Sets options; null resets an option to its default. Absent: there are no change streams. */
  setStreamOptions?(stream: string, options: StreamOptions): string[]
  dropChangeStream(stream: string): string
  dropNamespace(namespace: string): string
}

/** The syntax of each object that a schema consists of. */
export interface DdlSyntax {
  readonly lexicalSyntax: LexicalSyntax
  /**
   * A foreign key relies on a unique index of what it refers to, unless that is the primary key: it comes after that index, and goes
   * before it.
   */
  readonly refersToIndexes?: true
  /** Statements that are sent together take effect together, or not at all. */
  readonly isTransactional?: true
  namespace(name: string): string
  sequence(sequence: Sequence): string
  table(layout: TableLayout, foreignKeys: readonly ColumnForeignKey[]): string[]
  index(layouts: Layouts, layout: TableLayout, index: IndexLayout): string
  addForeignKey(table: string, foreignKey: ColumnForeignKey): string
  view(view: View): string
  changeStream(stream: ChangeStream, layouts: Layouts): string
  /** The checks of a table, those of its shards' range included. */
  checks(layout: TableLayout): readonly NamedCheck[]
  readonly alter: AlterSyntax
}

export function layoutsByName(layouts: readonly TableLayout[]): Layouts {
  return new Map(layouts.map((layout) => [layout.table.name, layout]))
}

/**
 * The statements that make a schema, in an order in which each has what it needs. A foreign key to a later table is added
 * after all tables exist.
 */
export function ddlStatements(schema: Schema, layouts: readonly TableLayout[], syntax: DdlSyntax): string[] {
  const byName = layoutsByName(layouts)
  const made = new Set<string>()
  const later: string[] = []
  const tables = layouts.flatMap((layout) => {
    const { name, foreignKeys } = layout.table
    if (!syntax.refersToIndexes) made.add(name)
    const keys = foreignKeys.map((key) => foreignKeyColumns(byName, layout, key))
    for (const key of keys) if (!made.has(key.key.table)) later.push(syntax.addForeignKey(name, key))
    const statements = [
      ...syntax.table(
        layout,
        keys.filter(({ key }) => made.has(key.table)),
      ),
      ...layout.indexes.map((index) => syntax.index(byName, layout, index)),
    ]
    made.add(name)
    return statements
  })
  const opaque = opaqueObjects(schema, syntax.lexicalSyntax)
  const running = (when: (typeof opaque)[number]['runs']): string[] =>
    opaque.filter(({ runs }) => runs === when).map(({ create }) => create)
  return [
    ...running('first'),
    ...namespacesOf(schema).map((name) => syntax.namespace(name)),
    ...schema.sequences.map((sequence) => syntax.sequence(sequence)),
    ...running('before tables'),
    ...tables,
    ...later,
    ...running('after tables'),
    ...schema.views.map((view) => syntax.view(view)),
    ...schema.changeStreams.map((stream) => syntax.changeStream(stream, byName)),
    ...running('last'),
  ]
}

/** The named schemas, those included that only a name speaks of. */
export function namespacesOf({ namespaces, tables, sequences, views }: Schema): readonly string[] {
  const named = [...sequences, ...tables, ...views].flatMap(({ name }) => namespaceOf(name) ?? [])
  return [...new Set([...namespaces, ...named])]
}
