import type { Condition } from '../../dialects/condition.js'
import type { Dialect } from '../../dialects/dialect.js'
import type { PlainRow } from '../../database/codec.js'
import { derivedValue } from '../../database/derived.js'
import type { Field, TableLayout } from '../../dialects/layout.js'
import { afterPrefix } from '../../keys/order.js'

export interface Bound {
  readonly value: unknown
  /** The bound itself is left out. */
  readonly open: boolean
}

/** What a filter says of one field for certain: every matching row fits it. */
export interface Constraint {
  /** The only values the field can have, NULL among them if it can be. */
  readonly candidates?: readonly unknown[]
  readonly lower?: Bound
  readonly upper?: Bound
}

export type Constraints = ReadonlyMap<Field, Constraint>

/** Only what is joined by AND binds all rows; anything else is left to the filter itself. */
export function constraintsOf(
  condition: Condition | undefined,
  { nanIsValue }: Pick<Dialect, 'nanIsValue'>,
): Constraints {
  const constraints = new Map<Field, Constraint>()
  const add = (field: Field, more: Constraint): void => {
    constraints.set(field, narrow(field, constraints.get(field) ?? {}, more))
  }
  const visit = (each: Condition): void => {
    switch (each.kind) {
      case 'and':
        each.of.forEach(visit)
        return
      case 'null':
        add(each.field, { candidates: [null] })
        return
      case 'in':
        add(each.field, { candidates: each.values.filter((value) => nanIsValue || !Number.isNaN(value)) })
        return
      case 'prefix': {
        const end = afterPrefix(each.value)
        add(each.field, {
          lower: { value: each.value, open: false },
          ...(end !== undefined && { upper: { value: end, open: true } }),
        })
        return
      }
      case 'compare': {
        const { field, op, value } = each
        // Where NaN is no value, it equals nothing and nothing is less or more; all that is not NULL differs from it.
        if (Number.isNaN(value) && !nanIsValue) {
          if (op !== 'ne') add(field, { candidates: [] })
          return
        }
        if (op === 'eq') add(field, { candidates: [value] })
        if (op === 'gt' || op === 'gte') add(field, { lower: { value, open: op === 'gt' } })
        if (op === 'lt' || op === 'lte') add(field, { upper: { value, open: op === 'lt' } })
        return
      }
      case 'or':
      case 'not':
        return
    }
  }
  if (condition) visit(condition)
  return constraints
}

function narrow(field: Field, known: Constraint, more: Constraint): Constraint {
  const lower = tighter(field, known.lower, more.lower, 1)
  const upper = tighter(field, known.upper, more.upper, -1)
  const candidates =
    known.candidates && more.candidates
      ? known.candidates.filter((value) => more.candidates!.some((other) => same(field, value, other)))
      : (known.candidates ?? more.candidates)
  return { ...(candidates && { candidates }), ...(lower && { lower }), ...(upper && { upper }) }
}

function tighter(field: Field, a: Bound | undefined, b: Bound | undefined, sign: 1 | -1): Bound | undefined {
  if (!a || !b) return a ?? b
  const difference = sign * field.compare(a.value, b.value)
  if (difference === 0) return a.open ? a : b
  return difference > 0 ? a : b
}

function same(field: Field, a: unknown, b: unknown): boolean {
  return a === null || b === null ? a === b : field.compare(a, b) === 0
}

/**
 * What a filter says of a table's fields, those included that follow from others: where it fixes what a key hashes, it fixes
 * the hash.
 */
export function tableConstraints(
  { fields, byProperty }: Pick<TableLayout, 'fields' | 'byProperty'>,
  condition: Condition | undefined,
  dialect: Pick<Dialect, 'nanIsValue'>,
): Constraints {
  const constraints = new Map(constraintsOf(condition, dialect))
  for (const field of fields) {
    const { fill } = field
    if (fill.by !== 'hash') continue
    const row: PlainRow = {}
    const isFixed = fill.source.of.every((property) => {
      const fixed = fixedValue(constraints, byProperty.get(property)!)
      row[property] = fixed?.value
      return fixed !== undefined
    })
    if (!isFixed) continue
    const more = { candidates: [derivedValue(fill, row)] }
    constraints.set(field, narrow(field, constraints.get(field) ?? {}, more))
  }
  return constraints
}

/** The value a field has in every matching row, where there is just one. */
export function fixedValue(constraints: Constraints, field: Field): { readonly value: unknown } | undefined {
  const candidates = constraints.get(field)?.candidates
  return candidates?.length === 1 ? { value: candidates[0] } : undefined
}

/** Whether no row can match: a field has no value left. */
export function isImpossible(constraints: Constraints): boolean {
  return [...constraints.values()].some(({ candidates }) => candidates?.length === 0)
}
