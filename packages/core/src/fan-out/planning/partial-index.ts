import type { CompiledTable } from '../../database/compiled-table.js'
import type { Condition } from '../../dialects/condition.js'
import type { Field, IndexLayout } from '../../dialects/layout.js'
import { invalidQuery } from '../invalid-query.js'

/**
 * An index that leaves out rows with NULL gives back the whole result only where the filter leaves them out as well.
 *
 * @throws {IsothermError} `INVALID_QUERY` naming the properties.
 */
export function refusePartialIndex(
  { layout }: CompiledTable,
  { index }: IndexLayout,
  condition: Condition | undefined,
): void {
  const filtered = index.nullFiltered ? index.parts.map((part) => part.property) : index.notNull
  const open = filtered.filter((property) => {
    const field = layout.byProperty.get(property)!
    return field.column.nullable && !excludesNull(condition, field)
  })
  if (open.length === 0) return
  throw invalidQuery(
    layout,
    `cannot be read by ${index.name} alone, which leaves out rows in which ${open.join(' or ')} is NULL.`,
    `Leave them out as well: where({ ${open.map((property) => `${property}: { ne: null }`).join(', ')} }).`,
  )
}

/** Whether every row that matches has a value in this field. */
function excludesNull(condition: Condition | undefined, field: Field): boolean {
  switch (condition?.kind) {
    case 'and':
      return condition.of.some((each) => excludesNull(each, field))
    case 'or':
      return condition.of.length > 0 && condition.of.every((each) => excludesNull(each, field))
    case 'not':
      return condition.of.kind === 'null' && condition.of.field === field
    case 'compare':
    case 'in':
    case 'prefix':
      // A comparison with NULL is unknown, and what is unknown does not match.
      return condition.field === field
    default:
      return false
  }
}
