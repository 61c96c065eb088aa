import { IsothermError, quoted, shown } from '../../errors.js'
import type { Field, TableLayout } from '../../layout/layout.js'
import { type PlainRow, wiresOf } from '../../engine/codec.js'
import { canBeCompared } from '../../layout/field.js'
import type { OrderTerm, Position } from '../../layout/statement.js'
import type { DialectRuntime } from '../../engine/dialect.js'
import { describeType } from '../../model/column-type.js'

export function invalidQuery({ table }: TableLayout, what: string, fix: string): IsothermError {
  return new IsothermError('INVALID_QUERY', `${table.name} ${what}`, { fix, table: table.name })
}

/**
 * @param purpose follows "to" in the message: `order by`
 * @throws {IsothermError} `INVALID_QUERY` for a property that does not exist.
 */
export function fieldNamed(layout: TableLayout, property: string | undefined, purpose: string): Field {
  const field = property === undefined ? undefined : layout.byProperty.get(property)
  if (field) return field
  throw invalidQuery(
    layout,
    `has no property ${quoted(property)} to ${purpose}.`,
    `Choose from ${[...layout.byProperty.keys()].join(', ')}.`,
  )
}

/** A limit as it was given. @throws {IsothermError} `INVALID_QUERY` for an invalid number of rows. */
export function checkedLimit(layout: TableLayout, limit: number): number {
  if (Number.isSafeInteger(limit) && limit >= 1) return limit
  throw invalidQuery(layout, `has the limit ${shown(limit)}.`, 'A limit is a whole number from 1.')
}

export interface WantedOrder {
  readonly property: string
  readonly direction: 'asc' | 'desc'
}

/**
 * A total order: the requested order, then the rest of the primary key so that no two rows are equal, the shard last of
 * all. Within one shard this is the key's own order if the requested order begins like the key.
 */
export function totalOrder(layout: TableLayout, wanted: readonly WantedOrder[]): OrderTerm[] {
  const terms: OrderTerm[] = []
  for (const { property, direction } of wanted) {
    const field = fieldNamed(layout, property, 'order by')
    if (!canBeCompared(field)) {
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
        `cannot be ordered by ${property} ${quoted(direction)}.`,
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

/** An order as a plan contains it, as the terms that it was planned from. */
export function termsOf(
  layout: TableLayout,
  order: readonly { readonly property: string; readonly order: 'asc' | 'desc' }[],
): OrderTerm[] {
  return order.map(({ property, order: direction }) => ({
    field: fieldNamed(layout, property, 'order by'),
    order: direction,
  }))
}

export type CompareRows = (a: PlainRow, b: PlainRow) => number

/** Compares rows exactly as the engine orders them. */
export function rowOrder(dialect: DialectRuntime, terms: readonly OrderTerm[]): CompareRows {
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
 * The first term of an order as a number, so that most rows can be compared by two numbers. Rows that it cannot distinguish
 * have the same number.
 */
export function rowRank(dialect: DialectRuntime, terms: readonly OrderTerm[]): RankRow {
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

function valueRank(
  { column, physical }: Field,
  dialect: DialectRuntime,
): ((value: unknown) => number) | undefined {
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

/** The first two characters of a text; texts that begin alike are compared in full. */
function codePoints(value: unknown): number {
  const text = value as string
  const first = text.codePointAt(0)
  if (first === undefined) return -1
  return first * 0x110000 + (text.codePointAt(first > 0xffff ? 2 : 1) ?? -1)
}

/** The position of a row in an order: what a cursor carries. */
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
