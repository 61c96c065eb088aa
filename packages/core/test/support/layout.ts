import { defineSchema, defineTable, type SqlDialect } from '@isotherm/core'
import { sqlOf, type Dialect, type SqlParts } from '../../src/dialects/dialect.js'
import type { Field, TableLayout } from '../../src/dialects/layout.js'
import { dialectNamed } from '../../src/dialects/registry.js'
import type { ValueRules } from '../../src/dialects/values.js'

/** A dialect of Spanner, which has statements. */
export type StatementDialect = Dialect & { readonly name: SqlDialect; readonly sql: SqlParts }

/** What a test runs in, where a layout or a dialect is part of it. */
export const dialects: readonly StatementDialect[] = (
  ['googlesql', 'spanner-postgresql'] satisfies SqlDialect[]
).map((name) => {
  const dialect = dialectNamed(name)
  return { ...dialect, name, sql: sqlOf(dialect, 'A test') }
})

export const [googleSql, postgreSql] = dialects as [StatementDialect, StatementDialect]

/** How values of a dialect are checked and ordered. */
export function valueRules({ nanIsValue }: Dialect): ValueRules {
  return nanIsValue ? { nan: 'highest', numeric: 'wide' } : { nan: 'lowest', numeric: 'fixed' }
}

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
