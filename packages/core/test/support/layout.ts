import { defineSchema, defineTable } from '@isotherm/core'
import { googleSql } from '../../src/dialects/googlesql/dialect.js'
import type { Field, TableLayout } from '../../src/dialects/layout.js'

/** The layout of a model's table in GoogleSQL; of the last one where it needs a parent. */
export function layoutOf(...models: readonly object[]): TableLayout {
  return googleSql.layout(defineSchema(models).tables.at(-1)!)
}

/** The field of a property that is there. */
export function fieldOf(layout: TableLayout, property: string): Field {
  const field = layout.byProperty.get(property)
  if (!field) throw new Error(`The layout has no ${property}.`)
  return field
}

/** The layout of a table called Log. */
export function logLayout(columns: Parameters<typeof defineTable>[1]): TableLayout {
  return layoutOf(defineTable('Log', columns))
}
