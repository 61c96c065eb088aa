import { entityKind, sql, type SQL, type SQLWrapper } from 'drizzle-orm'
import { SpannerSequence, type SpannerSequenceOptions } from './sequence.js'
import { spannerTableIn, type SpannerTableFn } from './table.js'
import { spannerViewIn, type SpannerViewFn } from './view.js'

/** A named schema: what is declared through it lies in it. */
export class SpannerSchema<TName extends string = string> implements SQLWrapper {
  static readonly [entityKind]: string = 'SpannerSchema'
  readonly schemaName: TName
  readonly table: SpannerTableFn<TName>
  readonly view: SpannerViewFn

  constructor(name: TName) {
    this.schemaName = name
    this.table = spannerTableIn(name)
    this.view = spannerViewIn(name)
  }

  sequence(name: string, options: SpannerSequenceOptions = {}): SpannerSequence {
    return new SpannerSequence(name, this.schemaName, options)
  }

  getSQL(): SQL {
    return sql`${sql.identifier(this.schemaName)}`
  }

  shouldOmitSQLParens(): boolean {
    return true
  }
}

/**
 * A named schema.
 *
 * @example
 * export const finance = spannerSchema('finance')
 * export const invoices = finance.table('Invoice', { id: uuidV4() })
 */
export function spannerSchema<TName extends string>(name: TName): SpannerSchema<TName> {
  return new SpannerSchema(name)
}
