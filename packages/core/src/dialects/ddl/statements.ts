import { namespaceOf, type ChangeStream, type Schema, type Sequence, type View } from '../../model/schema.js'
import type { IndexLayout, TableLayout } from '../layout.js'
import type { AlterSyntax } from './alter-syntax.js'
import type { SpelledCheck } from './clauses.js'
import { foreignKeyColumns, type ColumnForeignKey, type Layouts } from './constraints.js'

/** How a dialect spells each thing that a schema is made of. */
export interface DdlSyntax {
  namespace(name: string): string
  sequence(sequence: Sequence): string
  table(layout: TableLayout, foreignKeys: readonly ColumnForeignKey[]): string
  index(layouts: Layouts, layout: TableLayout, index: IndexLayout): string
  addForeignKey(table: string, foreignKey: ColumnForeignKey): string
  view(view: View): string
  changeStream(stream: ChangeStream, layouts: Layouts): string
  /** The checks of a table, those of its shards' range included. */
  checks(layout: TableLayout): readonly SpelledCheck[]
  readonly alter: AlterSyntax
}

export function layoutsByName(layouts: readonly TableLayout[]): Layouts {
  return new Map(layouts.map((layout) => [layout.table.name, layout]))
}

/**
 * The statements that make a schema, in an order in which each has what it needs. A foreign key to a table that comes later
 * waits until all tables are there.
 */
export function ddlStatements(schema: Schema, layouts: readonly TableLayout[], syntax: DdlSyntax): string[] {
  const byName = layoutsByName(layouts)
  const made = new Set<string>()
  const later: string[] = []
  const tables = layouts.flatMap((layout) => {
    const { name, foreignKeys } = layout.table
    made.add(name)
    const keys = foreignKeys.map((key) => foreignKeyColumns(byName, layout, key))
    for (const key of keys) if (!made.has(key.key.table)) later.push(syntax.addForeignKey(name, key))
    return [
      syntax.table(
        layout,
        keys.filter(({ key }) => made.has(key.table)),
      ),
      ...layout.indexes.map((index) => syntax.index(byName, layout, index)),
    ]
  })
  return [
    ...namespacesOf(schema).map((name) => syntax.namespace(name)),
    ...schema.sequences.map((sequence) => syntax.sequence(sequence)),
    ...tables,
    ...later,
    ...schema.views.map((view) => syntax.view(view)),
    ...schema.changeStreams.map((stream) => syntax.changeStream(stream, byName)),
  ]
}

/** The named schemas, those included that only a name speaks of. */
export function namespacesOf({ namespaces, tables, sequences, views }: Schema): readonly string[] {
  const named = [...sequences, ...tables, ...views].flatMap(({ name }) => namespaceOf(name) ?? [])
  return [...new Set([...namespaces, ...named])]
}
