import type { PlainRow } from '../../database/codec.js'
import type { Wire } from '../../dialects/wire.js'
import type { CompareRows } from '../order.js'

// A key that several rows may share, or that is coarser than what it stands for, puts rows in order only in groups: those
// within a group are sorted here.

export interface Groups {
  /** The key parts that make a row's group. */
  keyOf(row: PlainRow): readonly Wire[]
  /** Whether the last group may have more rows than are here. */
  readonly open: boolean
  /** Rows up to this one are left out: they were read before. */
  readonly behind: PlainRow | undefined
}

/**
 * Rows of whole groups, sorted. Those of an open last group are left out, to be read again from its start; `began` says
 * whether another group came before it.
 */
export function sortGroups(
  rows: readonly PlainRow[],
  compare: CompareRows,
  { keyOf, open, behind }: Groups,
): { readonly rows: readonly PlainRow[]; readonly began: boolean } {
  const end = open ? startOfLastGroup(rows, keyOf) : rows.length
  const whole = rows.slice(0, end)
  // Groups come in order, so this mostly finds the rows sorted.
  whole.sort(compare)
  return {
    rows: behind ? whole.filter((row) => compare(row, behind) > 0) : whole,
    began: end > 0,
  }
}

function startOfLastGroup(rows: readonly PlainRow[], keyOf: Groups['keyOf']): number {
  let start = rows.length - 1
  const last = JSON.stringify(keyOf(rows[start]!))
  while (start > 0 && JSON.stringify(keyOf(rows[start - 1]!)) === last) start--
  return start
}
