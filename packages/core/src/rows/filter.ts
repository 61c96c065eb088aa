import { known } from '../known.js'
import { IsothermError } from '../errors.js'
import type { Comparison, Condition } from '../layout/statement.js'
import type { Field, TableLayout } from '../layout/layout.js'
import { describeType } from '../model/column-type.js'
import type { AsAccepted, InputOf } from '../model/row.js'
import { wiresOf } from '../engine/codec.js'
import { canBeCompared } from '../layout/field.js'

/** The operators for one field. As in SQL, only `null` and `{ ne: null }` ever match a NULL. */
export interface Comparisons<Value> {
  readonly eq?: Value | null
  readonly ne?: Value | null
  readonly lt?: Value
  readonly lte?: Value
  readonly gt?: Value
  readonly gte?: Value
  readonly in?: readonly Value[]
  readonly notIn?: readonly Value[]
  readonly startsWith?: [Value] extends [string] ? string : never
}

/**
 * Which rows: every field must match. A value stands for equality, `null` for IS NULL.
 *
 * @example
 * { lastAccess: { gte: since }, page: { startsWith: '/docs' }, OR: [{ status: 404n }, { status: { gte: 500n } }] }
 */
export type Where<Fields> = {
  readonly [Property in keyof InputOf<Fields>]?:
    | AsAccepted<InputOf<Fields>[Property]>
    | Comparisons<AsAccepted<NonNullable<InputOf<Fields>[Property]>>>
    | null
} & {
  readonly AND?: readonly Where<Fields>[]
  readonly OR?: readonly Where<Fields>[]
  readonly NOT?: Where<Fields>
}

const COMPARISONS: readonly string[] = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte'] satisfies Comparison[]
const OPERATORS = [...COMPARISONS, 'in', 'notIn', 'startsWith']
const JUNCTIONS = ['AND', 'OR', 'NOT']

/** Deeper filters come from a mistake or an attack: a list of AND or OR may have any length. */
const MAX_LEVELS = 100

/**
 * Checks a filter and makes it ready.
 *
 * @throws {IsothermError} `INVALID_QUERY` for an unknown property or operator, for `undefined` anywhere, and for a part that
 * says nothing; `INVALID_VALUE` for a value of another type.
 */
export function compileWhere(layout: TableLayout, where: unknown): Condition {
  return new FilterCompiler(layout).filter(where, '', 0)
}

/** Both filters. However often a query is narrowed, this stays one list. */
export function both(known: Condition | undefined, more: Condition): Condition {
  if (!known || saysNothing(known)) return more
  if (saysNothing(more)) return known
  return { kind: 'and', of: [...partsOf(known), ...partsOf(more)] }
}

function partsOf(condition: Condition): readonly Condition[] {
  return condition.kind === 'and' ? condition.of : [condition]
}

/** Whether a filter is `{}`, or a list of such. */
function saysNothing(condition: Condition): boolean {
  return condition.kind === 'and' && condition.of.every(saysNothing)
}

const takesObject = (path: string): string =>
  `takes an object of properties and conditions as its filter${at(path)}`

/** Compiles the filters of one table. `path` is the location of a filter in the whole filter: `OR[1].NOT`. */
class FilterCompiler {
  readonly #layout: TableLayout

  constructor(layout: TableLayout) {
    this.#layout = layout
  }

