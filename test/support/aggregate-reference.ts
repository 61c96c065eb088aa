import type { DialectName } from '@isotherm/core'
import { matches, sortRows, type Cell, type ReferenceOrder, type ReferenceRow } from './reference.js'

// What groups of rows must equal, computed in memory and without any of the code under test. A decimal is a whole number of
// hundredths here, which compares and adds up as decimals do.

export interface ReferenceMeasure {
  readonly compute: 'count' | 'countDistinct' | 'sum' | 'avg' | 'min' | 'max'
  /** Absent where rows are counted. */
  readonly property?: string
}

export interface ReferenceGroups {
  readonly by: readonly string[]
  readonly measures: Readonly<Record<string, ReferenceMeasure>>
  readonly having: Readonly<Record<string, unknown>>
  readonly order: readonly ReferenceOrder[]
  readonly limit: number | undefined
}

export function hundredths(decimal: string): bigint {
  const [whole = '', fraction = ''] = decimal.replace('-', '').split('.')
  return BigInt(whole + fraction.padEnd(2, '0')) * (decimal.startsWith('-') ? -1n : 1n)
}

export function decimalOf(value: bigint): string {
  const digits = String(value < 0n ? -value : value).padStart(3, '0')
  const shown = `${digits.slice(0, -2)}.${digits.slice(-2)}`.replace(/\.?0+$/, '')
  return value < 0n ? `-${shown}` : shown
}

/** A text that is the same for the same values only. */
function identity(cell: Cell): string {
  if (cell === null) return 'null'
  if (Buffer.isBuffer(cell)) return `bytes ${cell.toString('hex')}`
  return cell instanceof Date ? cell.toISOString() : `${typeof cell} ${String(cell)}`
}

function sumOf(values: readonly Cell[]): Cell {
  if (values.length === 0) return null
  const isWhole = values.every((value) => typeof value === 'bigint')
  return isWhole
    ? values.reduce((sum, value) => sum + value, 0n)
    : values.reduce<number>((sum, value) => sum + Number(value), 0)
}

function extreme(values: readonly Cell[], direction: 'asc' | 'desc', dialect: DialectName): Cell {
  // There NaN is the lowest, but is what MAX gives as well.
  if (dialect === 'googlesql' && values.some((value) => Number.isNaN(value))) return NaN
  const named = values.map((value) => ({ value }))
  return sortRows(named, [{ property: 'value', direction }], dialect)[0]?.value ?? null
}

function computed(
  { compute, property }: ReferenceMeasure,
  rows: readonly ReferenceRow[],
  dialect: DialectName,
): Cell {
  if (property === undefined) return rows.length
  const values = rows.map((row) => row[property]!).filter((value) => value !== null)
  switch (compute) {
    case 'sum':
      return sumOf(values)
    case 'avg':
      return values.length === 0 ? null : Number(sumOf(values)) / values.length
    case 'min':
      return extreme(values, 'asc', dialect)
    case 'max':
      return extreme(values, 'desc', dialect)
    default:
      return new Set(values.map(identity)).size
  }
}

export function groupRows(
  rows: readonly ReferenceRow[],
  { by, measures, having, order, limit }: ReferenceGroups,
  dialect: DialectName,
): ReferenceRow[] {
  const groups = new Map<string, ReferenceRow[]>()
  for (const row of rows) {
    const key = JSON.stringify(by.map((property) => identity(row[property]!)))
    groups.set(key, [...(groups.get(key) ?? []), row])
  }
  const results = [...groups.values()].map((members): ReferenceRow => ({
    ...Object.fromEntries(by.map((property) => [property, members[0]![property]!])),
    ...Object.fromEntries(
      Object.entries(measures).map(([name, measure]) => [name, computed(measure, members, dialect)]),
    ),
  }))
  const total = [...order, ...by.map((property) => ({ property, direction: 'asc' as const }))]
  return sortRows(
    results.filter((group) => matches(group, having, dialect) === true),
    total,
    dialect,
  ).slice(0, limit)
}
