import { IsothermError } from '../errors.js'
import { nearName } from '../options.js'
import type { SqlDialects } from './sql-dialects.js'

/**
 * SQL that goes into DDL as it is: one text for every dialect, or one for each. It is code, not data: never build it from
 * what a user typed.
 *
 * @example
 * { googlesql: "CURRENT_DATE('UTC')", 'spanner-postgresql': 'current_date' }
 */
export type SqlExpression = string | { readonly [Name in keyof SqlDialects]?: SqlDialects[Name] }

/** The text for the dialect of this name; undefined where none is given. */
export function sqlFor(expression: SqlExpression, dialect: string): string | undefined {
  return typeof expression === 'string'
    ? expression
    : (expression as Readonly<Record<string, string | undefined>>)[dialect]
}

/**
 * The fix for an expression that has no text for a dialect. Core does not know the names of dialects, so a misspelled one
 * is only found when the text is looked up.
 */
export function missingTextFix(expression: SqlExpression, dialect: string): string {
  const meant = nearName(dialect, Object.keys(expression))
  return meant === undefined
    ? `Give one: { '${dialect}': '…' } beside the others.`
    : `Write { '${dialect}': '…' }, not { '${meant}': '…' }.`
}

const MARK = Symbol.for('isotherm.sql')

/** SQL that is marked as such, where a value may stand as well. */
export interface Sql {
  readonly sql: SqlExpression
}

/**
 * Marks SQL, where a text would be a value: as a tag, or as a function of one text for each dialect. It is code, not data: a tag
 * takes no `${…}`.
 *
 * @throws {IsothermError} `SCHEMA_INVALID` for an empty text and for an interpolation.
 * @example
 * t.date({ default: sql`CURRENT_DATE()` })
 * t.date({ default: sql({ googlesql: "CURRENT_DATE('UTC')", 'spanner-postgresql': 'current_date' }) })
 */
export function sql(
  expression: TemplateStringsArray | SqlExpression,
  ...interpolated: readonly never[]
): Sql {
  if (interpolated.length > 0) {
    throw invalidSql(
      'sql`…` takes no ${…}: SQL of a schema is code, and a value in it would not be quoted.',
      'Write the SQL out, or give the value itself as the default.',
    )
  }
  const text: unknown = Array.isArray(expression) ? (expression as readonly string[])[0] : expression
  const marked = { sql: checkedSql(text) }
  // Not enumerable: what a schema holds is plain data.
  Object.defineProperty(marked, MARK, { value: true })
  return Object.freeze(marked)
}

/** Whether a value came from `sql`. */
export function isSql(value: unknown): value is Sql {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, MARK)
}

function checkedSql(value: unknown): SqlExpression {
  if (typeof value === 'string' && value.trim() !== '') return value
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const entries = entriesOf(value)
    if (entries.length > 0 && entries.every(([, text]) => typeof text === 'string' && text.trim() !== ''))
      return Object.freeze(Object.fromEntries(entries))
  }
  throw invalidSql(
    'sql has no text.',
    "Write sql`CURRENT_DATE()`, or sql({ [dialect.name]: 'CURRENT_DATE()' }).",
  )
}

function entriesOf(value: object): [name: string, text: unknown][] {
  try {
    return Object.entries(value)
  } catch {
    throw invalidSql(
      'sql was given an object that cannot be read.',
      'Write one text for each dialect, by its name: sql({ [dialect.name]: "CURRENT_DATE()" }).',
    )
  }
}

function invalidSql(message: string, fix: string): IsothermError {
  return new IsothermError('SCHEMA_INVALID', message, { fix })
}
