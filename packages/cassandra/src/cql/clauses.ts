import {
  type KeyRange,
  type Parameter,
  type PhysicalColumn,
  type PhysicalKeyPart,
  type Wire,
  type WireType,
  sameWire,
  itemAt,
} from '@isotherm/core/engine'
import { quote } from './identifier.js'

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

/** A bound on the columns after the equal ones, in their order. Several columns only with `tuples`. */
interface SliceBound {
  readonly wires: readonly Wire[]
  readonly open: boolean
}

interface SliceOptions {
  /** Whether several columns can be bounded as one tuple. */
  readonly tuples: boolean
  /** Read from its end to its start: so come the slices. */
  readonly reversed: boolean
}

/**
 * A range of one partition as slices in the order of the key. Together they hold each key of the range once, and no other.
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
  while (common < end.length && isSameAt(start, end, common)) common++
  // If one bound is a prefix of the other, it includes all keys with this prefix, or none of them.
  if ((common === start.length && startOpen) || (common === end.length && endOpen)) return []
  const equal = start.slice(0, common)
  const from = runsOf(key, common, start.length, tuples)
  const to = runsOf(key, common, end.length, tuples)
  // Without tuples the rest of each end is read by itself: for an empty range, that would return rows.
  if ((from.length > 1 || to.length > 1) && from.length > 0 && to.length > 0) {
    const [part, first, last] = [itemAt(key, common), itemAt(start, common), itemAt(end, common)]
    if (compareAt(part, first, last) > 0) return []
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

function isSameAt(start: readonly Wire[], end: readonly Wire[], at: number): boolean {
  const [first, last] = [start[at], end[at]]
  return first !== undefined && last !== undefined && sameWire(first, last)
}

function runsOf(key: readonly PhysicalKeyPart[], from: number, to: number, tuples: boolean): Run[] {
  const runs: Run[] = []
  for (let at = from; at < to; at++) {
    const last = runs.at(-1)
    if (tuples && last && key[at]?.order === key[last.from]?.order) last.to = at + 1
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
  const isLower = (side === 'start') === (key[run.from]?.order === 'asc')
  return isLower ? { lower: bound } : { upper: bound }
}

/** A key cannot contain NULL, and CQL does not accept NULL for a key column. */
function canHoldRows({ equal }: Slice): boolean {
  return !equal.includes(null)
}

/** Which of two values comes first in the key. */
function compareAt({ field, column, order }: PhysicalKeyPart, a: Wire, b: Wire): number {
  // Half of a value that is stored in two columns is a number, and does not have a field of its own.
  const whole = field.physical.length === 1 && field.physical[0] === column
  const ascending = whole
    ? field.compare(field.parse([a]), field.parse([b]))
    : Number(BigInt(String(a)) - BigInt(String(b)))
  return order === 'desc' ? -ascending : ascending
}

// A statement's text is made once for each shape of statement, and each call binds its values to the parameters, so the
// client finds the prepared statement again. A text never contains anything that a user gave.

/** The value that one `?` stands for, and its position among the values of a call. */
interface Slot {
  readonly name: string
  readonly type: WireType
  readonly position: number
}

/** A statement without its values. */
export interface Template {
  readonly text: string
  readonly slots: readonly Slot[]
  /** Places of the slots that make the partition key. */
  readonly routing: readonly number[]
  /** Places of the slots that take no value: see `CqlWriter.unset`. Absent: none. */
  readonly unset?: readonly number[]
}

/** Instead of the position of a value. */
const NO_VALUE = -1

/** Records what each `?` of one text stands for, in order. */
export class CqlWriter {
  readonly #slots: Slot[] = []

  /** @param position of its value at a call; absent: the next one */
  parameter(name: string, type: WireType, position: number = this.#slots.length): string {
    this.#slots.push({ name, type, position })
    return '?'
  }

  /** A parameter for a value of a column. */
  valueOf({ name, type }: PhysicalColumn, position?: number): string {
    return this.parameter(name, type, position)
  }

  /** A parameter of a column that is to stay as it is: CQL asks for more in a text than there is to be written. */
  unset({ name, type }: PhysicalColumn): string {
    return this.parameter(name, type, NO_VALUE)
  }