  filter(filter: unknown, path: string, level: number): Condition {
    if (typeof filter !== 'object' || filter === null || Array.isArray(filter))
      throw this.#invalid(`${takesObject(path)}.`, 'Write where({ property: value }).')
    if (level > MAX_LEVELS) {
      throw this.#invalid(
        `has a filter of more than ${MAX_LEVELS} levels.`,
        'AND and OR take lists of any length: put conditions side by side.',
      )
    }
    const conditions: Condition[] = []
    for (const [name, value] of this.#entriesOf(filter as Readonly<Record<string, unknown>>, path)) {
      const location = path === '' ? name : `${path}.${name}`
      if (value === undefined)
        throw this.#undefined(location, this.#layout.byProperty.has(name) ? name : undefined)
      if (name === 'AND' || name === 'OR') conditions.push(this.#junction(name, value, location, level))
      else if (name === 'NOT') conditions.push({ kind: 'not', of: this.#part(value, location, level) })
      else
        for (const each of this.#fieldConditions(known(this.#layout.byProperty, name), value, location))
          conditions.push(each)
    }
    const [only, ...others] = conditions
    return only && others.length === 0 ? only : { kind: 'and', of: conditions }
  }

  /**
   * A filter reads an object as an insert does: its own properties, inherited ones, and what its getters return, but not
   * its methods. An object without any of these is a filter only if it is a plain object.
   */
  #entriesOf(
    filter: Readonly<Record<string, unknown>>,
    path: string,
  ): readonly (readonly [name: string, value: unknown])[] {
    const { byProperty } = this.#layout
    const isKnown = (name: string): boolean => byProperty.has(name) || JUNCTIONS.includes(name)
    for (const name of Reflect.ownKeys(filter)) {
      if (
        typeof name === 'string' &&
        (isKnown(name) || !Object.prototype.propertyIsEnumerable.call(filter, name))
      )
        continue
      throw this.#invalid(
        `has no property ${typeof name === 'symbol' ? String(name) : JSON.stringify(name)} to filter by.`,
        `Choose from ${[...byProperty.keys()].join(', ')}.`,
        String(name),
      )
    }
    if (isPlain(filter)) {
      return Object.getOwnPropertyNames(filter)
        .filter(isKnown)
        .map((name) => [name, filter[name]])
    }
    const entries = [...byProperty.keys(), ...JUNCTIONS]
      .filter((name) => Object.hasOwn(filter, name) || (name in filter && !(name in Object.prototype)))
      .map((name) => [name, filter[name]] as const)
      .filter(([name, value]) => typeof value !== 'function' || Object.hasOwn(filter, name))
    if (entries.length > 0) return entries
    throw this.#invalid(
      `${takesObject(path)}, and this one names no property of the table.`,
      'Write where({ property: value }), or where({}) for all rows.',
    )
  }

