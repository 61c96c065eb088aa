import type { PlainRow } from '../../database/codec.js'
import type { CompiledTable } from '../../database/compiled-table.js'
import type { Driver, ReadOptions } from '../../database/driver.js'
import { predicateOf } from '../../database/predicate.js'
import type { Condition, OrderTerm } from '../../dialects/condition.js'
import type { Field } from '../../dialects/layout.js'
import type { GroupResult, MeasureResult } from './measure.js'
import { rowOrder } from '../order.js'

/** Which rows are aggregated, and how they are read. */
export interface AggregateRequest {
  readonly driver: Driver
  readonly table: CompiledTable
  readonly condition: Condition | undefined
  readonly options: ReadOptions
}

/** What is asked of the groups, in terms of the result's own fields. */
export interface AggregateQuery {
  readonly groups: readonly GroupResult[]
  readonly measures: readonly MeasureResult[]
  readonly having: Condition | undefined
  readonly order: readonly OrderTerm[]
  readonly limit: number | undefined
}

/** The fields that a filter looks at. */
export function fieldsOf(condition: Condition): readonly Field[] {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.of.flatMap(fieldsOf)
    case 'not':
      return fieldsOf(condition.of)
    default:
      return [condition.field]
  }
}

/** The groups that are wanted, for an engine that cannot choose them itself. */
export function chosen(
  rows: PlainRow[],
  { having, order, limit }: AggregateQuery,
  { dialect }: CompiledTable,
): PlainRow[] {
  const matches = having && predicateOf(having, dialect)
  const found = matches ? rows.filter((row) => matches(row) === true) : rows
  return found.sort(rowOrder(dialect, order)).slice(0, limit)
}
