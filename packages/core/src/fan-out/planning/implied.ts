import type { Condition } from '../../dialects/condition.js'
import type { Field, KeyOrder } from '../../dialects/layout.js'
import { fixedValue, type Constraints } from './constraints.js'
import { clusteringFields, partitionFields } from './key-ranges.js'

/**
 * Whether a shard's key range holds matching rows and no others, so that nobody has to look at the filter again: it says no
 * more than what the leading key fields are, and between which bounds the next one lies.
 */
export function isImplied(
  condition: Condition | undefined,
  keys: KeyOrder,
  constraints: Constraints,
): boolean {
  if (condition === undefined) return true
  // Lanes are just those whose fields fit the filter.
  const ofLane = new Set(partitionFields(keys))
  const fields = clusteringFields(keys).map(({ field }) => field)
  const free = fields.findIndex((field) => !fixedValue(constraints, field))
  const prefix = new Set(free < 0 ? fields : fields.slice(0, free))
  const next = fields[free]
  const holds = (each: Condition): boolean => {
    switch (each.kind) {
      case 'and':
        return each.of.every(holds)
      case 'null':
        return prefix.has(each.field)
      case 'in':
        return ofLane.has(each.field) || (prefix.has(each.field) && each.values.length === 1)
      case 'compare':
        if (ofLane.has(each.field)) return each.op !== 'ne'
        if (each.op === 'eq') return prefix.has(each.field)
        return each.op !== 'ne' && each.field === next && isExact(each.field)
      default:
        return false
    }
  }
  return holds(condition)
}

/** Whether a bound of the key is one of the values: NULL and NaN lie beyond a bound that they do not match. */
function isExact({ column, coarseMirror }: Field): boolean {
  const { kind } = column.type
  return !column.nullable && coarseMirror !== true && kind !== 'float32' && kind !== 'float64'
}
