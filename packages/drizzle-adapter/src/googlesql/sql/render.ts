import { IsothermError } from '@isotherm/core'
import type { ColumnCodec, WireType } from '@isotherm/core/adapter'
import { type Column, Param, Placeholder, SQL, type Table, is } from 'drizzle-orm'
import { type BuiltQuery, nameOf } from '../../drizzle-internals.js'
import { type ArrayItems, type Membership, Renderer } from '../../sql/renderer.js'
import { SpannerColumn, type ValueForm, castPlaceholder } from '../columns/common.js'
import { literal, quoteName } from './literals.js'
import { SubqueryField } from './select-sql.js'

// Operators that Drizzle has helpers for and GoogleSQL does not know. A helper's text stands between two values, so it is a
// piece of its own and looking it up costs next to nothing.

const OURS = "from '@isotherm/drizzle-adapter'"

const ALTERNATIVES: ReadonlyMap<string, readonly [what: string, fix: string]> = new Map([
  [' ilike ', ['ILIKE', `Import ilike ${OURS}: it compares in lower case.`]],
  [' not ilike ', ['NOT ILIKE', `Import notIlike ${OURS}: it compares in lower case.`]],
  [' @> ', ['the operator @>', `Import arrayContains ${OURS}, which is ARRAY_INCLUDES_ALL.`]],
  [' <@ ', ['the operator <@', `Import arrayContained ${OURS}, which is ARRAY_INCLUDES_ALL.`]],
  [' && ', ['the operator &&', `Import arrayOverlaps ${OURS}, which is ARRAY_INCLUDES_ANY.`]],
  [' <-> ', ['the operator <->', `Import l2Distance ${OURS}, which is EUCLIDEAN_DISTANCE.`]],
  [' <=> ', ['the operator <=>', `Import cosineDistance ${OURS}, which is COSINE_DISTANCE.`]],
  [' <#> ', ['the operator <#>', `Import innerProduct ${OURS}, which is DOT_PRODUCT.`]],
  [' <+> ', ['the operator <+>', 'Write the sum over UNNEST(column) WITH OFFSET in sql``.']],
  [' <~> ', ['the operator <~>', 'Write it with BIT_COUNT and BIT_XOR in sql``.']],
  [' <%> ', ['the operator <%>', 'Write it over UNNEST(column) in sql``.']],
])

/**
 * Refuses a helper of Drizzle's that makes another database's SQL, before the database does.
 *
 * @throws {IsothermError} `UNSUPPORTED_FEATURE`, naming the helper that there is instead.
 */
function refuseForeignOperator(text: string): void {
  const found = ALTERNATIVES.get(text)
  if (!found) return
  throw new IsothermError('UNSUPPORTED_FEATURE', `GoogleSQL has no ${found[0].replace(/^the /, '')}.`, {
    fix: found[1],
  })
}

interface Encoder {
  mapToDriverValue(value: unknown): unknown
  readonly codec?: ColumnCodec
  readonly form?: ValueForm
}

/**
 * SQL as GoogleSQL's text.
 *
 * Source: https://cloud.google.com/spanner/docs/reference/standard-sql/query-syntax
 */
export function render(sql: SQL, columnName: (column: Column) => string): BuiltQuery {
  return new GoogleSqlRenderer(columnName, true).render(sql)
}

/** An encoder's values as items of an array; undefined for a custom column. */
export function arrayItems(encoder: Encoder): ArrayItems | undefined {
  const { codec, form } = encoder
  if (!codec) return undefined
  const { castForm } = form ?? {}
  return {
    type: codec.type,
    encode: (value) => encoder.mapToDriverValue(value),
    ...(castForm && { castForm: { ...castForm, accept: (value: unknown) => castForm.accept(value, codec) } }),
  }
}

class GoogleSqlRenderer extends Renderer {
  protected override another(): Renderer {
    return new GoogleSqlRenderer(this.columnName, true)
  }

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
      this.text += `${quoteName(this.names.ofField(chunk.subquery, chunk))}.${quoteName(chunk.fieldAlias)}`
      return
    }
    super.other(chunk)
  }

  /** A reference to a column cannot have its table's schema. */
  protected override tableOfColumn(table: Table): string {
    return quoteName(nameOf(table))
  }

  override encodingOf(encoder: unknown): ArrayItems | undefined {
    return arrayItems(encoder as Encoder)
  }

  override takesArrayOf({ kind }: WireType): boolean {
    return kind !== 'array' && kind !== 'json'
  }

  protected override arrayOperator(membership: Membership): string {
    return ` ${membership} unnest(`
  }

  protected override param(param: Param): void {
    const encoder = param.encoder as Encoder
    if (is(param.value, Placeholder)) {
      const { codec, form } = encoder
      if (codec && form?.castForm) return this.write(castPlaceholder(form.castForm, param.value, codec))
      return this.parameter(param, codec?.type)
    }
    const value = param.value === null ? null : encoder.mapToDriverValue(param.value)
    if (is(value, SQL)) return this.write(value)
    const type = encoder.codec?.type
    if (type) this.typedValue(value, type)
    else this.value(value)
  }
}
