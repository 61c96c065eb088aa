import type { WireType } from '@isotherm/core/adapter'
import { is, Param, Placeholder, SQL, type Column, type Table } from 'drizzle-orm'
import { nameOf, type BuiltQuery } from '../../drizzle-internals.js'
import { Renderer } from '../../sql/renderer.js'
import type { ArrayItems } from '../../sql/rows-of-arrays.js'
import type { Membership } from '../../sql/value-list.js'
import { SpannerColumn } from '../columns/common.js'
import { literal, quoteName } from '../literals.js'
import { refuseForeignOperator } from './foreign-operators.js'
import { SubqueryField } from './subquery-field.js'

interface Encoder {
  mapToDriverValue(value: unknown): unknown
  readonly codec?: { readonly type: WireType }
}

/**
 * SQL as GoogleSQL's text.
 *
 * Source: https://cloud.google.com/spanner/docs/reference/standard-sql/query-syntax
 */
export function render(sql: SQL, columnName: (column: Column) => string): BuiltQuery {
  return new GoogleSqlRenderer(columnName).render(sql)
}

class GoogleSqlRenderer extends Renderer {
  protected override quoteName(name: string): string {
    return quoteName(name)
  }

  protected override parameterAt(at: number): string {
    return `@p${at}`
  }

  protected override literal(value: unknown, type: WireType | undefined): string {
    return literal(value, type)
  }

  protected override refuseForeign(text: string): void {
    refuseForeignOperator(text)
  }

  protected override other(chunk: object): void {
    if (chunk.constructor === SpannerColumn) return this.column(chunk)
    if (chunk instanceof SubqueryField) {
      this.text += `${this.placed(chunk.subquery)}.${quoteName(chunk.fieldAlias)}`
      return
    }
    super.other(chunk)
  }

  /** A reference to a column cannot have its table's schema. */
  protected override tableOfColumn(table: Table): string {
    return this.placed(nameOf(table))
  }

  override encodingOf(encoder: unknown): ArrayItems | undefined {
    const { codec, mapToDriverValue } = encoder as Encoder
    return codec && { type: codec.type, encode: (value) => mapToDriverValue.call(encoder, value) }
  }

  override takesArrayOf({ kind }: WireType): boolean {
    return kind !== 'array' && kind !== 'json'
  }

  protected override arrayOperator(membership: Membership): string {
    return ` ${membership} unnest(`
  }

  protected override param(param: Param): void {
    const encoder = param.encoder as Encoder
    if (is(param.value, Placeholder)) return this.parameter(param, encoder.codec?.type)
    const value = param.value === null ? null : encoder.mapToDriverValue(param.value)
    if (is(value, SQL)) return this.write(value)
    const type = encoder.codec?.type
    if (type) this.typedValue(value, type)
    else this.value(value)
  }
}
