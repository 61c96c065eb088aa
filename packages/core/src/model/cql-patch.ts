import { described, column, named, type ColumnOptions } from './column-patch.js'
import type { ColumnPatch } from './column.js'
import type { ColumnType, ElementType, ScalarType } from './column-type.js'
import type { BucketSize } from './key.js'
import { frozenType, udtType, userTypeOf, type UserTypeSource } from './user-type.js'

// What the declarations mean that Cassandra's data model has brought along: the other half of `column-patch.ts`.

export interface CompositeOptions<Nullable extends boolean = boolean> extends ColumnOptions<Nullable> {
  /** Stored, compared and replaced as one value, as a key part has to be. Default: false. */
  readonly frozen?: boolean
}

/** What a collection or a tuple is made of: a type, or the model of a user type. */
export type Element = ElementType | UserTypeSource

export interface TimeBucketOptions<Property extends string = string, By extends BucketSize = BucketSize> {
  readonly name?: string
  /** How long a period is, in UTC. A week begins on Monday. */
  readonly by: By
  /** The property whose time counts: a timestamp or a date, which is a key part or immutable. */
  readonly of: Property
  /** No row is older: where a walk backwards ends. A day, `YYYY-MM-DD`. Default: each query says how far back. */
  readonly since?: string
  /** How many buckets ahead of the clock an insert may write: for clocks that differ. Default: 1. */
  readonly ahead?: number
}

export interface TimeUuidOptions {
  readonly name?: string
  /** Default: `asc`, the oldest first. */
  readonly order?: 'asc' | 'desc'
  /** Who makes it when an insert does not: `now` is the client, `given` nobody. Default: `given`. */
  readonly default?: 'now' | 'given'
}

export function arrayColumn(of: Element, options?: CompositeOptions): ColumnPatch {
  return composite({ kind: 'array', of: elementType(of) }, [of], options)
}

export function setColumn(of: Element, options?: CompositeOptions): ColumnPatch {
  return composite({ kind: 'set', of: elementType(of) }, [of], options)
}

export function mapColumn(key: ScalarType, of: Element, options?: CompositeOptions): ColumnPatch {
  return composite({ kind: 'map', key, of: elementType(of) }, [of], options)
}

export function tupleColumn(of: readonly Element[], options?: ColumnOptions): ColumnPatch {
  return composite({ kind: 'tuple', of: of.map(elementType) }, of, options)
}

/** @throws {IsothermError} `SCHEMA_INVALID` for a model that is no user type. */
export function udtColumn(model: UserTypeSource, options?: CompositeOptions): ColumnPatch {
  return composite(udtType(model), [model], options)
}

export function vectorColumn(dimensions: number, options?: ColumnOptions): ColumnPatch {
  return composite({ kind: 'vector', of: 'float32', dimensions }, [], options)
}

export function timeBucketColumn({ by, of, since, ahead, ...options }: TimeBucketOptions): ColumnPatch {
  return {
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
  }
}

/** How a bucket lies in the database: as the first day of its period, or as the first moment of its hour. */
export function bucketType(by: BucketSize): ScalarType {
  return { kind: by === 'hour' ? 'timestamp' : 'date' }
}

export function timeUuidColumn(options: TimeUuidOptions = {}): ColumnPatch {
  return {
    ...column({ kind: 'timeuuid' }),
    key: options.order ?? 'asc',
    ...(options.default === 'now' && { source: { kind: 'timeuuid' } }),
    ...named(options),
  }
}

function composite(type: ColumnType, parts: readonly Element[], options: CompositeOptions = {}): ColumnPatch {
  const userTypes = parts.filter((part) => userTypeOf(part) !== undefined)
  return {
    type: options.frozen ? frozenType(type) : type,
    nullable: options.nullable ?? false,
    ...described(options),
    ...(userTypes.length > 0 && { userTypes }),
  }
}

/** Inside another type all is frozen: a user type need not say so. */
function elementType(of: Element): ElementType {
  if (userTypeOf(of) !== undefined || typeof of === 'function')
    return frozenType(udtType(of as UserTypeSource))
  return of as ElementType
}
