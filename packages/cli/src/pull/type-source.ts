import type { ColumnSchema, ElementType } from '@isotherm/core'
import { innerTypes } from '@isotherm/core/adapter'
import { Code, type Value, type ValueRecord } from './source-text.js'

type Type = ColumnSchema['type']

/** The model of a user type, by what the database calls it. */
export type UserTypeNames = ReadonlyMap<string, { readonly identifier: string }>

const FIELDS: Readonly<Partial<Record<Type['kind'], string>>> = {
  bool: 'boolean',
  int32: 'number',
  int16: 'number',
  int8: 'number',
  varint: 'bigint',
  float32: 'number',
  float64: 'number',
  numeric: 'string',
  decimal: 'string',
  string: 'string',
  ascii: 'string',
  bytes: 'Uint8Array',
  date: 'string',
  time: 'string',
  timestamp: 'Date',
  duration: 'string',
  json: 'Json',
  uuid: 'string',
  timeuuid: 'string',
  inet: 'string',
  counter: 'bigint',
  vector: 'readonly number[]',
}

/** The type of a row's field. */
export function fieldType(type: Type, names: UserTypeNames): string {
  switch (type.kind) {
    case 'int64':
      return type.as === 'number' ? 'number' : 'bigint'
    case 'array':
      return `readonly (${fieldType(type.of, names)} | null)[]`
    case 'set':
      return `ReadonlySet<${fieldType(type.of, names)}>`
    case 'map':
      return `ReadonlyMap<${fieldType(type.key, names)}, ${fieldType(type.of, names)}>`
    case 'tuple':
      return `readonly [${type.of.map((each) => `${fieldType(each, names)} | null`).join(', ')}]`
    case 'udt':
      return names.get(type.name)!.identifier
    default:
      return FIELDS[type.kind]!
  }
}

/** What a builder takes before its options. */
export function typeArguments(type: Type, names: UserTypeNames): readonly Value[] {
  switch (type.kind) {
    case 'array':
    case 'set':
      return [element(type.of, names)]
    case 'map':
      return [plain(type.key), element(type.of, names)]
    case 'tuple':
      return [type.of.map((each) => element(each, names))]
    case 'udt':
      return [new Code(names.get(type.name)!.identifier)]
    case 'vector':
      return [type.dimensions]
    default:
      return []
  }
}

/** Inside another type all is frozen: the model of a user type need not say so. */
function element(type: ElementType, names: UserTypeNames): Value {
  return type.kind === 'udt' ? new Code(names.get(type.name)!.identifier) : plain(type)
}

/** A type is plain data, and is written as it is. */
function plain(type: object): ValueRecord {
  return Object.fromEntries(
    Object.entries(type).map(([key, value]: [string, unknown]) => [key, plainValue(value)]),
  )
}

function plainValue(value: unknown): Value {
  if (Array.isArray(value)) return value.map(plainValue)
  return typeof value === 'object' && value !== null ? plain(value) : (value as Value)
}

/** The user types whose models a builder is given. */
export function userTypesGiven(type: Type): readonly string[] {
  return [type, ...innerTypes(type)].flatMap((each) => (each.kind === 'udt' ? [each.name] : []))
}
