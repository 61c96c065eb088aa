import type { PlainRow } from '../database/codec.js'
import type { OrderTerm, Position } from '../dialects/condition.js'
import type { Dialect } from '../dialects/dialect.js'
import type { TableLayout } from '../dialects/layout.js'
import { canBeKey, describeType } from '../model/column-type.js'
import { wiresOf } from '../database/codec.js'
import { invalidQuery } from './invalid-query.js'

export interface WantedOrder {
  readonly property: string
  readonly direction: 'asc' | 'desc'
}

/**
 * A total order: what was asked for, then the rest of the primary key so that no two rows are equal, the shard last of
 * all. Within one shard this is the key's own order wherever the wish begins like the key.
 */
export function totalOrder(layout: TableLayout, wanted: readonly WantedOrder[]): OrderTerm[] {
  const terms: OrderTerm[] = []
  for (const { property, direction } of wanted) {
    const field = layout.byProperty.get(property)
    if (!field) {
      const properties = [...layout.byProperty.keys()].join(', ')
      throw invalidQuery(
        layout,
        `has no property ${JSON.stringify(property)} to order by.`,
        `Choose from ${properties}.`,
      )
    }
    if (!canBeKey(field.column.type)) {
      const type = describeType(field.column.type)
      throw invalidQuery(
        layout,
        `cannot be ordered by ${property}, of type ${type}.`,
        'Order by another property.',
      )
    }
    if (direction !== 'asc' && direction !== 'desc') {
      throw invalidQuery(
        layout,
        `cannot be ordered by ${property} ${String(direction)}.`,
        "Use 'asc' or 'desc'.",
      )
    }
    if (terms.some((term) => term.field === field)) {
      throw invalidQuery(layout, `is ordered by ${property} twice.`, 'Name it once.')
    }
    terms.push({ field, order: direction })
  }
  const rest = layout.table.primaryKey
    .map(({ property, order }) => ({ field: layout.byProperty.get(property)!, order }))
    .filter(({ field }) => !terms.some((term) => term.field === field))
  return [
    ...terms,
    ...rest.filter(({ field }) => field !== layout.shard),
    ...rest.filter(({ field }) => field === layout.shard),
  ]
}

export type CompareRows = (a: PlainRow, b: PlainRow) => number

/** Compares rows exactly as the engine orders them. */
export function rowOrder(dialect: Dialect, terms: readonly OrderTerm[]): CompareRows {
  const nullSign = dialect.nulls === 'lowest' ? -1 : 1
  const steps = terms.map(({ field, order }) => {
    const { property } = field.column
    const sign = order === 'desc' ? -1 : 1
    return (a: PlainRow, b: PlainRow): number => {
      const left = a[property]
      const right = b[property]
      if (left === null || right === null) {
        return left === right ? 0 : sign * (left === null ? nullSign : -nullSign)
      }
      return sign * field.compare(left, right)
    }
  })
  return (a, b) => {
    for (const step of steps) {
      const result = step(a, b)
      if (result !== 0) return result
    }
    return 0
  }
}

/** Where a row stands in an order: what a cursor carries. */
export function positionOf(terms: readonly OrderTerm[], row: PlainRow): Position {
  return terms.map(({ field }) => wiresOf(field, row[field.column.property]))
}

/** The values at a position, as a row: enough of one to be compared. @throws {IsothermError} for a forged position. */
export function rowAt(terms: readonly OrderTerm[], position: Position): PlainRow {
  const row: PlainRow = {}
  terms.forEach(({ field }, at) => {
    const wires = position[at]!
    row[field.column.property] = wires.every((wire) => wire === null) ? null : field.parse(wires)
  })
  return row
}
