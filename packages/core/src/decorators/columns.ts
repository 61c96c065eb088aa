import * as patch from '../model/column-patch.js'
import * as wideColumn from '../model/wide-column-patch.js'
import type {
  ColumnOptions,
  Int64Options,
  LengthOptions,
  TimestampOptions,
  UuidOptions,
} from '../model/column-patch.js'
import type { ScalarType } from '../model/column-type.js'
import type { CompositeOptions, ElementSource } from '../model/wide-column-patch.js'
import type { UserTypeSource } from '../model/user-type.js'
import type { TupleValue, ValueOf } from '../model/value-types.js'
import { refusingBare } from './bare.js'
import { type FieldDecorator, fieldDecorator } from './dual.js'
import { IsothermError } from '../errors.js'
import type { ColumnPatch } from '../model/column.js'

type Accept<Value, Nullable extends boolean> = Nullable extends true ? Value | null : Value

// So marked, bundlers leave out `Column` where an application has no decorators.
/* @__NO_SIDE_EFFECTS__ */
function scalar<Value>(kind: patch.PlainKind) {
  return <Nullable extends boolean = false>(
    options?: ColumnOptions<Nullable, Value>,
  ): FieldDecorator<Accept<Value, Nullable>> =>
    fieldDecorator(`Column.${kind}`, () => patch.scalarColumn(kind, options))
}

/** The types of wide-column stores, as decorators. */
const wideColumns = {
  int32: scalar<number>('int32'),
  int16: scalar<number>('int16'),
  int8: scalar<number>('int8'),
  /** A whole number of any size, as a `bigint`. */
  varint: scalar<bigint>('varint'),
  /** An exact decimal of any size, as a string. */
  decimal: scalar<string>('decimal'),
  /** A time of day to the nanosecond, as `13:30:54.123456789`. */
  time: scalar<string>('time'),
  /** Months, days and nanoseconds, as `1mo2d3ns`: no key, and without an order. */
  duration: scalar<string>('duration'),
  /** An IPv4 or IPv6 address, as text. */
  inet: scalar<string>('inet'),
  /** A version 1 UUID, ordered by its time. For a key that the client makes use `@TimeUuid`. */
  timeuuid: scalar<string>('timeuuid'),
  ascii: scalar<string>('ascii'),
  /** A number that can only be incremented, in a table that has only counters beside its key. */
  counter: scalar<bigint>('counter'),
  /** A set of a scalar type, a frozen one or a user type: `@Column.set({ kind: 'ascii' })`. */
  set: <const Of extends ElementSource, Nullable extends boolean = false>(
    of: Of,
    options?: CompositeOptions<Nullable>,
  ): FieldDecorator<Accept<ReadonlySet<ValueOf<Of>>, Nullable>> =>
    fieldDecorator('Column.set', () => wideColumn.setColumn(of, options)),
  /** A map from a scalar type: `@Column.map({ kind: 'ascii' }, { kind: 'int32' })`. */
  map: <const Key extends ScalarType, const Of extends ElementSource, Nullable extends boolean = false>(
    key: Key,
    of: Of,
    options?: CompositeOptions<Nullable>,
  ): FieldDecorator<Accept<ReadonlyMap<ValueOf<Key>, ValueOf<Of>>, Nullable>> =>
    fieldDecorator('Column.map', () => wideColumn.mapColumn(key, of, options)),
  /** A fixed number of values, each of a type of its own: `@Column.tuple([{ kind: 'ascii' }, { kind: 'int32' }])`. */
  tuple: <const Of extends readonly ElementSource[], Nullable extends boolean = false>(
    of: Of,
    options?: ColumnOptions<Nullable>,
  ): FieldDecorator<Accept<TupleValue<Of>, Nullable>> =>
    fieldDecorator('Column.tuple', () => wideColumn.tupleColumn(of, options)),
  /** A value of a user type, as an object: `@Column.udt(Address) home!: Address`. */
  udt: <Type extends UserTypeSource, Nullable extends boolean = false>(
    type: Type,
    options?: CompositeOptions<Nullable>,
  ): FieldDecorator<Accept<ValueOf<Type>, Nullable>> =>
    fieldDecorator('Column.udt', () => wideColumn.udtColumn(type, options)),
  /** A fixed number of 32-bit floats: `@Column.vector(768)`. */
  vector: <Nullable extends boolean = false>(
    dimensions: number,
    options?: ColumnOptions<Nullable>,
  ): FieldDecorator<Accept<readonly number[], Nullable>> =>
    fieldDecorator('Column.vector', () => wideColumn.vectorColumn(dimensions, options)),
}

