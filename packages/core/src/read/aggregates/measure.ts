import type { Capability, Driver, ReadOptions } from '../../engine/driver.js'
import { type ColumnType, type TypeKind, describeType } from '../../model/column-type.js'
import { canBeCompared, plainField } from '../../layout/field.js'
import { type Field, type TableLayout, type WireType, eachOf } from '../../layout/layout.js'
import type { AggregateFunction, Condition, GroupColumn, Measure, OrderTerm } from '../../layout/statement.js'
import { NotAccepted, type ValueCodec, type ValueRules, valueCodec } from '../../layout/values.js'
import type { CompiledTable } from '../../rows/compiled-table.js'
import type { Telemetry } from '../../observability/telemetry.js'
import type { IsothermError } from '../../errors.js'
import type { Tables } from '../plan/include.js'
import { fieldNamed, invalidQuery, rowOrder } from '../plan/order.js'
import type { PlainRow } from '../../engine/codec.js'
import { predicateOf } from '../../rows/predicate.js'

// The result of an aggregation has fields like a table: so it is read, filtered and ordered in the same way.

/** The position of a result: its property in the returned rows, and the first of its columns. */
interface ResultPosition {
  readonly property: string
  readonly column: number
}

/** Names of columns that no user gave. */
function columnName(column: number): string {
  return `_${column}`
}

/** A field of the table as a field of the result. A mirror is the table's own. */
function renamedField(source: Field, { property, column }: ResultPosition): Field {
  const { mirror: _, ...field } = source
  return {
    ...field,
    column: { ...field.column, property, nullable: true },
    physical: eachOf(field.physical, (each, at) => ({
      ...each,
      name: columnName(column + at),
      nullable: true,
    })),
  }
}

/** A field for a computed value, rather than a stored one. */
function computedField(
  { table }: TableLayout,
  { property, column }: ResultPosition,
  { type, codec }: ComputedType,
): Field {
  const described = {
    property,
    name: columnName(column),
    type,
    nullable: true,
    immutable: false,
    inherited: false,
  }
  return plainField(table.name, described, codec, { fill: { by: 'database' } })
}

/** A field whose value is the least, or the greatest, of an array of values. */
function extremeField(field: Field, compute: 'min' | 'max'): Field {
  const sign = compute === 'min' ? 1 : -1
  return {
    ...field,
    physical: eachOf(field.physical, (each) => ({
      ...each,
      type: { kind: 'array', of: { kind: 'timestamp' } },
    })),
    join(cells, at) {
      let found: unknown = null
      for (const each of (cells[at] as readonly unknown[] | null) ?? []) {
        if (each !== null && (found === null || sign * field.compare(each, found) < 0)) found = each
      }
      return found
    },
  }
}

/** Whether values of a field are known only once they have been read. */
export function isFoundByClient({ physical }: Field): boolean {
  return physical.some(({ type }) => type.kind === 'array')
}

/** Whether the engine can neither order values of a field nor find equal ones. */
export function isUnordered({ physical }: Field, lacks: readonly Capability[]): boolean {
  return lacks.includes('numeric-order') && physical.some(({ type }) => type.kind === 'numeric')
}

/** Types whose values are whole numbers: their sums are exact. */
export const WHOLE_NUMBERS: readonly TypeKind[] = ['int64', 'int32', 'int16', 'int8', 'varint', 'counter']

/** Types whose values are exact, and no floats. */
export const DECIMALS: readonly TypeKind[] = ['numeric', 'decimal']

interface ComputedType {
  readonly type: WireType
  readonly codec: ValueCodec
}

function computedType(
  compute: AggregateFunction,
  source: Field | undefined,
  rules: ValueRules,
): ComputedType {
  const typed = (type: WireType): ComputedType => ({ type, codec: valueCodec(type, rules) })
  const kind = source?.column.type.kind
  if (compute === 'count' || compute === 'countDistinct') return typed({ kind: 'int64', as: 'number' })
  if (kind === 'numeric' || kind === 'decimal') return typed({ kind })
  if (kind && WHOLE_NUMBERS.includes(kind) && compute === 'sum')
    return { type: { kind: 'numeric' }, codec: wholeSum }
  return typed({ kind: 'float64' })
}

/** More than any sum of 64-bit integers, and what a NUMERIC holds of whole numbers in every dialect. */
const WHOLE_LIMIT = 10n ** 29n