  #junction(name: 'AND' | 'OR', filters: unknown, path: string, level: number): Condition {
    if (!Array.isArray(filters))
      throw this.#invalid(`takes an array of filters for ${path}.`, `Write ${name}: [...].`)
    // A hole in the array becomes undefined, whereas map would skip it.
    const of = Array.from(filters as unknown[], (each, at) => {
      const own = `${path}[${at}]`
      return name === 'AND' ? this.#inner(each, own, level) : this.#part(each, own, level)
    })
    return { kind: name === 'AND' ? 'and' : 'or', of }
  }

  #inner(filter: unknown, path: string, level: number): Condition {
    if (filter === undefined) throw this.#undefined(path)
    return this.filter(filter, path, level + 1)
  }

  /** A filter that says nothing matches every row: in OR it would take the meaning of all others, and in NOT of itself. */
  #part(filter: unknown, path: string, level: number): Condition {
    const condition = this.#inner(filter, path, level)
    if (!saysNothing(condition)) return condition
    throw this.#invalid(
      `has an empty filter for ${path}, which would match every row.`,
      'Leave it out, or give it a condition.',
    )
  }

  #fieldConditions(field: Field, value: unknown, path: string): Condition[] {
    if (value === null) return [{ kind: 'null', field }]
    if (!isOperators(value)) return [this.#compare(field, 'eq', value)]
    const names = Reflect.ownKeys(value)
    const { property, type } = field.column
    if (names.length === 0) {
      throw this.#invalid(
        `has no condition for ${path}: the object is empty.`,
        `Leave ${property} out to filter by the rest, or write { ${OPERATORS.join(' | ')} }.`,
        property,
      )
    }
    return names.map((operator): Condition => {
      if (typeof operator === 'symbol' || !OPERATORS.includes(operator)) {
        const shown = typeof operator === 'symbol' ? String(operator) : JSON.stringify(operator)
        const whole = type.kind === 'udt' ? 'For a whole value, write { eq: … }. Otherwise use' : 'Use'
        throw this.#invalid(
          `has no operator ${shown} for ${path}.`,
          `${whole} ${OPERATORS.join(', ')}.`,
          property,
        )
      }
      const operand = value[operator]
      if (operand === undefined) throw this.#undefined(`${path}.${operator}`, property)
      switch (operator) {
        case 'in':
          return this.#oneOf(field, operator, operand, path)
        case 'notIn':
          return { kind: 'not', of: this.#oneOf(field, operator, operand, path) }
        case 'startsWith':
          return this.#startsWith(field, operand)
        default:
          return this.#comparison(field, operator as Comparison, operand)
      }
    })
  }

  #comparison(field: Field, op: Comparison, operand: unknown): Condition {
    if (operand !== null) return this.#compare(field, op, operand)
    if (op === 'eq') return { kind: 'null', field }
    if (op === 'ne') return { kind: 'not', of: { kind: 'null', field } }
    const { property } = field.column
    throw this.#invalid(
      `cannot compare ${property} with NULL by ${op}.`,
      'NULL is neither more nor less: use null, or { ne: null }.',
      property,
    )
  }

  #compare(field: Field, op: Comparison, operand: unknown): Condition {
    this.#refuseIncomparable(field)
    const value = compared(field, operand)
    return { kind: 'compare', field, op, value, wires: wiresOf(field, value) }
  }

  #oneOf(field: Field, operator: 'in' | 'notIn', operand: unknown, path: string): Condition {
    this.#refuseIncomparable(field)
    const { property } = field.column
    if (!Array.isArray(operand))
      throw this.#invalid(
        `takes an array for ${property}: { ${operator} }.`,
        `Write { ${operator}: [...] }.`,
        property,
      )
    const values = Array.from(operand as unknown[], (each, at) => {
      if (each === undefined) throw this.#undefined(`${path}.${operator}[${at}]`, property)
      if (each !== null) return compared(field, each)
      throw this.#invalid(
        `has a NULL in the list for ${property}, which no comparison matches.`,
        `Write OR: [{ ${property}: { in: [...] } }, { ${property}: null }].`,
        property,
      )
    })
    return { kind: 'in', field, values, wires: values.map((value) => wiresOf(field, value)) }
  }

  #startsWith(field: Field, operand: unknown): Condition {
    const { property, type } = field.column
    if (type.kind !== 'string') {
      throw this.#invalid(
        `cannot use startsWith on ${property}, of type ${describeType(type)}.`,
        'It is for strings.',
        property,
      )
    }
    if (typeof operand !== 'string' || !operand.isWellFormed()) {
      throw this.#invalid(
        `takes a string for ${property}: { startsWith }.`,
        'Pass well-formed text.',
        property,
      )
    }
    return { kind: 'prefix', field, value: operand }
  }

  #refuseIncomparable(field: Field): void {
    const { property, type } = field.column
    if (canBeCompared(field)) return
    throw this.#invalid(
      `cannot compare ${property}, of type ${describeType(type)}.`,
      'Only null and { ne: null } apply to it.',
      property,
    )
  }

  /** Dropped, it would match every row. */
  #undefined(path: string, column?: string): IsothermError {
    return this.#invalid(
      `has undefined for ${path} in its filter.`,
      'Leave the property out for no condition; null is for IS NULL.',
      column,
    )
  }

  #invalid(what: string, fix: string, column?: string): IsothermError {
    const { name } = this.#layout.table
    return new IsothermError('INVALID_QUERY', `${name} ${what}`, {
      fix,
      table: name,
      ...(column !== undefined && { column }),
    })
  }
}

function at(path: string): string {
  return path === '' ? '' : ` for ${path}`
}

/** A plain object holds operators; dates, bytes and arrays are values. */
function isOperators(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && isPlain(value)
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/**
 * The values that rows are compared with. SQL compares a zero without its sign, if the wire's zero is a number, and JSON,
 * in which a query partition may be sent to another process, does not have the sign either.
 */
function compared(field: Field, operand: unknown): unknown {
  const value = field.accept(operand)
  return value === 0 && wiresOf(field, value)[0] === 0 ? 0 : value
}
