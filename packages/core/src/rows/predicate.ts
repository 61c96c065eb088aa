import type { Field } from '../layout/layout.js'
import type { Condition } from '../layout/statement.js'
import type { DialectRuntime } from '../engine/dialect.js'
import type { PlainRow } from '../engine/codec.js'

// Lists of a filter may have thousands of values.

/** Each value once, from the least to the greatest, and no NULL. */
export function ascending(field: Field, values: readonly unknown[]): readonly unknown[] {
  return values
    .filter((value) => value !== null)
    .toSorted((a, b) => field.compare(a, b))
    .filter((value, at, sorted) => at === 0 || field.compare(sorted[at - 1], value) !== 0)
}

/** Whether a list that is ascending has it. */
export function isAmong(field: Field, sorted: readonly unknown[], value: unknown): boolean {
  let [from, to] = [0, sorted.length]
  while (from < to) {
    const middle = Math.floor((from + to) / 2)
    const difference = field.compare(sorted[middle], value)
    if (difference === 0) return true
    if (difference < 0) from = middle + 1
    else to = middle
  }
  return false
}

/** True, false, or null for unknown: SQL's three values, so that `NOT` of an unknown stays unknown. */
export type Predicate = (row: PlainRow) => boolean | null

/** Whether NaN is a value like any other: it depends on the dialect. */
type FloatRules = Pick<DialectRuntime, 'nanIsValue'>

/** A filter as a function, agreeing with what the engine does with the same filter. */
export function predicateOf(condition: Condition, dialect: FloatRules): Predicate {
  switch (condition.kind) {
    case 'compare':
      return comparison(condition, dialect)
    case 'in': {
      const { field, values } = condition
      const { property } = field.column
      // NaN where it equals nothing is in no list.
      const equal = isSpecialFloat(field, dialect) ? values.filter((each) => !Number.isNaN(each)) : values
      const list = ascending(field, equal)
      return (row) => {
        const value = row[property]
        if (values.length === 0) return false
        return value === null ? null : isAmong(field, list, value)
      }
    }
    case 'null': {
      const { property } = condition.field.column
      return (row) => row[property] === null
    }
    case 'prefix': {
      const { property } = condition.field.column
      const { value: prefix } = condition
      return (row) => {
        const value = row[property] as string | null
        return value === null ? null : value.startsWith(prefix)
      }
    }
    case 'and':
      return junction(condition.of, false, dialect)
    case 'or':
      return junction(condition.of, true, dialect)
    case 'not': {
      const inner = predicateOf(condition.of, dialect)
      return (row) => {
        const result = inner(row)
        return result === null ? null : !result
      }
    }
  }
}

function junction(of: readonly Condition[], decisive: boolean, dialect: FloatRules): Predicate {
  const predicates = of.map((each) => predicateOf(each, dialect))
  return (row) => {
    let unknown = false
    for (const predicate of predicates) {
      const result = predicate(row)
      if (result === decisive) return decisive
      unknown ||= result === null
    }
    return unknown ? null : !decisive
  }
}

type Compared = Extract<Condition, { kind: 'compare' }>

function comparison({ field, op, value }: Compared, dialect: FloatRules): Predicate {
  const { property } = field.column
  const test = tester(field, op, value, dialect)
  return (row) => {
    const own = row[property]
    return own === null ? null : test(own)
  }
}

function tester(
  field: Compared['field'],
  op: Compared['op'],
  value: unknown,
  dialect: FloatRules,
): (own: unknown) => boolean {
  if (isSpecialFloat(field, dialect)) return floatTester(op, value as number)
  switch (op) {
    case 'eq':
      return (own) => field.compare(own, value) === 0
    case 'ne':
      return (own) => field.compare(own, value) !== 0
    case 'lt':
      return (own) => field.compare(own, value) < 0
    case 'lte':
      return (own) => field.compare(own, value) <= 0
    case 'gt':
      return (own) => field.compare(own, value) > 0
    case 'gte':
      return (own) => field.compare(own, value) >= 0
  }
}

/** Floats whose NaN answers to no comparison, though it has a position in an order. */
function isSpecialFloat({ column }: Compared['field'], { nanIsValue }: FloatRules): boolean {
  const { kind } = column.type
  return !nanIsValue && (kind === 'float32' || kind === 'float64')
}

/** JavaScript compares numbers as GoogleSQL does: NaN equals nothing and is neither more nor less. */
function floatTester(op: Compared['op'], value: number): (own: unknown) => boolean {
  switch (op) {
    case 'eq':
      return (own) => own === value
    case 'ne':
      return (own) => own !== value
    case 'lt':
      return (own) => (own as number) < value
    case 'lte':
      return (own) => (own as number) <= value
    case 'gt':
      return (own) => (own as number) > value
    case 'gte':
      return (own) => (own as number) >= value
  }
}
