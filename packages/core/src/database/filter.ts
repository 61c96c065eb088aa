import { IsothermError } from '../errors.js'
import type { Comparison, Condition } from '../dialects/condition.js'
import type { Field, TableLayout } from '../dialects/layout.js'
import { canBeKey, describeType } from '../model/column-type.js'
import type { InputOf } from '../model/row.js'
import { wiresOf } from './codec.js'

/** What one field may be compared with. As in SQL, only `null` and `{ ne: null }` ever match a NULL. */
export interface Comparisons<Value> {
  readonly eq?: Value | null
  readonly ne?: Value | null
  readonly lt?: Value
  readonly lte?: Value
  readonly gt?: Value
  readonly gte?: Value
  readonly in?: readonly Value[]
  readonly notIn?: readonly Value[]
  readonly startsWith?: Value extends string ? string : never
}

/**
 * Which rows: every field must match. A value stands for equality, `null` for IS NULL.
 *
 * @example
 * { lastAccess: { gte: since }, page: { startsWith: '/docs' }, OR: [{ status: 404n }, { status: { gte: 500n } }] }
 */
export type Where<Fields> = {
  readonly [Property in keyof InputOf<Fields>]?:
    | InputOf<Fields>[Property]
    | Comparisons<NonNullable<InputOf<Fields>[Property]>>
    | null
} & {
  readonly AND?: readonly Where<Fields>[]
  readonly OR?: readonly Where<Fields>[]
  readonly NOT?: Where<Fields>
}

const COMPARISONS: readonly string[] = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte'] satisfies Comparison[]
const OPERATORS = [...COMPARISONS, 'in', 'notIn', 'startsWith']

type Given = Readonly<Record<string, unknown>>

/**
 * Checks a filter and makes it ready.
 *
 * @throws {IsothermError} `INVALID_QUERY` for an unknown property or operator, `INVALID_VALUE` for a value of another type.
 */
export function compileWhere(layout: TableLayout, where: Given): Condition {
  if (typeof where !== 'object' || where === null || Array.isArray(where)) {
    throw invalid(
      layout,
      'takes an object of properties and conditions as its filter.',
      'Write where({ property: value }).',
    )
  }
  const conditions: Condition[] = []
  for (const [name, given] of Object.entries(where)) {
    if (given === undefined) continue
    if (name === 'AND' || name === 'OR') {
      if (!Array.isArray(given))
        throw invalid(layout, `takes an array of filters for ${name}.`, `Write ${name}: [...].`)
      conditions.push({
        kind: name === 'AND' ? 'and' : 'or',
        of: given.map((each) => compileWhere(layout, each as Given)),
      })
    } else if (name === 'NOT') {
      conditions.push({ kind: 'not', of: compileWhere(layout, given as Given) })
    } else {
      const field = layout.byProperty.get(name)
      if (!field) {
        throw invalid(
          layout,
          `has no property ${JSON.stringify(name)} to filter by.`,
          `Choose from ${[...layout.byProperty.keys()].join(', ')}.`,
          name,
        )
      }
      conditions.push(...fieldConditions(layout, field, given))
    }
  }
  return conditions.length === 1 ? conditions[0]! : { kind: 'and', of: conditions }
}

function fieldConditions(layout: TableLayout, field: Field, given: unknown): Condition[] {
  if (given === null) return [{ kind: 'null', field }]
  if (!isOperators(given)) return [compare(layout, field, 'eq', given)]
  return Object.entries(given).flatMap(([operator, operand]): Condition[] => {
    if (operand === undefined) return []
    if (!OPERATORS.includes(operator)) {
      const { property } = field.column
      throw invalid(
        layout,
        `has no operator ${JSON.stringify(operator)} for ${property}.`,
        `Use ${OPERATORS.join(', ')}.`,
        property,
      )
    }
    switch (operator) {
      case 'in':
        return [oneOf(layout, field, operand)]
      case 'notIn':
        return [{ kind: 'not', of: oneOf(layout, field, operand) }]
      case 'startsWith':
        return [startsWith(layout, field, operand)]
      default:
        return [comparison(layout, field, operator as Comparison, operand)]
    }
  })
}

/** A plain object holds operators; dates, bytes and arrays are values. */
function isOperators(given: unknown): given is Given {
  if (typeof given !== 'object' || given === null) return false
  const prototype: unknown = Object.getPrototypeOf(given)
  return prototype === Object.prototype || prototype === null
}

function comparison(layout: TableLayout, field: Field, op: Comparison, operand: unknown): Condition {
  if (operand !== null) return compare(layout, field, op, operand)
  if (op === 'eq') return { kind: 'null', field }
  if (op === 'ne') return { kind: 'not', of: { kind: 'null', field } }
  const { property } = field.column
  throw invalid(
    layout,
    `cannot compare ${property} with NULL by ${op}.`,
    'NULL is neither more nor less: use null, or { ne: null }.',
    property,
  )
}

function compare(layout: TableLayout, field: Field, op: Comparison, operand: unknown): Condition {
  refuseIncomparable(layout, field)
  const value = field.accept(operand)
  return { kind: 'compare', field, op, value, wires: wiresOf(field, value) }
}

function oneOf(layout: TableLayout, field: Field, operand: unknown): Condition {
  refuseIncomparable(layout, field)
  const { property } = field.column
  if (!Array.isArray(operand))
    throw invalid(layout, `takes an array for ${property}: { in }.`, 'Write { in: [...] }.', property)
  const values = operand.map((each: unknown) => {
    if (each !== null) return field.accept(each)
    throw invalid(
      layout,
      `has a NULL in the list for ${property}, which no comparison matches.`,
      `Write OR: [{ ${property}: { in: [...] } }, { ${property}: null }].`,
      property,
    )
  })
  return { kind: 'in', field, values, wires: values.map((value) => wiresOf(field, value)) }
}

function startsWith(layout: TableLayout, field: Field, operand: unknown): Condition {
  const { property, type } = field.column
  if (type.kind !== 'string') {
    throw invalid(
      layout,
      `cannot use startsWith on ${property}, of type ${describeType(type)}.`,
      'It is for strings.',
      property,
    )
  }
  if (typeof operand !== 'string' || !operand.isWellFormed()) {
    throw invalid(
      layout,
      `takes a string for ${property}: { startsWith }.`,
      'Pass well-formed text.',
      property,
    )
  }
  return { kind: 'prefix', field, value: operand }
}

function refuseIncomparable(layout: TableLayout, field: Field): void {
  const { property, type } = field.column
  if (canBeKey(type)) return
  throw invalid(
    layout,
    `cannot compare ${property}, of type ${describeType(type)}.`,
    'Only null and { ne: null } apply to it.',
    property,
  )
}

function invalid(layout: TableLayout, what: string, fix: string, column?: string): IsothermError {
  const { name } = layout.table
  return new IsothermError('INVALID_QUERY', `${name} ${what}`, {
    fix,
    table: name,
    ...(column !== undefined && { column }),
  })
}
