import * as patch from '../model/column-patch.js'
import type { ColumnOptions } from '../model/column-patch.js'
import type { ScalarType } from '../model/column-type.js'
import * as cqlPatch from '../model/cql-patch.js'
import type { CompositeOptions, Element } from '../model/cql-patch.js'
import type { UserTypeSource } from '../model/user-type.js'
import type { TupleValue, ValueOf } from '../model/value-types.js'
import { fieldDecorator, type FieldDecorator } from './dual.js'

export type Accept<Value, Nullable extends boolean> = Nullable extends true ? Value | null : Value

export function scalar<Value>(type: ScalarType) {
  return <Nullable extends boolean = false>(
    options?: ColumnOptions<Nullable>,
  ): FieldDecorator<Accept<Value, Nullable>> =>
    fieldDecorator(`Column.${type.kind}`, () => patch.column(type, options))
}

/** The types of Cassandra, as decorators. */
export const cqlColumns = {
  int32: scalar<number>({ kind: 'int32' }),
  int16: scalar<number>({ kind: 'int16' }),
  int8: scalar<number>({ kind: 'int8' }),
  /** A whole number of any size, as a `bigint`. */
  varint: scalar<bigint>({ kind: 'varint' }),
  /** An exact decimal of any size, as a string. */
  decimal: scalar<string>({ kind: 'decimal' }),
  /** A time of day to the nanosecond, as `13:30:54.123456789`. */
  time: scalar<string>({ kind: 'time' }),
  /** Months, days and nanoseconds, as `1mo2d3ns`: no key, and without an order. */
  duration: scalar<string>({ kind: 'duration' }),
  /** An IPv4 or IPv6 address, as text. */
  inet: scalar<string>({ kind: 'inet' }),
  /** A version 1 UUID, ordered by the time in it. As a key that the client makes: `@TimeUuid`. */
  timeuuid: scalar<string>({ kind: 'timeuuid' }),
  ascii: scalar<string>({ kind: 'ascii' }),
  /** A number that is only added to, in a table that has nothing else beside its key. */
  counter: scalar<bigint>({ kind: 'counter' }),
  /** A set of a scalar type, a frozen one or a user type: `@Column.set({ kind: 'ascii' })`. */
  set: <const Of extends Element, Nullable extends boolean = false>(
    of: Of,
    options?: CompositeOptions<Nullable>,
  ): FieldDecorator<Accept<ReadonlySet<ValueOf<Of>>, Nullable>> =>
    fieldDecorator('Column.set', () => cqlPatch.setColumn(of, options)),
  /** A map from a scalar type: `@Column.map({ kind: 'ascii' }, { kind: 'int32' })`. */
  map: <const Key extends ScalarType, const Of extends Element, Nullable extends boolean = false>(
    key: Key,
    of: Of,
    options?: CompositeOptions<Nullable>,
  ): FieldDecorator<Accept<ReadonlyMap<ValueOf<Key>, ValueOf<Of>>, Nullable>> =>
    fieldDecorator('Column.map', () => cqlPatch.mapColumn(key, of, options)),
  /** So many values, each of a type of its own: `@Column.tuple([{ kind: 'ascii' }, { kind: 'int32' }])`. */
  tuple: <const Of extends readonly Element[], Nullable extends boolean = false>(
    of: Of,
    options?: ColumnOptions<Nullable>,
  ): FieldDecorator<Accept<TupleValue<Of>, Nullable>> =>
    fieldDecorator('Column.tuple', () => cqlPatch.tupleColumn(of, options)),
  /** A value of a user type, as an object: `@Column.udt(Address) home!: Address`. */
  udt: <Type extends UserTypeSource, Nullable extends boolean = false>(
    type: Type,
    options?: CompositeOptions<Nullable>,
  ): FieldDecorator<Accept<ValueOf<Type>, Nullable>> =>
    fieldDecorator('Column.udt', () => cqlPatch.udtColumn(type, options)),
  /** So many numbers of 32 bits: `@Column.vector(768)`. */
  vector: <Nullable extends boolean = false>(
    dimensions: number,
    options?: ColumnOptions<Nullable>,
  ): FieldDecorator<Accept<readonly number[], Nullable>> =>
    fieldDecorator('Column.vector', () => cqlPatch.vectorColumn(dimensions, options)),
}
