import {
  type ColumnDefault,
  type ColumnSchema,
  IsothermError,
  type SqlExpression,
  sql as markSql,
} from '@isotherm/core'
import { type WireType, defaultValueOf } from '@isotherm/core/adapter'
import { googleSqlLiteral, spannerPostgreSqlLiteral } from '@isotherm/spanner/adapter'
import { SQL, type SQLChunk, entityKind, is, sql } from 'drizzle-orm'

type Dialect = keyof Exclude<SqlExpression, string>

/** SQL of a model's, which has a text for each dialect: a schema that is made of the table gets all of them back. */
export class ModelSql extends SQL {
  static override readonly [entityKind]: string = 'IsothermModelSql'
  readonly expression: SqlExpression

  /** @param what the object whose SQL it is, for messages */
  constructor(expression: SqlExpression, dialect: Dialect, what: string) {
    super([chunkOf(expression, dialect, what)])
    this.expression = expression
  }
}

function chunkOf(expression: SqlExpression, dialect: Dialect, what: string): SQLChunk {
  const text = typeof expression === 'string' ? expression : expression[dialect]
  if (text !== undefined) return sql.raw(text)
  // A model need not support a dialect for which its SQL was not written.
  return {
    getSQL() {
      throw new IsothermError('UNSUPPORTED_MODEL', `${what} has no SQL for ${dialect}.`, {
        fix: `Give one: { '${dialect}': '…' } beside the others.`,
      })
    },
  }
}

/** A model's default, which a schema that is made of the table gets back: a value, or its SQL for each dialect. */
export class ModelDefault extends ModelSql {
  static override readonly [entityKind]: string = 'IsothermModelDefault'
  /** As a model's builder takes it. */
  readonly declaredValue: unknown

  constructor(kept: ColumnDefault, type: ColumnSchema['type'], dialect: Dialect, what: string) {
    super('sql' in kept ? kept.sql : { [dialect]: literal(kept.value, type, dialect) }, dialect, what)
    this.declaredValue = 'sql' in kept ? markSql(kept.sql) : defaultValueOf(type, kept.value)
  }
}

function literal(
  wire: Extract<ColumnDefault, { readonly value: unknown }>['value'],
  type: WireType,
  dialect: Dialect,
): string {
  return dialect === 'googlesql' ? googleSqlLiteral(wire, type) : spannerPostgreSqlLiteral(wire, type)
}

/** SQL as a schema has it: a model's own as it was, any other as the dialects of a kind of tables say it. */
export function sqlInSchema(value: unknown, dialects: readonly string[], write: () => string): SqlExpression {
  return is(value, ModelSql) ? value.expression : sqlOf(dialects, write())
}

/** One text for several dialects. */
export function sqlOf(dialects: readonly string[], text: string): Exclude<SqlExpression, string> {
  return Object.fromEntries(dialects.map((dialect) => [dialect, text]))
}
