import { IsothermError, type ColumnType, type SqlDialect, type ScalarType } from '@isotherm/core'
import {
  columnCodec,
  type ColumnCodec,
  type Parameter,
  type Wire,
  type WireType,
} from '@isotherm/core/adapter'
import { is, Param, Placeholder, SQL } from 'drizzle-orm'
import type { BuiltQuery } from '../drizzle-internals.js'

/** The parameters of one execution. */
export type BindParameters = (values?: Readonly<Record<string, unknown>>) => readonly Parameter[]

/** A parameter whose value is known only when the statement runs. */
interface Slot {
  readonly at: number
  readonly parameter: string
  readonly placeholder: string
  readonly encode: ((value: unknown) => unknown) | undefined
  readonly type: WireType | undefined
}

/**
 * The plan of a statement's parameters, made once: what is known by now is encoded by now. They are called `p1`, `p2` …,
 * which GoogleSQL writes `@p1` and PostgreSQL `$1`.
 *
 * A value beside a column is sent as the column has it. Another has the type that JavaScript knows of it: a `bigint` or a
 * whole number is an INT64, another number a FLOAT64, text a STRING, a `Date` a TIMESTAMP, a `Buffer` BYTES.
 *
 * @throws {IsothermError} `INVALID_VALUE` for a value whose type nobody knows.
 */
export function compileParameters({ params, types }: BuiltQuery, dialect: SqlDialect): BindParameters {
  const slots: Slot[] = []
  const fixed = params.map((param, at): Parameter | undefined => {
    const name = `p${at + 1}`
    const type = types[at]
    const slot = slotOf(param, at, name, type)
    if (!slot) return type ? { name, type, value: param as Wire } : untyped(name, param, dialect)
    slots.push(slot)
    return undefined
  })
  if (slots.length === 0) return () => fixed as readonly Parameter[]
  return (values = {}) => {
    const bound = fixed.slice()
    for (const slot of slots) bound[slot.at] = filled(slot, values, dialect)
    return bound as readonly Parameter[]
  }
}

function slotOf(param: unknown, at: number, parameter: string, type: WireType | undefined): Slot | undefined {
  if (is(param, Placeholder)) return { at, parameter, placeholder: param.name, encode: undefined, type }
  if (!is(param, Param) || !is(param.value, Placeholder)) return undefined
  const { encoder, value } = param
  return { at, parameter, placeholder: value.name, encode: (given) => encoder.mapToDriverValue(given), type }
}

function filled(slot: Slot, values: Readonly<Record<string, unknown>>, dialect: SqlDialect): Parameter {
  const { parameter: name, placeholder, encode, type } = slot
  const given = Object.hasOwn(values, placeholder) ? values[placeholder] : undefined
  if (given === undefined) {
    throw new IsothermError('INVALID_VALUE', `The placeholder ${JSON.stringify(placeholder)} has no value.`, {
      fix: `Pass it: execute({ ${placeholder}: … }).`,
    })
  }
  const value = given === null || !encode ? given : encode(given)
  if (is(value, SQL)) {
    throw new IsothermError(
      'INVALID_VALUE',
      `The placeholder ${JSON.stringify(placeholder)} would become SQL, and the statement is made already.`,
      { fix: 'Put the expression into the statement itself.' },
    )
  }
  return type ? { name, type, value: value as Wire } : untyped(name, value, dialect)
}

const SCALARS = {
  int64: { kind: 'int64' },
  float64: { kind: 'float64' },
  string: { kind: 'string', length: 'max' },
  bool: { kind: 'bool' },
  timestamp: { kind: 'timestamp' },
  bytes: { kind: 'bytes', length: 'max' },
} as const satisfies Record<string, ScalarType>

type Inferable = keyof typeof SCALARS

const codecs = new Map<string, ColumnCodec>()

function codecFor(kind: Inferable, isArray: boolean, dialect: SqlDialect): ColumnCodec {
  const key = `${dialect} ${kind} ${isArray}`
  let codec = codecs.get(key)
  if (!codec) {
    const of = SCALARS[kind]
    const type: ColumnType = isArray ? { kind: 'array', of } : of
    codecs.set(key, (codec = columnCodec(type, dialect)))
  }
  return codec
}

function untyped(name: string, value: unknown, dialect: SqlDialect): Parameter {
  const isArray = Array.isArray(value)
  const codec = codecFor(isArray ? kindOfItems(name, value) : kindOf(name, value), isArray, dialect)
  return { name, type: codec.type, value: codec.encode(value) }
}

function kindOf(name: string, value: unknown): Inferable {
  switch (typeof value) {
    case 'bigint':
      return 'int64'
    case 'number':
      // What is beyond 2^53 is no exact integer, so that it is none at all.
      return Number.isSafeInteger(value) && !Object.is(value, -0) ? 'int64' : 'float64'
    case 'string':
      return 'string'
    case 'boolean':
      return 'bool'
    default:
      if (value instanceof Date) return 'timestamp'
      if (value instanceof Uint8Array) return 'bytes'
      throw withoutType(name, value === null ? 'NULL' : `a value of type ${typeof value}`)
  }
}

function kindOfItems(name: string, items: readonly unknown[]): Inferable {
  const kinds = new Set(items.filter((item) => item !== null).map((item) => kindOf(name, item)))
  const [kind] = kinds
  if (kind === undefined) throw withoutType(name, 'an array without values')
  if (kinds.size === 1) return kind
  const isNumeric = items.every((item) => item === null || typeof item === 'number')
  if (isNumeric) return 'float64'
  throw withoutType(name, `an array of ${[...kinds].join(' and ')}`)
}

function withoutType(name: string, what: string): IsothermError {
  return new IsothermError('INVALID_VALUE', `The parameter ${name} is ${what}, which says no type.`, {
    fix: 'Give it a column’s type with sql.param(value, column), or write NULL into the SQL.',
  })
}
