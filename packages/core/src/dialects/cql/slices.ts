import type { KeyRange } from '../mutation.js'
import type { PhysicalKeyPart } from '../layout.js'
import { sameWire, type Wire } from '../wire.js'

// CQL bounds one clustering column only, after those before it are fixed; or several at once that ascend and descend alike.
// A range whose ends are tuples is read in slices, one behind the other.
//
// Source: https://cassandra.apache.org/doc/5.0/cassandra/developing/cql/dml.html#where-clause

/** Rows with these leading clustering columns, and of them those within bounds on the columns behind. */
export interface Slice {
  readonly equal: readonly Wire[]
  readonly lower?: SliceBound
  readonly upper?: SliceBound
}

/** Of the values that follow the equal ones, whatever way they are kept in. Several only with `tuples`. */
export interface SliceBound {
  readonly wires: readonly Wire[]
  readonly open: boolean
}

export interface SliceOptions {
  /** Whether several columns can be bounded as one tuple. */
  readonly tuples: boolean
  /** Read from its end to its start: so come the slices. */
  readonly reversed: boolean
}

/**
 * A range of one partition as slices in the order of the key. Between them they hold each key of the range once, and no
 * other.
 *
 * @param key the clustering columns
 * @param range over those columns alone
 * @example
 * // at DESC, id ASC; behind (10:00, 7): first the rest of 10:00, then what is earlier
 * slicesOf(key, { start: ['10:00', '7'], startOpen: true, end: [], endOpen: false }, options)
 * // [{ equal: ['10:00'], lower: { wires: ['7'], open: true } }, { equal: [], upper: { wires: ['10:00'], open: true } }]
 */
export function slicesOf(
  key: readonly PhysicalKeyPart[],
  range: KeyRange,
  { tuples, reversed }: SliceOptions,
): readonly Slice[] {
  const slices = inOrder(key, range, tuples).filter(canHoldRows)
  return reversed ? slices.toReversed() : slices
}

function inOrder(key: readonly PhysicalKeyPart[], range: KeyRange, tuples: boolean): Slice[] {
  const { start, startOpen, end, endOpen } = range
  let common = 0
  while (common < start.length && common < end.length && sameWire(start[common]!, end[common]!)) common++
  // A bound that the other one begins with stands for all keys that begin so: with all of them, or with none.
  if ((common === start.length && startOpen) || (common === end.length && endOpen)) return []
  const equal = start.slice(0, common)
  const from = runsOf(key, common, start.length, tuples)
  const to = runsOf(key, common, end.length, tuples)
  // Without tuples the rest of each end is read by itself: of a range that is none, that would be rows.
  if ((from.length > 1 || to.length > 1) && from.length > 0 && to.length > 0) {
    if (compareAt(key[common]!, start[common]!, end[common]!) > 0) return []
  }
  return [
    ...from
      .slice(1)
      .toReversed()
      .map((run) => beyond(key, start, run, startOpen)),
    {
      equal,
      ...(from[0] && boundOf(key, start, from[0], startOpen, 'start')),
      ...(to[0] && boundOf(key, end, to[0], endOpen, 'end')),
    },
    ...to.slice(1).map((run) => before(key, end, run, endOpen)),
  ]
}

/** Columns next to one another that one bound can be over. */
interface Run {
  readonly from: number
  to: number
}

function runsOf(key: readonly PhysicalKeyPart[], from: number, to: number, tuples: boolean): Run[] {
  const runs: Run[] = []
  for (let at = from; at < to; at++) {
    const last = runs.at(-1)
    if (tuples && last && key[at]!.order === key[last.from]!.order) last.to = at + 1
    else runs.push({ from: at, to: at + 1 })
  }
  return runs
}

/** The keys that have the start's values up to a run, and come after it in the run. */
function beyond(key: readonly PhysicalKeyPart[], start: readonly Wire[], run: Run, open: boolean): Slice {
  return { equal: start.slice(0, run.from), ...boundOf(key, start, run, open, 'start') }
}

function before(key: readonly PhysicalKeyPart[], end: readonly Wire[], run: Run, open: boolean): Slice {
  return { equal: end.slice(0, run.from), ...boundOf(key, end, run, open, 'end') }
}

/** Only the last run decides about keys that are equal in all of them: the others leave theirs to the runs behind. */
function boundOf(
  key: readonly PhysicalKeyPart[],
  wires: readonly Wire[],
  run: Run,
  open: boolean,
  side: 'start' | 'end',
): Pick<Slice, 'lower' | 'upper'> {
  const bound = { wires: wires.slice(run.from, run.to), open: run.to < wires.length || open }
  const isLower = (side === 'start') === (key[run.from]!.order === 'asc')
  return isLower ? { lower: bound } : { upper: bound }
}

/** No key holds NULL, and CQL takes none in its place. */
function canHoldRows({ equal }: Slice): boolean {
  return !equal.includes(null)
}

/** Which of two values stands first in the key. */
function compareAt({ field, column, order }: PhysicalKeyPart, a: Wire, b: Wire): number {
  // A half of a value that lies in two columns is a number, and has no field of its own.
  const whole = field.physical.length === 1 && field.physical[0] === column
  const ascending = whole
    ? field.compare(field.parse([a]), field.parse([b]))
    : Number(BigInt(String(a)) - BigInt(String(b)))
  return order === 'desc' ? -ascending : ascending
}
