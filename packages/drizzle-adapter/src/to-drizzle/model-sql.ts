import { IsothermError, type SqlExpression } from '@isotherm/core'
import { entityKind, is, sql, SQL, type SQLChunk } from 'drizzle-orm'

type Dialect = keyof Exclude<SqlExpression, string>

/** SQL of a model's, which has a text for each dialect: a schema that is made of the table gets all of them back. */
export class ModelSql extends SQL {
  static override readonly [entityKind]: string = 'IsothermModelSql'
  readonly expression: SqlExpression

  /** @param what it is the SQL of, for messages */
  constructor(expression: SqlExpression, dialect: Dialect, what: string) {
    super([chunkOf(expression, dialect, what)])
    this.expression = expression
  }
}

function chunkOf(expression: SqlExpression, dialect: Dialect, what: string): SQLChunk {
  const text = typeof expression === 'string' ? expression : expression[dialect]
  if (text !== undefined) return sql.raw(text)
  // A model need not speak the dialect in which nobody writes its SQL.
  return {
    getSQL() {
      throw new IsothermError('UNSUPPORTED', `${what} has no SQL for ${dialect}.`, {
        fix: `Give one: { '${dialect}': '…' } beside the others.`,
      })
    },
  }
}

/** SQL as a schema has it: a model's own as it was, any other as one dialect says it. */
export function sqlInSchema(value: unknown, dialect: Dialect, write: () => string): SqlExpression {
  return is(value, ModelSql) ? value.expression : { [dialect]: write() }
}
