import type { Field, TableLayout } from '@isotherm/core/engine'
import { defineSchema, defineTable, type Dialect, type SqlDialect } from '@isotherm/core'
import { googlesql, spannerPostgresql } from '@isotherm/spanner'

/** The dialects that tests of layouts run with. */
export const dialects: readonly SqlDialect[] = [googlesql, spannerPostgresql]

/** The layout of a model's table in a dialect; of the last one where it needs a parent. */
export function layoutOf(dialect: Dialect, ...models: readonly object[]): TableLayout {
  return dialect.layout(defineSchema(models).tables.at(-1)!)
}

/** The field of a property that is there. */
export function fieldOf(layout: TableLayout, property: string): Field {
  const field = layout.byProperty.get(property)
  if (!field) throw new Error(`The layout has no ${property}.`)
  return field
}

/** The layout of a table called Log. */
export function logLayout(dialect: Dialect, ...table: LogTable): TableLayout {
  return layoutOf(dialect, logTable(...table))
}

/** Columns, and options whose properties the compiler does not check. */
export type LogTable = readonly [
  columns: Parameters<typeof defineTable>[1],
  options?: Parameters<typeof defineTable>[2],
]

/** A table called Log. */
export function logTable(...table: LogTable) {
  return looseTable('Log', ...table)
}

export function looseTable(name: string, ...[columns, options]: LogTable) {
  return defineTable(name, columns, options)
}
