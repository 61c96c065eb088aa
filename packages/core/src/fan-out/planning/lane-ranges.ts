import type { PlainRow } from '../../database/codec.js'
import type { KeyRange } from '../../database/driver.js'
import type { OrderTerm, Position } from '../../dialects/condition.js'
import type { KeyOrder } from '../../dialects/layout.js'
import type { Wire } from '../../dialects/wire.js'
import type { PlannedRead } from './calls.js'
import { fixedValue, type Constraints } from './constraints.js'
import { clusteringFields, partitionFields, type KeyField } from './key-ranges.js'
import type { Lane } from './lanes.js'

// Ranges of keys in the order in which they are read: a backward read has turned keys.

/** What is left of a lane's range, in the order in which it is read; undefined where nothing is. */
export type LaneRest = (lane: Lane, range: KeyRange) => KeyRange | undefined

/**
 * What is left of lanes after a position. A term that is the same in all of a lane decides by itself where it differs from the
 * position: then all rows that agree so far come after it, or none of them.
 *
 * @param terms the order that the position is in, which the keys give, at least in groups
 */
export function laneRest(
  keys: KeyOrder,
  terms: readonly OrderTerm[],
  position: Position,
  constraints: Constraints,
): LaneRest {
  const same = new Set(partitionFields(keys))
  const fields = clusteringFields(keys)
  const grouped = keys.grouped ?? keys.key.length
  const reached = terms.map(({ field }, at) => (same.has(field) ? field.parse(position[at]!) : undefined))
  return ({ fixed, wires }, range) => {
    const start: Wire[] = [...wires]
    let next = 0
    let isNarrowed = false
    for (const [at, { field, order }] of terms.entries()) {
      if (same.has(field)) {
        const sign = order === 'desc' ? -1 : 1
        const difference = sign * field.compare(fixed.get(field), reached[at])
        if (difference > 0) return isNarrowed ? { ...range, start, startOpen: false } : range
        if (difference < 0) return isNarrowed ? { ...range, start, startOpen: true } : undefined
        continue
      }
      if (fixedValue(constraints, field)) continue
      // Those that the filter fixes stand in the key, and in no order.
      while (
        next < fields.length &&
        fields[next]!.field !== field &&
        fixedValue(constraints, fields[next]!.field)
      )
        start.push(...fixedWires(fields[next++]!, constraints))
      const part = fields[next]
      if (part?.field !== field || start.length + part.parts.length > grouped) {
        // The keys say no more: the position's group is read again.
        return isNarrowed ? { ...range, start, startOpen: false } : range
      }
      start.push(...position[at]!)
      next++
      isNarrowed = true
    }
    return isNarrowed ? { ...range, start, startOpen: true } : undefined
  }
}

/** The rest of a read of one lane, after its last row; from the start of that row's group, where the keys only group. */
export function laneReadAfter(
  { key, partition = 0, grouped }: KeyOrder,
  call: PlannedRead,
  last: PlainRow,
  limit: number,
): PlannedRead {
  const [range] = call.ranges as readonly [KeyRange]
  const place = [
    // Rows need not have been read with what is the same in all of them.
    ...range.start.slice(0, partition),
    ...key.slice(partition, grouped).map(({ field, column }) => column.encode(last[field.column.property])),
  ]
  const isOpen = grouped === undefined
  const rest = call.reversed
    ? { ...range, end: place, endOpen: isOpen }
    : { ...range, start: place, startOpen: isOpen }
  return { ...call, ranges: [rest], limit }
}

function fixedWires({ field, parts }: KeyField, constraints: Constraints): readonly Wire[] {
  const { value } = fixedValue(constraints, field)!
  return parts.map(({ column }) => column.encode(value))
}
