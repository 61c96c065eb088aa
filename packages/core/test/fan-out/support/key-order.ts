import { keyWires, type PlainRow } from '../../../src/database/codec.js'
import type { KeyRange } from '../../../src/database/driver.js'
import type { TableLayout } from '../../../src/dialects/layout.js'
import type { Wire } from '../../../src/dialects/wire.js'

/** How the engine orders keys, or the parts that both have: part by part, NULL lowest, descending parts backwards. */
export function compareKeys(layout: TableLayout, a: readonly Wire[], b: readonly Wire[]): number {
  for (const [at, { field, order }] of layout.key.entries()) {
    if (at >= a.length || at >= b.length) return 0
    const [left, right] = [a[at]!, b[at]!]
    const ascending =
      left === null || right === null
        ? Number(right === null) - Number(left === null)
        : field.compare(field.parse([left]), field.parse([right]))
    if (ascending !== 0) return order === 'desc' ? -ascending : ascending
  }
  return 0
}

/** Whether a read of this range gives the row back. A bound stands for all the keys that start with it. */
export function isInRange(layout: TableLayout, row: PlainRow, range: KeyRange): boolean {
  const key = keyWires(layout, row)
  const fromStart = compareKeys(layout, key, range.start)
  const toEnd = compareKeys(layout, range.end, key)
  return (range.startOpen ? fromStart > 0 : fromStart >= 0) && (range.endOpen ? toEnd > 0 : toEnd >= 0)
}
