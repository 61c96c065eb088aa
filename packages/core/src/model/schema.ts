import type { Table } from './table.js'

/**
 * Everything that Isotherm knows of a database: frozen plain data that survives `JSON.stringify`. Decorators,
 * `defineTable` and introspection make one; the linter, the dialects, the database and the migrations read it.
 */
export interface Schema {
  readonly version: 1
  /** Parents stand before their children. */
  readonly tables: readonly Table[]
}

export function findTable(schema: Schema, name: string): Table | undefined {
  return schema.tables.find((table) => table.name === name)
}
