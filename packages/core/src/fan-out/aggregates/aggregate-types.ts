import type { InputOf, PropertyOf, Row } from '../../model/row.js'

// What may be computed of which properties, and what comes of it, as TypeScript sees it. A property of an unknown type (of a
// table that is named, rather than given as a model) passes, and is checked when the query is made.

type ValueOf<Fields, Property> = Property extends keyof InputOf<Fields> ? InputOf<Fields>[Property] : never

type PropertiesOf<Fields, Type> = {
  [Property in PropertyOf<Fields>]: unknown extends ValueOf<Fields, Property>
    ? Property
    : NonNullable<ValueOf<Fields, Property>> extends Type
      ? Property
      : never
}[PropertyOf<Fields>]

/** Numbers: a NUMERIC is a string, as a text is, which only run time tells apart. */
export type NumberProperty<Fields> = PropertiesOf<Fields, bigint | number | string>

/** Values that have an order. */
export type OrderedProperty<Fields> = PropertiesOf<
  Fields,
  bigint | number | string | boolean | Date | Uint8Array
>

/**
 * What a sum is: exact where its values are. Of whole numbers it is a `bigint`, also where rows show them as numbers, which
 * TypeScript does not tell from floating ones.
 */
export type SumOf<Fields, Property> =
  unknown extends ValueOf<Fields, Property>
    ? unknown
    : NonNullable<ValueOf<Fields, Property>> extends bigint
      ? bigint | null
      : NonNullable<ValueOf<Fields, Property>> extends number
        ? bigint | number | null
        : string | null

/** What an average is: a number, but for NUMERIC, whose digits a number would lose. */
export type AverageOf<Fields, Property> =
  unknown extends ValueOf<Fields, Property>
    ? unknown
    : NonNullable<ValueOf<Fields, Property>> extends bigint | number
      ? number | null
      : string | null

/** A least or greatest value, as a row shows it. */
export type LeastOf<Fields, Property> = Property extends keyof Row<Fields>
  ? unknown extends Row<Fields>[Property]
    ? unknown
    : NonNullable<Row<Fields>[Property]> | null
  : never

/** The same as a filter takes it. */
type ExtremeOf<Fields, Property> =
  unknown extends ValueOf<Fields, Property> ? unknown : NonNullable<ValueOf<Fields, Property>> | null

/**
 * Something computed over the rows of a group.
 *
 * @example
 * { count: true }, { countDistinct: 'userId' }, { sum: 'bytes' }, { avg: 'seconds' }, { min: 'at' }, { max: 'at' }
 */
export type MeasureOptions<Fields> =
  | { readonly count: true }
  | { readonly countDistinct: OrderedProperty<Fields> }
  | { readonly sum: NumberProperty<Fields> }
  | { readonly avg: NumberProperty<Fields> }
  | { readonly min: OrderedProperty<Fields> }
  | { readonly max: OrderedProperty<Fields> }

/** What is computed of each group, under names of one's own. */
export type Measures<Fields> = Readonly<Record<string, MeasureOptions<Fields>>>

type MeasureValue<Fields, Options> = Options extends { readonly sum: infer Property }
  ? SumOf<Fields, Property>
  : Options extends { readonly avg: infer Property }
    ? AverageOf<Fields, Property>
    : Options extends { readonly min: infer Property } | { readonly max: infer Property }
      ? ExtremeOf<Fields, Property>
      : number

/** The values of the measures of one group. */
export type MeasureValues<Fields, Asked> = {
  -readonly [Name in keyof Asked & string]: MeasureValue<Fields, Asked[Name]>
}
