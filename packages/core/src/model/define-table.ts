import type { ColumnDefinition, ColumnPatch } from './column.js'
import * as patch from './column-patch.js'
import type { ColumnOptions, LengthOptions, TimestampOptions } from './column-patch.js'
import type { ScalarType } from './column-type.js'
import { definitionKey, type TableModel } from './model.js'
import type { Generated } from './row.js'
import type { IndexOptions } from './secondary-index.js'
import type { TableDefinition, TableOptions } from './table.js'

/** A JSON document. */
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [name: string]: Json | undefined }

/** A column that is being declared; its type parameter is the type of the row's field. */
export class ColumnBuilder<Value> {
  declare readonly value: Value
  readonly patch: ColumnPatch

  constructor(patch: ColumnPatch) {
    this.patch = patch
  }

  /** Makes the column a part of the primary key, after those declared before it. */
  key(order: 'asc' | 'desc' = 'asc'): ColumnBuilder<Value> {
    return new ColumnBuilder({ ...this.patch, key: order })
  }
}

type Field<Value, Nullable extends boolean> = ColumnBuilder<Nullable extends true ? Value | null : Value>

interface ScalarValues {
  bool: boolean
  int64: bigint
  float32: number
  float64: number
  numeric: string
  string: string
  bytes: Uint8Array
  date: string
  timestamp: Date
  json: Json
  uuid: string
}

function scalar<Kind extends 'bool' | 'int64' | 'float32' | 'float64' | 'numeric' | 'date' | 'json' | 'uuid'>(
  kind: Kind,
) {
  return <Nullable extends boolean = false>(
    options?: ColumnOptions<Nullable>,
  ): Field<ScalarValues[Kind], Nullable> => new ColumnBuilder(patch.column({ kind }, options))
}

const builders = {
  bool: scalar('bool'),
  int64: scalar('int64'),
  float32: scalar('float32'),
  float64: scalar('float64'),
  numeric: scalar('numeric'),
  date: scalar('date'),
  json: scalar('json'),
  uuid: scalar('uuid'),
  string: <Nullable extends boolean = false>(
    options: LengthOptions<Nullable> = {},
  ): Field<string, Nullable> =>
    new ColumnBuilder(patch.column({ kind: 'string', length: options.length ?? 'max' }, options)),
  bytes: <Nullable extends boolean = false>(
    options: LengthOptions<Nullable> = {},
  ): Field<Uint8Array, Nullable> =>
    new ColumnBuilder(patch.column({ kind: 'bytes', length: options.length ?? 'max' }, options)),
  timestamp: <Nullable extends boolean = false, From extends 'now' | 'commit' | 'given' = 'given'>(
    options?: TimestampOptions<Nullable> & { readonly default?: From },
  ): Field<From extends 'given' ? Date : Generated<Date>, Nullable> =>
    new ColumnBuilder(patch.timestampColumn(options)),
  array: <Kind extends ScalarType['kind'], Nullable extends boolean = false>(
    of: Extract<ScalarType, { kind: Kind }>,
    options?: ColumnOptions<Nullable>,
  ): Field<readonly (ScalarValues[Kind] | null)[], Nullable> =>
    new ColumnBuilder(patch.arrayColumn(of, options)),

  shardKey: (options: patch.ShardKeyOptions): ColumnBuilder<Generated<bigint>> =>
    new ColumnBuilder(patch.shardKeyColumn(options)),
  bitReversedId: (options?: patch.BitReversedIdOptions): ColumnBuilder<Generated<bigint>> =>
    new ColumnBuilder(patch.bitReversedIdColumn(options)),
  uuidV4: (options?: patch.UuidV4Options): ColumnBuilder<Generated<string>> =>
    new ColumnBuilder(patch.uuidV4Column(options)),
  descTimestamp: <From extends 'now' | 'commit' | 'given' = 'given'>(
    options?: patch.DescTimestampOptions & { readonly default?: From },
  ): ColumnBuilder<From extends 'given' ? Date : Generated<Date>> =>
    new ColumnBuilder(patch.descTimestampColumn(options)),
  /** A key part inherited from the parent: same name, same type, same place in the key. */
  parentKey: <Value>(): ColumnBuilder<Value> => new ColumnBuilder(patch.parentKeyColumn()),
}

export type TableBuilder = typeof builders

export interface DefineTableOptions extends TableOptions {
  readonly indexes?: readonly IndexOptions[]
}

/**
 * Declares a table without a class. What `@Table` and its decorators say, `defineTable` can say too.
 *
 * @example
 * const UserAccessLog = defineTable('UserAccessLog', (t) => ({
 *   shardId: t.shardKey({ shards: 64, of: ['userId'] }),
 *   lastAccess: t.descTimestamp({ default: 'now' }),
 *   userId: t.int64().key(),
 *   page: t.string({ length: 1024, nullable: true }),
 * }))
 */
export function defineTable<Columns extends Record<string, ColumnBuilder<unknown>>>(
  name: string,
  columns: (t: TableBuilder) => Columns,
  options: DefineTableOptions = {},
): TableModel<{ [Property in keyof Columns]: Columns[Property]['value'] }> & { readonly name: string } {
  const { indexes = [], ...tableOptions } = options
  const definition: TableDefinition = {
    name,
    columns: Object.entries(columns(builders)).map(([property, builder]): ColumnDefinition => ({
      property,
      ...builder.patch,
    })),
    indexes,
    options: tableOptions,
  }
  return { name, [definitionKey]: () => definition }
}
