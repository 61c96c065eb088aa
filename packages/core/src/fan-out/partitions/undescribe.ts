import type { Comparison, Condition } from '../../dialects/condition.js'
import type { TableLayout } from '../../dialects/layout.js'
import type { Wire } from '../../dialects/wire.js'
import type { DescribedCondition } from '../describe.js'

type Item = DescribedCondition[number]

/** The filter that was described: the inverse of `describeCondition`. */
export function conditionFrom(layout: TableLayout, [name, ...rest]: DescribedCondition): Condition {
  const [operator, ...operands] = rest
  // A property has an operator after it, and the filters that `and` or `not` joins are lists.
  if (typeof operator !== 'string') {
    const joined = rest.map((each) => conditionFrom(layout, each as DescribedCondition))
    return name === 'not' ? { kind: 'not', of: joined[0]! } : { kind: name as 'and' | 'or', of: joined }
  }
  const field = layout.byProperty.get(String(name))!
  switch (operator) {
    case 'is null':
      return { kind: 'null', field }
    case 'starts with':
      return { kind: 'prefix', field, value: String(operands[0]) }
    case 'in': {
      const wires = operands.map(wireList)
      return { kind: 'in', field, values: wires.map((each) => field.parse(each)), wires }
    }
    default: {
      const wires = operands as readonly Wire[]
      return { kind: 'compare', field, op: operator as Comparison, value: field.parse(wires), wires }
    }
  }
}

function wireList(item: Item): readonly Wire[] {
  return item as readonly Wire[]
}
