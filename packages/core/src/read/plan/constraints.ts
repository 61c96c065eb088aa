import type { Condition } from '../../layout/statement.js'
import type { DialectRuntime } from '../../engine/dialect.js'
import type { PlainRow } from '../../engine/codec.js'
import { derivedValue } from '../../rows/fill.js'
import { ascending } from '../../rows/predicate.js'
import type { Field, TableLayout } from '../../layout/layout.js'
import { afterPrefix } from '../../keys/order.js'
import { type Constraint, type Constraints, bucketConstraint, bucketSource, narrow } from './buckets.js'

export type { Bound, Constraint, Constraints } from './buckets.js'

/** Only conditions that are joined by AND constrain all rows; all others are left to the filter itself. */
export function constraintsOf(
  condition: Condition | undefined,
  { nanIsValue }: Pick<DialectRuntime, 'nanIsValue'>,
): Constraints {
  const constraints = new Map<Field, Constraint>()
  const add = (field: Field, more: Constraint): void => {
    constraints.set(field, narrow(field, constraints.get(field) ?? {}, more))
  }
  const isStored = (field: Field): boolean => nanIsValue && field.storesNoNan !== true
  const visit = (each: Condition): void => {
    switch (each.kind) {
      case 'and':
        each.of.forEach(visit)
        return
      case 'null':
        add(each.field, { candidates: [null] })
        return
      case 'in':
        add(each.field, {
          candidates: each.values.filter((value) => !Number.isNaN(value) || isStored(each.field)),
        })
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
        // On engines where NaN is not a value, it equals nothing, and nothing is less or more; every value that is not NULL
        // differs from it.
        if (Number.isNaN(value) && !nanIsValue) {
          if (op !== 'ne') add(field, { candidates: [] })
          return
        }
        // In a column that cannot hold NaN, NaN is greater than all values: it does not limit the range, and a key has
        // another position for it.
        if (Number.isNaN(value) && !isStored(field)) {
          if (op === 'eq' || op === 'gt' || op === 'gte') add(field, { candidates: [] })
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

/**
 * The constraints of a filter on a table's fields, including derived ones: if it fixes the columns that a key hashes, it
 * fixes the hash; bounds of a time also bound its bucket.
 */
export function tableConstraints(
  layout: Pick<TableLayout, 'fields' | 'byProperty'> & Partial<Pick<TableLayout, 'key' | 'partition'>>,
  condition: Condition | undefined,
  dialect: Pick<DialectRuntime, 'nanIsValue'>,
): Constraints {
  const { fields, byProperty } = layout
  const constraints = new Map(constraintsOf(condition, dialect))
  for (const field of fields) {
    const { fill } = field
    const source = bucketSource(field)
    const time = source && byProperty.get(source.of)
    const ofTime = time && constraints.get(time)
    if (ofTime) {
      const more = bucketConstraint(source, time, ofTime)
      constraints.set(field, narrow(field, constraints.get(field) ?? {}, more))
    }
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
  if (layout.partition !== undefined) boundByCandidates(layout.key ?? [], constraints)
  return constraints
}

/** Lists of key values, each once and in order, bounded by their ends too. Partitions have no NULL in their keys. */
function boundByCandidates(key: TableLayout['key'], constraints: Map<Field, Constraint>): void {
  for (const { field } of key) {
    const known = constraints.get(field)
    if (!known?.candidates) continue
    const candidates = ascending(field, known.candidates)
    const [min] = candidates
    const ends =
      candidates.length < 2
        ? {}
        : {
            lower: { value: min, open: false },
            upper: { value: candidates.at(-1), open: false },
          }
    constraints.set(field, narrow(field, { ...known, candidates }, ends))
  }
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
