import { entityKind } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'

/** Columns whose values never change. */
export class ImmutableColumns {
  static readonly [entityKind]: string = 'SpannerImmutableColumns'
  readonly columns: readonly PgColumn[]

  constructor(columns: readonly PgColumn[]) {
    this.columns = columns
  }
}

/**
 * Promises that the values of columns are set at the insert and never changed: such a column may feed a shard's hash.
 *
 * @example
 * immutable(t.country, t.createdAt)
 */
export function immutable(...columns: readonly [PgColumn, ...PgColumn[]]): ImmutableColumns {
  return new ImmutableColumns(columns)
}
