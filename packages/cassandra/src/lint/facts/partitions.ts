import { type Column, type Table, columnOf, partitionLength, present } from '@isotherm/core/engine'
import { type LintedDialect, growthOf, valuesOf } from '@isotherm/core/tools'

/** The partitions of a table on an engine that places rows by a hash of their partition key. */
export interface Partitions {
  readonly columns: readonly Column[]
  /** The parts of the key that order rows within a partition. */
  readonly clustering: readonly Column[]
  /** The first part of the partition key that is the same for all rows of one time. */
  readonly time: Column | undefined
  /** How many partitions take the inserts at one time; undefined without a bound. */
  readonly now: number | undefined
  /** How many there can ever be; undefined without a bound. */
  readonly ever: number | undefined
}

export function partitionsOf(table: Table, dialect: LintedDialect): Partitions {
  const columns = table.primaryKey.map(({ property }) =>
    present(columnOf(table, property), `column ${property}`),
  )
  const length = partitionLength(table)
  const own = columns.slice(0, length)
  const stands = own.filter((column) => standsForAWhile(table, column, dialect))
  const values = own.map((column) => valuesOf(table, column, dialect))
  return {
    columns: own,
    clustering: columns.slice(length),
    time: stands[0],
    now: product(own.map((column, at) => (stands.includes(column) ? 1 : values[at]))),
    ever: product(values),
  }
}

/** Whether a column keeps its value for an hour or more, as a date or a bucket does. A timestamp differs for every row. */
function standsForAWhile(table: Table, column: Column, dialect: LintedDialect): boolean {
  const kind = growthOf(table, column, dialect)?.kind
  return kind === 'stands' || (kind === 'grows' && column.type.kind === 'date')
}

function product(factors: readonly (number | undefined)[]): number | undefined {
  return factors.reduce<number | undefined>(
    (all, each) => (all === undefined || each === undefined ? undefined : all * each),
    1,
  )
}

/** The names of columns, as a key has them. */
export function namesOf(columns: readonly Column[]): string {
  return columns.map(({ property }) => property).join(', ')
}
