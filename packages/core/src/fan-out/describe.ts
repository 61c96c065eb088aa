import type { Condition } from '../dialects/condition.js'
import type { Wire } from '../dialects/wire.js'

/** A filter as plain data: property, operator and operands, or `and`, `or`, `not` and what they join. */
export type DescribedCondition = readonly (Wire | readonly Wire[] | DescribedCondition)[]

export function describeCondition(condition: Condition): DescribedCondition {
  switch (condition.kind) {
    case 'compare':
      return [condition.field.column.property, condition.op, ...condition.wires]
    case 'in':
      return [condition.field.column.property, 'in', ...condition.wires]
    case 'null':
      return [condition.field.column.property, 'is null']
    case 'prefix':
      return [condition.field.column.property, 'starts with', condition.value]
    case 'and':
    case 'or':
      return [condition.kind, ...condition.of.map(describeCondition)]
    case 'not':
      return ['not', describeCondition(condition.of)]
  }
}
