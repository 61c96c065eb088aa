import { entityKind, type Table } from 'drizzle-orm'
import type { SpannerColumn } from './columns/common.js'
import { orderedColumn, type OrderedColumn, type OrderedColumnInput } from './ordered-column.js'

export class PrimaryKeyBuilder {
  static readonly [entityKind]: string = 'SpannerPrimaryKeyBuilder'
  readonly #parts: readonly OrderedColumn[]

  constructor(parts: readonly OrderedColumn[]) {
    this.#parts = parts
  }

  build(table: Table): PrimaryKey {
    return new PrimaryKey(table, this.#parts)
  }
}

/** The primary key of a table, as `getTableConfig` has it. */
export class PrimaryKey {
  static readonly [entityKind]: string = 'SpannerPrimaryKey'
  readonly table: Table
  /** In the order of the key. */
  readonly parts: readonly OrderedColumn[]

  constructor(table: Table, parts: readonly OrderedColumn[]) {
    this.table = table
    this.parts = parts
  }

  get columns(): SpannerColumn[] {
    return this.parts.map(({ column }) => column)
  }
}

/**
 * The primary key, where the order of its columns is not that of their declaration, or one of them descends.
 *
 * @example
 * primaryKey({ columns: [t.userId, desc(t.createdAt)] })
 */
export function primaryKey(config: {
  readonly columns: readonly [OrderedColumnInput, ...OrderedColumnInput[]]
}): PrimaryKeyBuilder {
  return new PrimaryKeyBuilder(config.columns.map(orderedColumn))
}
