import { is, SQL, type Casing, type Column } from 'drizzle-orm'
import { CasingCache } from 'drizzle-orm/casing'
import { inlineQuery } from '../drizzle-internals.js'
import type { DdlWords } from '../schema/table-kind.js'
import type { SpannerColumn } from './columns/common.js'
import { literal, quoteName, quoteText } from './literals.js'

/** What tables are called, and what their SQL says, in DDL. */
export class GoogleSqlWords implements DdlWords {
  readonly #casing: CasingCache

  constructor(casing: Casing | undefined) {
    this.#casing = new CasingCache(casing)
  }

  columnName(column: Column): string {
    return this.#casing.getColumnCasing(column)
  }

  expression(sql: SQL): string {
    return inlineQuery(sql, { casing: this.#casing, escapeName: quoteName, escapeString: quoteText }, literal)
  }

  valueOf(column: Column, value: unknown): string {
    const { codec } = column as SpannerColumn
    return is(value, SQL) ? this.expression(value) : literal(codec.encode(value), codec.type)
  }
}
