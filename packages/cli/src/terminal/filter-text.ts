import type { FanOutPlan } from '@isotherm/core'

type Filter = NonNullable<FanOutPlan['filter']>
type Operand = Filter[number]

const SIGNS: Readonly<Record<string, string>> = { eq: '=', ne: '!=', lt: '<', lte: '<=', gt: '>', gte: '>=' }

/** A plan's filter as people write one: `userId = "7" and page starts with "/docs"`. */
export function filterText([name, ...rest]: Filter): string {
  const [operator, ...operands] = rest
  // A property has an operator after it, and the filters that `and`, `or` and `not` join are lists.
  if (typeof operator !== 'string') {
    const joined = rest.map((each) => grouped(each as Filter))
    return name === 'not'
      ? `not ${joined.join('')}`
      : joined.join(` ${String(name)} `) || `${String(name)} of nothing`
  }
  if (operator === 'is null') return `${String(name)} is null`
  if (operator === 'in') return `${String(name)} in (${operands.map(valueText).join(', ')})`
  return `${String(name)} ${SIGNS[operator] ?? operator} ${valueText(operands)}`
}

function grouped(filter: Filter): string {
  const isJoined = typeof filter[1] !== 'string'
  return isJoined ? `(${filterText(filter)})` : filterText(filter)
}

/** A value may be stored in several columns. */
function valueText(value: Operand): string {
  const parts = Array.isArray(value) ? (value as readonly Operand[]) : [value]
  return parts.map((part) => JSON.stringify(part)).join(' ')
}
