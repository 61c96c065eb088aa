import type { LosslessNumber } from 'lossless-json'
import type { JsonNull } from './json-null.js'
import type { ElementType, ScalarType } from './column-type.js'
import type { InputOf } from './row.js'
import type { UserTypeModel } from './user-type.js'
import { type OnlyAType, valueOfAType } from './value-of-a-type.js'

/**
 * A value of JSON. Integers that a number cannot hold are a `bigint`; fractions that it cannot hold, which only PostgreSQL's
 * `jsonb` keeps, a `LosslessNumber`.
 */
export type Json =
  | string
  | number
  | bigint
  | LosslessNumber
  | boolean
  | null
  | readonly Json[]
  | { readonly [name: string]: Json | undefined }
export const Json: OnlyAType = valueOfAType

/** A JSON document in a row, where `null` would be NULL: the document `null` is `jsonNull`. */
export type JsonDocument = Exclude<Json, null> | JsonNull
export const JsonDocument: OnlyAType = valueOfAType

/** The type of each kind of scalar in a row. */
export interface ScalarValues {
  bool: boolean
  int64: bigint
  int32: number
  int16: number
  int8: number
  varint: bigint
  float32: number
  float64: number
  numeric: string
  decimal: string
  string: string
  ascii: string
  bytes: Uint8Array
  date: string
  time: string
  timestamp: Date
  duration: string
  json: JsonDocument
  uuid: string
  timeuuid: string
  inet: string
  counter: bigint
}

type Show<T> = { readonly [Name in keyof T]: T[Name] } & {}

/** The type of a column's value in a row, or of a user type's model; for any type at all, anything. */
export type ValueOf<Type> = [ElementType] extends [Type] ? unknown : ValueOfOne<Type>
export const ValueOf: OnlyAType = valueOfAType

type ValueOfOne<Type> =
  Type extends UserTypeModel<infer Fields>
    ? Show<InputOf<Fields>>
    : Type extends abstract new (...args: never[]) => infer Instance
      ? Show<InputOf<Instance>>
      : Type extends { readonly kind: 'int64'; readonly as: 'number' }
        ? number
        : Type extends { readonly kind: infer Kind extends ScalarType['kind'] }
          ? ScalarValues[Kind]
          : CompositeValue<Type>

type CompositeValue<Type> = Type extends { readonly kind: 'array'; readonly of: infer Of }
  ? readonly ValueOf<Of>[]
  : Type extends { readonly kind: 'set'; readonly of: infer Of }
    ? ReadonlySet<ValueOf<Of>>
    : Type extends { readonly kind: 'map'; readonly key: infer Key; readonly of: infer Of }
      ? ReadonlyMap<ValueOf<Key>, ValueOf<Of>>
      : Type extends { readonly kind: 'tuple'; readonly of: infer Of extends readonly unknown[] }
        ? TupleValue<Of>
        : Type extends { readonly kind: 'vector' }
          ? readonly number[]
          : Type extends { readonly kind: 'udt' }
            ? Readonly<Record<string, unknown>>
            : never

/** Each position of a tuple may hold NULL. */
export type TupleValue<Of extends readonly unknown[]> = {
  readonly [Index in keyof Of]: ValueOf<Of[Index]> | null
}
