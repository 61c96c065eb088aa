import type { CompiledTable } from '../../database/compiled-table.js'
import type { Capability } from '../../database/driver.js'
import type { Field } from '../../dialects/layout.js'
import type { AggregateFunction, GroupColumn, Measure } from '../../dialects/statement.js'
import type { IsothermError } from '../../errors.js'
import { canBeKey, describeType, type ColumnType } from '../../model/column-type.js'
import { fieldNamed } from '../field-named.js'
import { invalidQuery } from '../invalid-query.js'
import {
  computedField,
  computedType,
  DECIMALS,
  extremeField,
  isUnordered,
  renamedField,
  WHOLE_NUMBERS,
  type ResultPlace,
} from './result-field.js'

/** A table, and what the engine that holds it does not have. */
export interface MeasuredTable {
  readonly table: CompiledTable
  readonly lacks: readonly Capability[]
}

/** A property that rows are grouped by. */
export interface GroupResult {
  readonly field: Field
  /** The table's field that it is the value of. */
  readonly source: Field
  readonly columns: readonly GroupColumn[]
}

/** What is computed of each group. */
export interface MeasureResult {
  readonly field: Field
  /** Of which of the table's fields; undefined where rows are counted. */
  readonly source: Field | undefined
  readonly compute: Computation
  readonly measure: Measure
}

/** What a user may ask for. */
export type Computation = Exclude<AggregateFunction, 'values'>

const VERBS = {
  count: 'count',
  countDistinct: 'count',
  sum: 'sum',
  avg: 'average',
  min: 'take the least of',
  max: 'take the greatest of',
} as const satisfies Record<Computation, string>

const NUMBERS: readonly ColumnType['kind'][] = [...WHOLE_NUMBERS, ...DECIMALS, 'float32', 'float64']

/** @throws {IsothermError} `INVALID_QUERY` for a property that is not there, or that nothing groups by. */
export function groupResult(
  { table: { layout }, lacks }: MeasuredTable,
  property: string,
  firstColumn: number,
): GroupResult {
  const source = fieldNamed(layout, property, 'group by')
  if (!canBeKey(source.column.type)) {
    const type = describeType(source.column.type)
    throw invalidQuery(
      layout,
      `cannot be grouped by ${property}, of type ${type}.`,
      'Group by another property.',
    )
  }
  const field = renamedField(source, { property, column: firstColumn })
  const asText = isUnordered(source, lacks)
  return {
    field,
    source,
    columns: source.physical.map((column, at) => ({ column, asText, as: field.physical[at]! })),
  }
}

/** @throws {IsothermError} `INVALID_QUERY` for a property that is not there, or of whose type that cannot be computed. */
export function measureResult(
  { table, lacks }: MeasuredTable,
  compute: Computation,
  property: string | undefined,
  place: ResultPlace,
): MeasureResult {
  const { layout, dialect } = table
  const source = property === undefined ? undefined : fieldNamed(layout, property, VERBS[compute])
  if (source && !canCompute(table, compute, source)) throw refused(table, compute, source)
  if (source && (compute === 'min' || compute === 'max')) return extremeResult(source, compute, place, lacks)
  const field = computedField(layout, place, computedType(compute, source, dialect.values))
  const asText = compute === 'countDistinct' && source !== undefined && isUnordered(source, lacks)
  const measure = { compute, columns: source?.physical ?? [], asText, as: field.physical[0]! }
  return { field, source, compute, measure }
}

/** The least or greatest of values is one of them, and is read as they are. */
function extremeResult(
  source: Field,
  compute: 'min' | 'max',
  place: ResultPlace,
  lacks: readonly Capability[],
): MeasureResult {
  const isHere = source.column.type.kind === 'timestamp' && lacks.includes('nanosecond-extremes')
  const renamed = renamedField(source, place)
  const field = isHere ? extremeField(renamed, compute) : renamed
  return {
    field,
    source,
    compute,
    measure: {
      compute: isHere ? 'values' : compute,
      columns: source.physical,
      asText: false,
      as: field.physical[0]!,
    },
  }
}

function canCompute({ dialect }: CompiledTable, compute: Computation, { column, physical }: Field): boolean {
  switch (compute) {
    case 'sum':
    case 'avg':
      return NUMBERS.includes(column.type.kind)
    case 'min':
    case 'max':
      // What is computed here is compared as it is ordered.
      return dialect.sql
        ? physical.length === 1 && dialect.sql.statements.hasExtremes(physical[0]!.type)
        : canBeKey(column.type) || NUMBERS.includes(column.type.kind)
    default:
      return canBeKey(column.type)
  }
}

function refused(table: CompiledTable, compute: Computation, { column, physical }: Field): IsothermError {
  const { property, type } = column
  const others = table.layout.fields
    .filter((field) => canCompute(table, compute, field))
    .map((field) => field.column.property)
  const ways = [others.length === 0 ? 'None of its properties can be.' : `Choose from ${others.join(', ')}.`]
  if ((compute === 'min' || compute === 'max') && canBeKey(type)) {
    const direction = compute === 'min' ? '' : ", 'desc'"
    ways.push(
      `Or take the first row: where({ ${property}: { ne: null } }).orderBy('${property}'${direction}).limit(1).`,
    )
  }
  const why =
    physical.length > 1 ? `which lies in ${physical.length} columns` : `of type ${describeType(type)}`
  return invalidQuery(table.layout, `cannot ${VERBS[compute]} ${property}, ${why}.`, ways.join(' '))
}
