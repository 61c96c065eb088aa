import type { PreciseDate } from '@google-cloud/precise-date'
import type { Dialect } from '@isotherm/core'

// What a fan-out must equal: the filter, sort and slice of rows in memory, written as plainly as can be and on purpose
// without any of the code under test.

export type Cell = bigint | string | number | boolean | Date | Buffer | null
export type ReferenceRow = Readonly<Record<string, Cell>>

export interface ReferenceOrder {
  readonly property: string
  readonly direction: 'asc' | 'desc'
}

function nanoseconds(time: Date): bigint {
  const { getMicroseconds, getNanoseconds } = time as Partial<PreciseDate>
  const micros = getMicroseconds?.call(time) ?? 0
  const nanos = getNanoseconds?.call(time) ?? 0
  return BigInt(time.getTime()) * 1_000_000n + BigInt(micros) * 1000n + BigInt(nanos)
}

/** What of a dialect says how values are ordered, and which are equal. */
export type ReferenceDialect = Pick<Dialect, 'nulls' | 'nanIsValue' | 'values'>

/** NULL and NaN are where the dialect sorts them. Text is ordered by its UTF-8 bytes. */
function compareCells(a: Cell, b: Cell, dialect: ReferenceDialect): number {
  const ofNull = dialect.nulls === 'highest' ? 1 : -1
  const ofNan = dialect.values.nan === 'lowest' ? -1 : 1
  if (a === null || b === null) return a === b ? 0 : a === null ? ofNull : -ofNull
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b))
  if (Buffer.isBuffer(a) && Buffer.isBuffer(b)) return Buffer.compare(a, b)
  if (a instanceof Date && b instanceof Date) {
    const difference = nanoseconds(a) - nanoseconds(b)
    return difference < 0n ? -1 : difference > 0n ? 1 : 0
  }
  if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) ? (Number.isNaN(b) ? 0 : ofNan) : -ofNan
  return a < b ? -1 : a > b ? 1 : 0
}

export function sortRows<Row extends ReferenceRow>(
  rows: readonly Row[],
  order: readonly ReferenceOrder[],
  dialect: ReferenceDialect,
): Row[] {
  return rows.toSorted((a, b) => {
    for (const { property, direction } of order) {
      const result = compareCells(a[property]!, b[property]!, dialect)
      if (result !== 0) return direction === 'asc' ? result : -result
    }
    return 0
  })
}

/** SQL's three values: null is unknown. */
export function matches(
  row: ReferenceRow,
  where: Readonly<Record<string, unknown>>,
  dialect: ReferenceDialect,
): boolean | null {
  const results = Object.entries(where).map(([name, condition]): boolean | null => {
    if (name === 'AND') return all((condition as never[]).map((each) => matches(row, each, dialect)))
    if (name === 'OR') return not(all((condition as never[]).map((each) => not(matches(row, each, dialect)))))
    if (name === 'NOT') return not(matches(row, condition as never, dialect))
    const cell = row[name]!
    if (condition === null) return cell === null
    if (!isOperators(condition)) return compare(cell, 'eq', condition, dialect)
    return all(
      Object.entries(condition).map(([operator, operand]) => compare(cell, operator, operand, dialect)),
    )
  })
  return all(results)
}

function all(results: readonly (boolean | null)[]): boolean | null {
  if (results.includes(false)) return false
  return results.includes(null) ? null : true
}

function not(result: boolean | null): boolean | null {
  return result === null ? null : !result
}

function isOperators(condition: unknown): condition is Record<string, unknown> {
  return (
    typeof condition === 'object' &&
    condition !== null &&
    !(condition instanceof Date) &&
    !Buffer.isBuffer(condition)
  )
}

function compare(cell: Cell, operator: string, operand: unknown, dialect: ReferenceDialect): boolean | null {
  if (operator === 'in' || operator === 'notIn') {
    const values = operand as Cell[]
    const found =
      values.length === 0 ? false : cell === null ? null : values.some((each) => equal(cell, each, dialect))
    return operator === 'in' ? found : not(found)
  }
  if (operand === null) return operator === 'eq' ? cell === null : cell !== null
  if (cell === null) return null
  if (operator === 'startsWith') {
    return Buffer.from(cell as string)
      .subarray(0, Buffer.byteLength(operand as string))
      .equals(Buffer.from(operand as string))
  }
  const value = operand as Cell
  // In a dialect where NaN is not a value, NaN equals nothing.
  if (!dialect.nanIsValue && (Number.isNaN(cell) || Number.isNaN(value))) return operator === 'ne'
  const result = compareCells(cell, value, dialect)
  switch (operator) {
    case 'eq':
      return result === 0
    case 'ne':
      return result !== 0
    case 'lt':
      return result < 0
    case 'lte':
      return result <= 0
    case 'gt':
      return result > 0
    default:
      return result >= 0
  }
}

function equal(a: Cell, b: Cell, dialect: ReferenceDialect): boolean {
  return (dialect.nanIsValue || !Number.isNaN(a)) && compareCells(a, b, dialect) === 0
}
