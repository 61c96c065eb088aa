import { findTable, type Schema } from '../model/schema.js'
import type { Table } from '../model/table.js'

export function childrenOf(schema: Schema, table: Table): Table[] {
  return schema.tables.filter((other) => other.parent?.table === table.name)
}

/** From the parent up to the root. */
export function ancestorsOf(schema: Schema, table: Table): Table[] {
  const above: Table[] = []
  for (let next = parentOf(schema, table); next && !above.includes(next); next = parentOf(schema, next)) {
    above.push(next)
  }
  return above
}

function parentOf(schema: Schema, table: Table): Table | undefined {
  return table.parent && findTable(schema, table.parent.table)
}

/** Every table whose rows lie in the same trees as this table's, itself included. */
export function treeOf(schema: Schema, table: Table): Table[] {
  const root = ancestorsOf(schema, table).at(-1) ?? table
  return withDescendants(schema, root)
}

function withDescendants(schema: Schema, table: Table): Table[] {
  return [table, ...childrenOf(schema, table).flatMap((child) => withDescendants(schema, child))]
}