  /** @param partition names of the columns that make the partition key */
  template(text: string, partition: ReadonlySet<string>): Template {
    // The first of a name: a condition may name a column again.
    const routing = [...partition].map((name) => this.#slots.findIndex((slot) => slot.name === name))
    const unset = this.#slots.flatMap(({ position }, at) => (position === NO_VALUE ? [at] : []))
    return {
      text,
      slots: this.#slots,
      routing: routing.filter((position) => position >= 0),
      ...(unset.length > 0 && { unset }),
    }
  }
}

export function columnList(columns: readonly PhysicalColumn[]): string {
  return columns.map(({ name }) => quote(name)).join(', ')
}

/** The parameters of one call. */
export function parametersOf({ slots }: Template, values: readonly Wire[]): Parameter[] {
  return slots.map(({ name, type, position }) => ({ name, type, value: values[position] ?? null }))
}

// The clauses that statements have in common. Parameters are recorded in the order in which they appear in the text.

/** @param positions of the values at a call; absent: in order */
export function equals(
  writer: CqlWriter,
  columns: readonly PhysicalColumn[],
  positions?: readonly number[],
): string[] {
  return columns.map((column, at) => `${quote(column.name)} = ${writer.valueOf(column, positions?.[at])}`)
}

/** The shape of a slice's values: slices of one shape are read by one text. */
export interface SliceShape {
  readonly equal: number
  readonly lower?: BoundShape
  readonly upper?: BoundShape
}

interface BoundShape {
  readonly columns: number
  readonly open: boolean
}

export function shapeOf({ equal, lower, upper }: Slice): SliceShape {
  return {
    equal: equal.length,
    ...(lower && { lower: boundShape(lower) }),
    ...(upper && { upper: boundShape(upper) }),
  }
}

function boundShape({ wires, open }: SliceBound): BoundShape {
  return { columns: wires.length, open }
}

/** A slice of the rows of one partition, whose own columns come first. */
export function withinSlice(
  writer: CqlWriter,
  partition: readonly PhysicalColumn[],
  clustering: readonly PhysicalColumn[],
  { equal, lower, upper }: SliceShape,
): string {
  const free = clustering.slice(equal)
  // A tuple on one side wants one on the other.
  const asTuple = Math.max(lower?.columns ?? 0, upper?.columns ?? 0) > 1
  const bound = (operator: '<' | '>', { columns, open }: BoundShape): string => {
    const bounded = free.slice(0, columns)
    const values = bounded.map((column) => writer.valueOf(column)).join(', ')
    const relation = open ? operator : `${operator}=`
    return asTuple
      ? `(${columnList(bounded)}) ${relation} (${values})`
      : `${columnList(bounded)} ${relation} ${values}`
  }
  return [
    ...equals(writer, [...partition, ...clustering.slice(0, equal)]),
    ...(lower ? [bound('>', lower)] : []),
    ...(upper ? [bound('<', upper)] : []),
  ].join(' AND ')
}

/** The clustering columns turned, all of them: a partition is kept in one order, and read in that or from behind. */
export function backwards(clustering: readonly PhysicalKeyPart[]): string {
  const turned = clustering.map(
    ({ column, order }) => `${quote(column.name)} ${order === 'asc' ? 'DESC' : 'ASC'}`,
  )
  return ` ORDER BY ${turned.join(', ')}`
}

/** Places of the options that a write may carry, behind the values of its columns. */
export interface UsingPositions {
  readonly ttlSeconds?: number
  readonly writeTime?: number
}

/** Beginning with a blank; nothing where nothing is asked for. */
export function using(writer: CqlWriter, { ttlSeconds, writeTime }: UsingPositions): string {
  const options = [
    ...(ttlSeconds === undefined ? [] : [`TTL ${writer.parameter('ttl', { kind: 'int32' }, ttlSeconds)}`]),
    ...(writeTime === undefined
      ? []
      : [`TIMESTAMP ${writer.parameter('timestamp', { kind: 'int64' }, writeTime)}`]),
  ]
  return options.length === 0 ? '' : ` USING ${options.join(' AND ')}`
}

/** The condition of a written row: that it exists or not, or the values of its columns. */
export type Condition =
  | 'EXISTS'
  | 'NOT EXISTS'
  | readonly {
      readonly column: PhysicalColumn
      readonly is: 'NULL' | 'true' | 'NOT NULL' | { readonly position: number }
    }[]

/** Beginning with a blank. */
export function onlyIf(writer: CqlWriter, condition: Condition | undefined): string {
  if (condition === undefined) return ''
  if (typeof condition === 'string') return ` IF ${condition}`
  const terms = condition.map(({ column, is }) => {
    if (is === 'NOT NULL') return `${quote(column.name)} != NULL`
    const value = typeof is === 'string' ? is : writer.valueOf(column, is.position)
    return `${quote(column.name)} = ${value}`
  })
  return ` IF ${terms.join(' AND ')}`
}
