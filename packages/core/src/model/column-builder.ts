import { keyColumn } from './column-patch.js'
import { merged, type ColumnPatch } from './column.js'
import type { Generated } from './row.js'
import type { SqlExpression } from './sql-expression.js'

/** A column that is being declared; its type parameter is the type of the row's field. */
export class ColumnBuilder<Value> {
  declare readonly value: Value
  readonly patch: ColumnPatch

  constructor(patch: ColumnPatch) {
    this.patch = patch
  }

  /** Makes the column a part of the primary key, after those declared before it. */
  key(order: 'asc' | 'desc' = 'asc'): ColumnBuilder<Value> {
    return new ColumnBuilder(merged(this.patch, keyColumn(order)))
  }
}

/**
 * The type of a row's field, from the declaration of the column: NULL if it may be NULL, `Generated` if the database makes
 * it.
 */
export type Field<Value, Options> = ColumnBuilder<
  MayBeNull<Options> extends true
    ? Value | null
    : Options extends
          | { readonly default: string | number | bigint | boolean | object }
          | { readonly generated: SqlExpression }
      ? Generated<Value>
      : Value
>

/** Also true for a `boolean` whose value is known only at run time. */
export type MayBeNull<Options> = Options extends { readonly nullable: infer Nullable }
  ? true extends Nullable
    ? true
    : false
  : false
