import type { PhysicalColumn, PhysicalKeyPart } from '../layout.js'
import { quote } from './identifier.js'
import type { SliceBound, Slice } from './slices.js'
import { columnList, type CqlWriter } from './writer.js'

// The clauses that statements have in common. Parameters are noted in the order in which they stand in the text.

/** @param places of the values at a call; absent: in order */
export function equals(
  writer: CqlWriter,
  columns: readonly PhysicalColumn[],
  places?: readonly number[],
): string[] {
  return columns.map((column, at) => `${quote(column.name)} = ${writer.valueOf(column, places?.[at])}`)
}

/** What a slice's values look like: slices of one shape are read by one text. */
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
export interface UsingPlaces {
  readonly ttl?: number
  readonly writeTime?: number
}

/** Beginning with a blank; nothing where nothing is asked for. */
export function using(writer: CqlWriter, { ttl, writeTime }: UsingPlaces): string {
  const options = [
    ...(ttl === undefined ? [] : [`TTL ${writer.parameter('ttl', { kind: 'int32' }, ttl)}`]),
    ...(writeTime === undefined
      ? []
      : [`TIMESTAMP ${writer.parameter('timestamp', { kind: 'int64' }, writeTime)}`]),
  ]
  return options.length === 0 ? '' : ` USING ${options.join(' AND ')}`
}

/** What has to be true of a row that is written: that there is one, or none, or what its columns hold. */
export type Condition =
  | 'EXISTS'
  | 'NOT EXISTS'
  | readonly { readonly column: PhysicalColumn; readonly is: 'NULL' | 'true' | { readonly place: number } }[]

/** Beginning with a blank. */
export function onlyIf(writer: CqlWriter, condition: Condition | undefined): string {
  if (condition === undefined) return ''
  if (typeof condition === 'string') return ` IF ${condition}`
  const terms = condition.map(({ column, is }) => {
    const value = typeof is === 'string' ? is : writer.valueOf(column, is.place)
    return `${quote(column.name)} = ${value}`
  })
  return ` IF ${terms.join(' AND ')}`
}
