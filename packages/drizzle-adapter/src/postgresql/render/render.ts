import { IsothermError } from '@isotherm/core'
import { spannerPostgreSqlLiteral } from '@isotherm/spanner/adapter'
import type { Wire, WireType } from '@isotherm/core/adapter'
import { Column, Param, Placeholder, SQL, type Table, is } from 'drizzle-orm'
import { isPgEnum } from 'drizzle-orm/pg-core'
import { type BuiltQuery, isAlias, nameOf, schemaOf } from '../../drizzle-internals.js'
import { type ArrayItems, type Membership, Renderer } from '../../sql/renderer.js'
import { codecOf } from '../columns/codec.js'

// Values as PostgreSQL writes them, for DDL and for `inlineParams()`.

export function quoteName(name: string): string {
  return `"${name.includes('"') ? name.replaceAll('"', '""') : name}"`
}

/** Spanner reads a backslash in a plain string as itself. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/**
 * A value in the form that the driver takes, with the type of its column; without a column, as the user wrote it.
 *
 * @throws {IsothermError} `UNSUPPORTED_QUERY` for a placeholder, and for a value that has no literal without a type.
 */
export function literal(value: unknown, type: WireType | undefined): string {
  if (type) return spannerPostgreSqlLiteral(value as Wire, type)
  return value === null ? 'null' : untyped(value)
}

function untyped(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return quoteText(value)
    case 'boolean':
      return String(value)
    case 'bigint':
      return value < 0n ? `(${value})` : String(value)
    case 'number':
      if (Number.isFinite(value)) return value < 0 ? `(${value})` : String(value)
  }
  if (value instanceof Date) return spannerPostgreSqlLiteral(value.toISOString(), { kind: 'timestamp' })
  throw new IsothermError(
    'UNSUPPORTED_QUERY',
    'A value whose type is not known cannot be written into SQL.',
    {
      fix: 'Give it the type of a column with sql.param(value, column). A placeholder cannot be used here.',
    },
  )
}

// Operators of PostgreSQL's that Drizzle has helpers for and Spanner does not know. A helper's text stands between two
// values, so it is a piece of its own and looking it up costs next to nothing.

const OURS = "from '@isotherm/drizzle-adapter/postgresql'"
const DISTANCES = 'Use spanner.cosine_distance, spanner.euclidean_distance or spanner.dot_product in sql``.'

const ALTERNATIVES: ReadonlyMap<string, readonly [operator: string, fix: string]> = new Map([
  [' ilike ', ['ILIKE', `Import ilike ${OURS}: it compares in lower case.`]],
  [' not ilike ', ['NOT ILIKE', `Import notIlike ${OURS}: it compares in lower case.`]],
  [' <-> ', ['<->', DISTANCES]],
  [' <=> ', ['<=>', DISTANCES]],
  [' <#> ', ['<#>', DISTANCES]],
  [' <+> ', ['<+>', DISTANCES]],
  [' <~> ', ['<~>', DISTANCES]],
  [' <%> ', ['<%>', DISTANCES]],
])

/**
 * Refuses what only PostgreSQL itself knows, before the database does.
 *
 * @throws {IsothermError} `UNSUPPORTED_FEATURE`, naming what there is instead.
 */
function refuseForeignOperator(text: string): void {
  const found = ALTERNATIVES.get(text)
  if (!found) return
  throw new IsothermError('UNSUPPORTED_FEATURE', `Spanner has no operator ${found[0]}.`, { fix: found[1] })
}

/** For a parameter whose value is as it is sent already: `new Param(wire, new WireEncoder(type))`. */
export class WireEncoder {
  readonly type: WireType

  constructor(type: WireType) {
    this.type = type
  }

  encode(value: unknown): unknown {
    return value
  }

  mapToDriverValue(value: unknown): unknown {
    return value
  }
}

/**
 * SQL as the text of Spanner's PostgreSQL.
 *
 * Source: https://cloud.google.com/spanner/docs/reference/postgresql/query-syntax
 */
export function render(sql: SQL, columnName: (column: Column) => string): BuiltQuery {
  return new PostgreSqlRenderer(columnName, false).render(sql)
}

/** Spanner's ANY and ALL do not accept arrays of these types, and an array cannot be an item. */
const NO_ITEMS = new Set<WireType['kind']>(['array', 'float32', 'float64', 'json', 'numeric'])

class PostgreSqlRenderer extends Renderer {
  protected override another(): Renderer {
    return new PostgreSqlRenderer(this.columnName, false)
  }

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
      // The later value is encoded in the same way as a value of the column.
      const encoding = codec && { mapToDriverValue: (value: unknown) => codec.encode(value) }
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
        'UNSUPPORTED_FEATURE',
        `Spanner has no types of your own, such as ${value.enumName}.`,
        {
          fix: 'Leave the cast out: the values are text.',
        },
      )
    }
    super.value(value)
  }
}
