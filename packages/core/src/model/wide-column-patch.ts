import {
  argumentMistakes,
  flag,
  kind,
  listOf,
  number,
  oneOf,
  required,
  text,
  type OptionKinds,
} from '../options.js'
import { BUCKET_SIZES } from '../keys/time-bucket.js'
import {
  COLUMN,
  column,
  declared,
  described,
  madeKey,
  mistaken,
  named,
  type ColumnOptions,
  type MadeKeyOptions,
} from './column-patch.js'
import type { ColumnPatch } from './column.js'
import type { ColumnType, ElementType, ScalarType } from './column-type.js'
import { databaseName, ELEMENT, order, property } from './declaration-kinds.js'
import type { BucketSize } from './key.js'
import { frozenType, udtType, userTypeOf, type UserTypeSource } from './user-type.js'

// What the declarations of wide-column stores mean: collections, user types, time buckets. Other declarations are in
// `column-patch.ts`.

export interface CompositeOptions<Nullable extends boolean = boolean, Value = unknown> extends ColumnOptions<
  Nullable,
  Value
> {
  /** Stored, compared and replaced as one value, as a key part has to be. Default: false. */
  readonly frozen?: boolean
}

/** An element of a collection or a tuple: a type, or the model of a user type. */
export type ElementSource = ElementType | UserTypeSource

export interface TimeBucketOptions<Property extends string = string, By extends BucketSize = BucketSize> {
  readonly name?: string
  /** How long a period is, in UTC. A week begins on Monday. */
  readonly by: By
  /** The property whose time counts: a timestamp or a date, which is a key part or immutable. */
  readonly of: Property
  /**
   * There are no older rows: a backward bucket scan ends here. A day, `YYYY-MM-DD`. Default: each query says how far back
   * it goes.
   */
  readonly since?: string
  /** How many buckets ahead of the clock an insert may write: for clocks that differ. Default: 1. */
  readonly ahead?: number
}

export interface TimeUuidOptions extends MadeKeyOptions {
  /** The order of the key part. Default: `asc`, the oldest first. */
  readonly order?: 'asc' | 'desc'
  /**
   * Who makes it when an insert leaves it out: `now` is the client, `required` requires a value from the caller. Default:
   * `required`.
   */
  readonly default?: 'now' | 'required'
}

const COMPOSITE: OptionKinds<CompositeOptions> = { ...COLUMN, frozen: flag }
const ELEMENTS = listOf(ELEMENT, "a list of types, such as [{ kind: 'int32' }]")
const USER_TYPE = kind(
  'a class with @UserType, or what defineUserType returned',
  (value) => userTypeOf(value) !== undefined,
)
const TIME_BUCKET: OptionKinds<TimeBucketOptions> = {
  name: databaseName,
  by: required(oneOf(...BUCKET_SIZES)),
  of: required(property),
  since: text("'2024-01-01'"),
  ahead: number,
}
const TIME_UUID: OptionKinds<TimeUuidOptions> = {
  name: databaseName,
  key: flag,
  order,
  default: oneOf('now', 'required'),
}

export function arrayColumn(of: ElementSource, userOptions?: CompositeOptions): ColumnPatch {
  return composite({ of }, userOptions, () => ({ kind: 'array', of: elementType(of) }))
}

export function setColumn(of: ElementSource, userOptions?: CompositeOptions): ColumnPatch {
  return composite({ of }, userOptions, () => ({ kind: 'set', of: elementType(of) }))
}

export function mapColumn(key: ScalarType, of: ElementSource, userOptions?: CompositeOptions): ColumnPatch {
  return composite({ key, of }, userOptions, () => ({ kind: 'map', key, of: elementType(of) }))
}

export function tupleColumn(of: readonly ElementSource[], userOptions?: ColumnOptions): ColumnPatch {
  const mistakes = argumentMistakes('of', ELEMENTS, of)
  if (mistakes.length > 0) return { mistakes }
  return declared(COLUMN, userOptions, (options) =>
    compositeColumn({ kind: 'tuple', of: of.map(elementType) }, of, options),
  )
}

export function udtColumn(model: UserTypeSource, userOptions?: CompositeOptions): ColumnPatch {
  const mistakes = argumentMistakes('the user type', USER_TYPE, model)
  if (mistakes.length > 0) return { mistakes }
  return declared(COMPOSITE, userOptions, (options) => compositeColumn(udtType(model), [model], options))
}

export function vectorColumn(dimensions: number, userOptions?: ColumnOptions): ColumnPatch {
  const mistakes = argumentMistakes('dimensions', number, dimensions)
  if (mistakes.length > 0) return { mistakes }
  return declared(COLUMN, userOptions, (options) =>
    compositeColumn({ kind: 'vector', of: 'float32', dimensions }, [], options),
  )
}

export function timeBucketColumn(userOptions: TimeBucketOptions): ColumnPatch {
  return declared(TIME_BUCKET, userOptions, ({ by, of, since, ahead, ...options }) => ({
    type: bucketType(by),
    nullable: false,
    key: 'asc',
    source: {
      kind: 'time-bucket',
      of,
      by,
      ...(since !== undefined && { since }),
      ...(ahead !== undefined && { ahead }),
    },
    ...named(options),
  }))
}

/** How the database stores a bucket: as the first day of its period, or as the first moment of its hour. */
export function bucketType(by: BucketSize): ScalarType {
  return { kind: by === 'hour' ? 'timestamp' : 'date' }
}

export function timeUuidColumn(userOptions?: TimeUuidOptions): ColumnPatch {
  return declared(TIME_UUID, userOptions, (options) => {
    if (options.key === false && options.order !== undefined)
      return mistaken(
        'order',
        'is given with key: false.',
        'Leave one of them out: only a key part has an order.',
      )
    return {
      ...column({ kind: 'timeuuid' }),
      ...madeKey(options, options.order),
      ...(options.default === 'now' && { source: { kind: 'timeuuid' } }),
      ...named(options),
    }
  })
}

/** A type that consists of others, each of which has a name in the declaration. */
function composite(
  parts: Readonly<Record<string, ElementSource>>,
  userOptions: CompositeOptions | undefined,
  type: () => ColumnType,
): ColumnPatch {
  const mistakes = Object.entries(parts).flatMap(([name, part]) => argumentMistakes(name, ELEMENT, part))
  if (mistakes.length > 0) return { mistakes }
  return declared(COMPOSITE, userOptions, (options) => compositeColumn(type(), Object.values(parts), options))
}

function compositeColumn(
  type: ColumnType,
  parts: readonly ElementSource[],
  options: CompositeOptions,
): ColumnPatch {
  const userTypes = parts.filter((part) => userTypeOf(part) !== undefined)
  return {
    type: options.frozen ? frozenType(type) : type,
    nullable: options.nullable ?? false,
    ...described(options),
    ...(userTypes.length > 0 && { userTypes }),
  }
}

/** Inside another type all is frozen: a user type need not say so. */
function elementType(of: ElementSource): ElementType {
  if (userTypeOf(of) !== undefined || typeof of === 'function')
    return frozenType(udtType(of as UserTypeSource))
  return of as ElementType
}
