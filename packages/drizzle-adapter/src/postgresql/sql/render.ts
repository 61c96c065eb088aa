import { IsothermError } from '@isotherm/core'
import type { WireType } from '@isotherm/core/adapter'
import { Column, is, Param, Placeholder, SQL, type Table } from 'drizzle-orm'
import { isPgEnum } from 'drizzle-orm/pg-core'
import { isAlias, nameOf, schemaOf, type BuiltQuery } from '../../drizzle-internals.js'
import { Renderer } from '../../sql/renderer.js'
import type { ArrayItems } from '../../sql/rows-of-arrays.js'
import type { Membership } from '../../sql/value-list.js'
import { codecOf } from '../columns/codec.js'
import { literal, quoteName } from '../literals.js'
import { refuseForeignOperator } from './foreign-operators.js'
import { WireEncoder } from './wire-encoder.js'

/**
 * SQL as the text of Spanner's PostgreSQL.
 *
 * Source: https://cloud.google.com/spanner/docs/reference/postgresql/query-syntax
 */
export function render(sql: SQL, columnName: (column: Column) => string): BuiltQuery {
  return new PostgreSqlRenderer(columnName).render(sql)
}

/** Spanner's ANY and ALL do not take arrays of these, and arrays are no items. */
const NO_ITEMS = new Set<WireType['kind']>(['array', 'float32', 'float64', 'json', 'numeric'])

class PostgreSqlRenderer extends Renderer {
  protected override quoteName(name: string): string {
    return quoteName(name)
  }

  protected override parameterAt(at: number): string {
    return `$${at}`
  }

  protected override literal(value: unknown, type: WireType | undefined): string {
    return literal(value, type)
  }

  protected override refuseForeign(text: string): void {
    refuseForeignOperator(text)
  }

  protected override tableOfColumn(table: Table): string {
    return this.qualified(nameOf(table), isAlias(table) ? undefined : schemaOf(table))
  }

  override encodingOf(encoder: unknown): ArrayItems | undefined {
    if (encoder instanceof WireEncoder) return encoder
    return is(encoder, Column) ? codecOf(encoder) : undefined
  }

  override takesArrayOf({ kind }: WireType): boolean {
    return !NO_ITEMS.has(kind)
  }

  protected override arrayOperator(membership: Membership): string {
    return membership === 'in' ? ' = any(' : ' <> all('
  }

  protected override param({ value, encoder }: Param): void {
    const codec = this.encodingOf(encoder)
    if (is(value, Placeholder)) {
      // What it will be is encoded as a value of the column's is now.
      const encoding = codec && { mapToDriverValue: (given: unknown) => codec.encode(given) }
      return this.parameter(new Param(value, encoding ?? encoder), codec?.type)
    }
    const encoded = value === null ? null : codec ? codec.encode(value) : encoder.mapToDriverValue(value)
    if (is(encoded, SQL)) return this.write(encoded)
    if (codec) this.typedValue(encoded, codec.type)
    else this.value(encoded)
  }

  protected override value(value: unknown): void {
    if (isPgEnum(value)) {
      throw new IsothermError(
        'UNSUPPORTED',
        `Spanner has no types of one's own, such as ${value.enumName}.`,
        {
          fix: 'Leave the cast out: the values are text.',
        },
      )
    }
    super.value(value)
  }
}