/** Sums of integers, which may have more than 64 bits. */
const wholeSum: ValueCodec = {
  accept(value) {
    const whole = typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : value
    if (typeof whole === 'bigint' && whole < WHOLE_LIMIT && whole > -WHOLE_LIMIT) return whole
    throw new NotAccepted('is an integer, and its sum is compared with a bigint of up to 29 digits.')
  },
  encode: String,
  parse: (wire) => wholeSum.accept(BigInt(String(wire))),
  decode: (cell) => BigInt(cell as string),
  compare: (a: bigint, b: bigint) => (a < b ? -1 : a > b ? 1 : 0),
}

/** A table, and what the engine that holds it does not have. */
interface MeasuredTable {
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

/** A computed value of each group. */
export interface MeasureResult {
  readonly field: Field
  /** The field of the table; undefined where rows are counted. */
  readonly source: Field | undefined
  readonly compute: Computation
  readonly measure: Measure
}

/** The aggregates that a user may request. */
export type Computation = Exclude<AggregateFunction, 'values'>

const VERBS = {
  count: 'count',
  countDistinct: 'count',
  sum: 'sum',
  avg: 'average',
  min: 'take the minimum of',
  max: 'take the maximum of',
} as const satisfies Record<Computation, string>

const NUMBERS: readonly ColumnType['kind'][] = [...WHOLE_NUMBERS, ...DECIMALS, 'float32', 'float64']

/** @throws {IsothermError} `INVALID_QUERY` for a property that is not there, or that nothing groups by. */
export function groupResult(
  { table: { layout }, lacks }: MeasuredTable,
  property: string,
  firstColumn: number,
): GroupResult {
  const source = fieldNamed(layout, property, 'group by')
  if (!canBeCompared(source)) {
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
  position: ResultPosition,
): MeasureResult {
  const { layout, dialect } = table
  const source = compute === 'count' ? undefined : fieldNamed(layout, property, VERBS[compute])
  if (source && !canCompute(table, compute, source)) throw refused(table, compute, source)
  if (source && (compute === 'min' || compute === 'max'))
    return extremeResult(source, compute, position, lacks)
  const field = computedField(layout, position, computedType(compute, source, dialect.values))
  const asText = compute === 'countDistinct' && source !== undefined && isUnordered(source, lacks)
  const measure = { compute, columns: source?.physical ?? [], asText, as: field.physical[0] }
  return { field, source, compute, measure }
}

/** The least or greatest of values is one of them, and is read as they are. */
function extremeResult(
  source: Field,
  compute: 'min' | 'max',
  position: ResultPosition,
  lacks: readonly Capability[],
): MeasureResult {
  const isClientSide = source.column.type.kind === 'timestamp' && lacks.includes('nanosecond-extremes')
  const renamed = renamedField(source, position)
  const field = isClientSide ? extremeField(renamed, compute) : renamed
  return {
    field,
    source,
    compute,
    measure: {
      compute: isClientSide ? 'values' : compute,
      columns: source.physical,
      asText: false,
      as: field.physical[0],
    },
  }
}

function canCompute({ dialect }: CompiledTable, compute: Computation, field: Field): boolean {
  const { column, physical } = field
  switch (compute) {
    case 'sum':
    case 'avg':
      return NUMBERS.includes(column.type.kind)
    case 'min':
    case 'max':
      // The client compares these results in the same order in which it sorts them.
      return dialect.sql
        ? physical.length === 1 && dialect.sql.statements.hasExtremes(physical[0].type)
        : canBeCompared(field) || NUMBERS.includes(column.type.kind)
    default:
      return canBeCompared(field)
  }
}

function refused(table: CompiledTable, compute: Computation, field: Field): IsothermError {
  const { column, physical } = field
  const { property, type } = column
  const others = table.layout.fields
    .filter((other) => canCompute(table, compute, other))
    .map((other) => other.column.property)
  const remedies = [
    others.length === 0 ? 'None of its properties can be.' : `Choose from ${others.join(', ')}.`,
  ]
  if ((compute === 'min' || compute === 'max') && canBeCompared(field)) {
    const direction = compute === 'min' ? '' : ", 'desc'"
    remedies.push(
      `Or take the first row: where({ ${property}: { ne: null } }).orderBy('${property}'${direction}).limit(1).`,
    )
  }
  const why =
    physical.length > 1 ? `which lies in ${physical.length} columns` : `of type ${describeType(type)}`
  return invalidQuery(table.layout, `cannot ${VERBS[compute]} ${property}, ${why}.`, remedies.join(' '))
}

/** Which rows are aggregated, and how they are read. */
export interface AggregateRequest {
  readonly driver: Driver
  /** Where spans are sent; absent, no spans are made. */
  readonly telemetry?: Telemetry | undefined
  readonly tables: Tables
  readonly table: CompiledTable
  readonly condition: Condition | undefined
  readonly options: ReadOptions
}

/** The computation for the groups, in terms of the result's own fields. */
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
