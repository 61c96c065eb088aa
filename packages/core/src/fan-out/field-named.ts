import type { Field, TableLayout } from '../dialects/layout.js'
import { invalidQuery } from './invalid-query.js'

/**
 * @param purpose what it is wanted for, as it follows "to": `order by`
 * @throws {IsothermError} `INVALID_QUERY` for a property that is not there.
 */
export function fieldNamed(layout: TableLayout, property: string, purpose: string): Field {
  const field = layout.byProperty.get(property)
  if (field) return field
  throw invalidQuery(
    layout,
    `has no property ${JSON.stringify(property)} to ${purpose}.`,
    `Choose from ${[...layout.byProperty.keys()].join(', ')}.`,
  )
}
