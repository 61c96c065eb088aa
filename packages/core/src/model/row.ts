import type { PreciseDate } from '../keys/precise-date.js'
import type { TableModel } from './model.js'
import { type OnlyAType, valueOfAType } from './value-of-a-type.js'

/**
 * The property that marks a field, for the compiler alone. A text: a unique symbol would be another one in each copy of this
 * package, and fields of a library's model would not be generated for the application.
 */
type Mark = '~isotherm.generated'

/** Exported only so that the declarations of a user's package can name it. */
export interface GeneratedMark<T> {
  // Not T itself: an object with an index signature has any property, but none with a property of its own.
  readonly '~isotherm.generated'?: { readonly '~isotherm.generated': T }
}

/**
 * Marks a field that an insert may leave out, because Isotherm or the database makes its value.
 *
 * @example
 * \@UuidV4() id!: Generated<string>
 */
export type Generated<T> = T extends null | undefined ? T : T & GeneratedMark<T>
export const Generated: OnlyAType = valueOfAType

/** The value of a mark as a list of one; nothing for another property of the name, as an index signature gives. */
type Marked<Value> = 0 extends 1 & Value
  ? []
  : [NonNullable<Value>] extends [{ readonly '~isotherm.generated': infer T }]
    ? [T]
    : []

type IsGenerated<Value> = Mark extends keyof NonNullable<Value>
  ? Marked<NonNullable<Value>[Mark]> extends []
    ? false
    : true
  : false

type Plain<Value> = Value extends unknown
  ? Mark extends keyof Value
    ? Marked<Value[Mark]> extends [infer T]
      ? T
      : Value
    : Value
  : never

/** The fields of a class's instances, or of what `defineTable` returned (`typeof Order`). */
type Declared<T> = T extends TableModel<infer Fields> ? Fields : T

type DataOf<Fields> = {
  [
    Name in keyof Fields & string as Fields[Name] extends (...args: never[]) => unknown ? never : Name
  ]: Fields[Name]
}

type FieldsOf<T> = DataOf<Declared<T>>

type OptionalNames<Fields> = {
  [Name in keyof Fields]: IsGenerated<Fields[Name]> extends true
    ? Name
    : null extends Fields[Name]
      ? Name
      : never
}[keyof Fields]

type Show<T> = { [Name in keyof T]: T[Name] } & {}

type Input<Fields> = { [Name in keyof FieldsOf<Fields>]: Plain<FieldsOf<Fields>[Name]> }

/** The accepted types of a value: a timestamp also as ISO text with its offset from UTC. */
export type AsAccepted<Value> = Value extends Date ? Value | string : Value

type Accepted<Fields> = { [Name in keyof Input<Fields>]: AsAccepted<Input<Fields>[Name]> }

type AsRead<Value> = Value extends Date ? PreciseDate : Value

/**
 * A row as it is read: every field, without its `Generated` mark. A timestamp is a `PreciseDate`: a `Date` that has not
 * forgotten its nanoseconds.
 */
export type Row<Fields> = Show<{ [Name in keyof Input<Fields>]: AsRead<Input<Fields>[Name]> }>
export const Row: OnlyAType = valueOfAType

/** A row to insert: generated and nullable fields may be left out. */
export type Insert<Fields> = Show<
  Omit<Accepted<Fields>, OptionalNames<FieldsOf<Fields>> & string> &
    Partial<Pick<Accepted<Fields>, OptionalNames<FieldsOf<Fields>> & keyof Accepted<Fields>>>
>
export const Insert: OnlyAType = valueOfAType

/**
 * The key of one row. Key parts that Isotherm computes from others (a hash shard) may be left out. Which fields are key
 * parts is known at run time only: a missing one is a `KEY_INCOMPLETE` error that names it.
 */
export type KeyOf<Fields> = Show<Partial<Accepted<Fields>>>
export const KeyOf: OnlyAType = valueOfAType

/** The key of one row, and the fields to change. */
export type Change<Fields> = Show<Partial<Accepted<Fields>>>
export const Change: OnlyAType = valueOfAType

/** The values that a field has. */
export type InputOf<Fields> = Show<Input<Fields>>

export type PropertyOf<Fields> = keyof Input<Fields> & string
