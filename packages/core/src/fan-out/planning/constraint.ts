import { ascending, isAmong } from '../../database/value-list.js'
import type { Field } from '../../dialects/layout.js'

export interface Bound {
  readonly value: unknown
  /** The bound itself is left out. */
  readonly open: boolean
}

/** What a filter says of one field for certain: every matching row fits it. */
export interface Constraint {
  /** The only values the field can have, NULL among them if it can be; of a partitioned key, each once, in ascending order. */
  readonly candidates?: readonly unknown[]
  readonly lower?: Bound
  readonly upper?: Bound
}

export type Constraints = ReadonlyMap<Field, Constraint>

/** Both at once. */
export function narrow(field: Field, known: Constraint, more: Constraint): Constraint {
  const lower = tighter(field, known.lower, more.lower, 1)
  const upper = tighter(field, known.upper, more.upper, -1)
  const candidates =
    known.candidates && more.candidates
      ? inBoth(field, known.candidates, more.candidates)
      : (known.candidates ?? more.candidates)
  return { ...(candidates && { candidates }), ...(lower && { lower }), ...(upper && { upper }) }
}

function tighter(field: Field, a: Bound | undefined, b: Bound | undefined, sign: 1 | -1): Bound | undefined {
  if (!a || !b) return a ?? b
  const difference = sign * field.compare(a.value, b.value)
  if (difference === 0) return a.open ? a : b
  return difference > 0 ? a : b
}

/** Those of one list that the other has too: lists of a filter may have thousands of values. */
function inBoth(field: Field, known: readonly unknown[], more: readonly unknown[]): readonly unknown[] {
  const others = ascending(field, more)
  return known.filter((value) => (value === null ? more.includes(null) : isAmong(field, others, value)))
}
