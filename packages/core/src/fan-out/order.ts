import type { PlainRow } from '../database/codec.js'
import type { OrderTerm, Position } from '../dialects/condition.js'
import type { Dialect } from '../dialects/dialect.js'
import type { Field, TableLayout } from '../dialects/layout.js'
import { canBeKey, describeType } from '../model/column-type.js'
import { wiresOf } from '../database/codec.js'
import { fieldNamed } from './field-named.js'
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
    const field = fieldNamed(layout, property, 'order by')
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
  // The first term mostly decides: each looks at the next one only where it finds no difference.
  return terms.reduceRight<CompareRows>(
    (next, { field, order }) => {
      const { property } = field.column
      const sign = order === 'desc' ? -1 : 1
      return (a, b) => {
        const left = a[property]
        const right = b[property]
        if (left === null || right === null) {
          if (left === right) return next(a, b)
          return sign * (left === null ? nullSign : -nullSign)
        }
        const difference = field.compare(left, right)
        return difference === 0 ? next(a, b) : sign * difference
      }
    },
    () => 0,
  )
}

/** A number that rows are first compared by: of two rows, the one with the lower number comes first. */
export type RankRow = (row: PlainRow) => number

/**
 * The first term of an order as a number, so that most rows are told apart by comparing two numbers. Where it cannot say,
 * rows have the same one.
 */
export function rowRank(dialect: Dialect, terms: readonly OrderTerm[]): RankRow {
  const [first] = terms
  const rank = first && valueRank(first.field, dialect)
  if (!rank) return () => 0
  const { property } = first.field.column
  const sign = first.order === 'desc' ? -1 : 1
  const ofNull = sign * (dialect.nulls === 'lowest' ? -Infinity : Infinity)
  return (row) => {
    const value = row[property]
    return value === null ? ofNull : sign * rank(value)
  }
}

function valueRank({ column, physical }: Field, dialect: Dialect): ((value: unknown) => number) | undefined {
  switch (column.type.kind) {
    case 'timestamp':
      return (value) => (value as Date).getTime()
    case 'int64':
    case 'varint':
      // Beyond 2^53 neighbours have the same number.
      return Number
    case 'int32':
    case 'int16':
    case 'int8':
      return (value) => value as number
    case 'float32':
    case 'float64': {
      const ofNan = dialect.nanIsValue ? Infinity : -Infinity
      return (value) => (Number.isNaN(value) ? ofNan : (value as number))
    }
    case 'string':
      return codePoints
    case 'uuid':
      // Without SQL, a UUID's version comes before its first digits.
      return dialect.sql && physical.length === 1 && column.type.storage !== 'bytes' ? codePoints : undefined
    default:
      return undefined
  }
}

/** The first two characters of a text; those of the same ones are told apart in full. */
function codePoints(value: unknown): number {
  const text = value as string
  const first = text.codePointAt(0)
  if (first === undefined) return -1
  return first * 0x110000 + (text.codePointAt(first > 0xffff ? 2 : 1) ?? -1)
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
