import type { Capability } from '../../database/driver.js'
import type { TypeKind } from '../../model/column-type.js'
import { plainField } from '../../dialects/field.js'
import type { Field, TableLayout } from '../../dialects/layout.js'
import type { AggregateFunction } from '../../dialects/statement.js'
import { NotAccepted, valueCodec, type ValueCodec, type ValueRules } from '../../dialects/values.js'
import type { WireType } from '../../dialects/wire.js'

// What comes back of an aggregation has fields as a table has them: so it is read, filtered and ordered in the same way.

/** Where a result stands: its property in what comes back, and the first of its columns. */
export interface ResultPlace {
  readonly property: string
  readonly column: number
}

/** Names of columns that no user gave. */
function columnName(column: number): string {
  return `_${column}`
}

/** A field of the table as a field of the result. A mirror is the table's own. */
export function renamedField(source: Field, { property, column }: ResultPlace): Field {
  const { mirror: _, ...field } = source
  return {
    ...field,
    column: { ...field.column, property, nullable: true },
    physical: field.physical.map((each, at) => ({ ...each, name: columnName(column + at), nullable: true })),
  }
}

/** A field for what is computed, rather than one of the values. */
export function computedField(
  { table }: TableLayout,
  { property, column }: ResultPlace,
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
export function extremeField(field: Field, compute: 'min' | 'max'): Field {
  const sign = compute === 'min' ? 1 : -1
  return {
    ...field,
    physical: field.physical.map((each) => ({
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
export function isFoundHere({ physical }: Field): boolean {
  return physical.some(({ type }) => type.kind === 'array')
}

/** Whether the engine can neither order values of a field nor tell those that are equal. */
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

export function computedType(
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