/** What `@Column()` can tell by its reflected type. */
type Inferred = string | boolean | Date | bigint | Buffer

/** The type of a plain field, where reflection is certain of it. */
function inferType(property: string, designType: unknown): ScalarType {
  switch (isStringEnum(designType) ? String : designType) {
    case String:
      return { kind: 'string', length: 'max' }
    case Boolean:
      return { kind: 'bool' }
    case Date:
      return { kind: 'timestamp' }
    case BigInt:
      return { kind: 'int64' }
    case Buffer:
      return { kind: 'bytes', length: 'max' }
    default:
      throw new IsothermError('SCHEMA_INVALID', `@Column() cannot tell the type of ${property}.`, {
        fix:
          'Declare it: @Column.string(), @Column.int64(), @Column.timestamp() … Types are inferred ' +
          (designType === undefined
            ? 'only under experimentalDecorators with emitDecoratorMetadata and reflect-metadata.'
            : 'for string, boolean, Date, bigint and Buffer; not from an alias or an imported type, if each file is ' +
              'compiled alone, as isotherm does.'),
        column: property,
      })
  }
}

/** Compilers of single files write an enum of another file as its object, where others write `String`. */
function isStringEnum(designType: unknown): boolean {
  if (typeof designType !== 'object' || designType === null) return false
  const values: readonly unknown[] = Object.values(designType)
  return values.length > 0 && values.every((value) => typeof value === 'string')
}

function inferred<Nullable extends boolean = false>(
  options?: ColumnOptions<Nullable>,
): FieldDecorator<Accept<Inferred, Nullable>> {
  return fieldDecorator('Column', (property, designType): ColumnPatch => {
    return patch.typedColumn(inferType(property, designType), options)
  })
}

/**
 * Declares a column. `Column.<type>(options)` says the type; under `experimentalDecorators` with `reflect-metadata`,
 * `Column()` alone infers it for string, boolean, Date, bigint and Buffer.
 *
 * @example
 * \@Column.string({ length: 1024, nullable: true }) page!: string | null
 */
export const Column = /* @__PURE__ */ refusingBare(
  'Column',
  /* @__PURE__ */ Object.assign(inferred, wideColumns, {
    bool: scalar<boolean>('bool'),
    /** A 64-bit integer, as a `bigint`; with `as: 'number'`, one of up to 53 bits as a number. */
    int64: <Nullable extends boolean = false, As extends 'bigint' | 'number' = 'bigint'>(
      options?: Int64Options<Nullable> & { readonly as?: As },
    ): FieldDecorator<Accept<As extends 'number' ? number : bigint, Nullable>> =>
      fieldDecorator('Column.int64', () => patch.int64Column(options)),
    float32: scalar<number>('float32'),
    float64: scalar<number>('float64'),
    /** An exact decimal, as a string: in GoogleSQL, 29 digits before the point and 9 after it. */
    numeric: scalar<string>('numeric'),
    /** A calendar day, as `YYYY-MM-DD`: it has no time zone, so it is not a `Date`. */
    date: scalar<string>('date'),
    json: scalar<unknown>('json'),
    uuid: <Nullable extends boolean = false>(
      options?: UuidOptions<Nullable>,
    ): FieldDecorator<Accept<string, Nullable>> =>
      fieldDecorator('Column.uuid', () => patch.uuidColumn(options)),
    string: <Nullable extends boolean = false>(
      options?: LengthOptions<Nullable, string>,
    ): FieldDecorator<Accept<string, Nullable>> =>
      fieldDecorator('Column.string', () => patch.textColumn('string', options)),
    bytes: <Nullable extends boolean = false>(
      options?: LengthOptions<Nullable, Uint8Array>,
    ): FieldDecorator<Accept<Uint8Array, Nullable>> =>
      fieldDecorator('Column.bytes', () => patch.textColumn('bytes', options)),
    /** A point in time, to the nanosecond. */
    timestamp: <Nullable extends boolean = false>(
      options?: TimestampOptions<Nullable>,
    ): FieldDecorator<Accept<Date, Nullable>> =>
      fieldDecorator('Column.timestamp', () => patch.timestampColumn(options)),
    /** An array of one of the scalar types: `@Column.array({ kind: 'string', length: 'max' })`. */
    array: <Nullable extends boolean = false>(
      of: ElementSource,
      options?: CompositeOptions<Nullable, readonly unknown[]>,
    ): FieldDecorator<Accept<readonly unknown[], Nullable>> =>
      fieldDecorator('Column.array', () => wideColumn.arrayColumn(of, options)),
  }),
)
