import { constraintName } from '../../model/generated-name.js'
import { shardBounds } from '../../model/key.js'
import type { ForeignKey } from '../../model/table.js'
import type { PhysicalColumn, TableLayout } from '../layout.js'

/** The layouts of a schema's tables, by the tables' names. */
export type Layouts = ReadonlyMap<string, TableLayout>

/** The columns that hold these properties, in their order. */
export function columnsOf(layout: TableLayout, properties: readonly string[]): readonly PhysicalColumn[] {
  return properties.flatMap((property) => layout.byProperty.get(property)!.physical)
}

/** A foreign key as it is spelled: columns in place of properties. */
export interface ColumnForeignKey {
  readonly key: ForeignKey
  readonly columns: readonly string[]
  readonly references: readonly string[]
}

export function foreignKeyColumns(layouts: Layouts, layout: TableLayout, key: ForeignKey): ColumnForeignKey {
  return {
    key,
    columns: columnsOf(layout, key.columns).map((column) => column.name),
    references: columnsOf(layouts.get(key.table)!, key.references).map((column) => column.name),
  }
}

/** What a shard may be, where the client computes it. */
export interface ShardCheck {
  readonly name: string
  readonly column: string
  readonly lowest: number
  readonly highest: number
}

/**
 * Where the client computes the shard, a check keeps other writers inside the shards that are read. A child whose row needs
 * its parent's row has the parent's check.
 */
export function shardChecks({ table, fields }: TableLayout): readonly ShardCheck[] {
  return fields.flatMap(({ column, physical }) => {
    const { source, inherited } = column
    const [own] = physical
    if (source?.kind !== 'shard' || !own?.written) return []
    if (inherited && table.parent?.required !== false) return []
    return { name: constraintName(table.name, own.name, 'range'), column: own.name, ...shardBounds(source) }
  })
}
