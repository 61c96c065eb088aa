import { IsothermError } from '../errors.js'
import * as patch from '../model/column-patch.js'
import type {
  ColumnOptions,
  Int64Options,
  LengthOptions,
  TimestampOptions,
  UuidOptions,
} from '../model/column-patch.js'
import type { ScalarType } from '../model/column-type.js'
import type { ColumnPatch } from '../model/column.js'
import * as cqlPatch from '../model/cql-patch.js'
import type { CompositeOptions, Element } from '../model/cql-patch.js'
import { cqlColumns, scalar, type Accept } from './cql-columns.js'
import { fieldDecorator, type DesignType, type FieldDecorator } from './dual.js'

/** The type of a plain field, where reflection is certain of it. */
function inferType(property: string, designType: DesignType): ScalarType {
  switch (designType as unknown) {
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
          'Say it: @Column.string(), @Column.int64(), @Column.timestamp() … Types are inferred only under ' +
          'experimentalDecorators with emitDecoratorMetadata and reflect-metadata, for string, boolean, Date, ' +
          'bigint and Buffer.',
        column: property,
      })
  }
}

function inferred<Nullable extends boolean = false>(
  options?: ColumnOptions<Nullable>,
): FieldDecorator<unknown> {
  return fieldDecorator('Column', (property, designType): ColumnPatch => {
    return patch.column(inferType(property, designType), options)
  })
}

/**
 * Declares a column. `Column.<type>(options)` says the type; under `experimentalDecorators` with `reflect-metadata`,
 * `Column()` alone infers it for string, boolean, Date, bigint and Buffer.
 *
 * @example
 * \@Column.string({ length: 1024, nullable: true }) page!: string | null
 */
export const Column = Object.assign(inferred, {
  bool: scalar<boolean>({ kind: 'bool' }),
  /** A 64-bit integer, as a `bigint`; with `as: 'number'`, one of up to 53 bits as a number. */
  int64: <Nullable extends boolean = false, As extends 'bigint' | 'number' = 'bigint'>(
    options?: Int64Options<Nullable> & { readonly as?: As },
  ): FieldDecorator<Accept<As extends 'number' ? number : bigint, Nullable>> =>
    fieldDecorator('Column.int64', () => patch.int64Column(options)),
  float32: scalar<number>({ kind: 'float32' }),
  float64: scalar<number>({ kind: 'float64' }),
  /** An exact decimal, as a string: in GoogleSQL, 29 digits before the point and 9 after it. */
  numeric: scalar<string>({ kind: 'numeric' }),
  /** A calendar day, as `YYYY-MM-DD`: it has no time zone, so it is not a `Date`. */
  date: scalar<string>({ kind: 'date' }),
  json: scalar<unknown>({ kind: 'json' }),
  uuid: <Nullable extends boolean = false>(
    options?: UuidOptions<Nullable>,
  ): FieldDecorator<Accept<string, Nullable>> =>
    fieldDecorator('Column.uuid', () => patch.uuidColumn(options)),
  string: <Nullable extends boolean = false>(
    options: LengthOptions<Nullable> = {},
  ): FieldDecorator<Accept<string, Nullable>> =>
    fieldDecorator('Column.string', () =>
      patch.column({ kind: 'string', length: options.length ?? 'max' }, options),
    ),
  bytes: <Nullable extends boolean = false>(
    options: LengthOptions<Nullable> = {},
  ): FieldDecorator<Accept<Uint8Array, Nullable>> =>
    fieldDecorator('Column.bytes', () =>
      patch.column({ kind: 'bytes', length: options.length ?? 'max' }, options),
    ),
  /** A moment, to the nanosecond. */
  timestamp: <Nullable extends boolean = false>(
    options?: TimestampOptions<Nullable>,
  ): FieldDecorator<Accept<Date, Nullable>> =>
    fieldDecorator('Column.timestamp', () => patch.timestampColumn(options)),
  /** An array of one of the scalar types: `@Column.array({ kind: 'string', length: 'max' })`. */
  array: <Nullable extends boolean = false>(
    of: Element,
    options?: CompositeOptions<Nullable>,
  ): FieldDecorator<Accept<readonly unknown[], Nullable>> =>
    fieldDecorator('Column.array', () => cqlPatch.arrayColumn(of, options)),
  ...cqlColumns,
})
