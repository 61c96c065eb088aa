import { IsothermError } from '@isotherm/core'
import { checkArgument, kind, quoted, shown } from '@isotherm/core/adapter'
import {
  type AnyColumn,
  Column,
  type DrizzleTypeError,
  Name,
  Placeholder,
  SQL,
  type SQLChunk,
  type SQLWrapper,
  StringChunk,
  type Subquery,
  is,
  isSQLWrapper,
  sql,
} from 'drizzle-orm'

/**
 * Checks a condition. Drizzle's dialects leave out a falsy condition, and the statement would then affect every
 * row.
 *
 * @returns undefined for no condition, as `and()` and `or()` give it
 * @throws {IsothermError} `INVALID_QUERY` for a value that is not SQL.
 */
export function checkedCondition(
  what: 'where' | 'having' | 'on',
  condition: SQL | undefined,
): SQL | undefined {
  if (condition === undefined || isSQLWrapper(condition)) return condition
  throw new IsothermError('INVALID_QUERY', `The condition of ${what} is ${shown(condition)}.`, {
    fix: 'Give a condition, such as eq(users.id, 1n); undefined for no condition.',
  })
}

export type Operand = AnyColumn | SQLWrapper

const SIDE = kind('a column or SQL, such as users.name', isSQLWrapper)

/** The operand of a SQL function. @param call the function that writes it */
export function side(call: string, column: Operand): Operand {
  checkArgument(call, 'the first argument', SIDE, column)
  return column
}

/** A value as its column sends it. */
export function operand(value: unknown, beside: Operand): unknown {
  return is(beside, Column) && !isSQLWrapper(value) ? sql.param(value, beside) : value
}

/**
 * Whether a text is like a pattern, upper case or lower.
 *
 * @example
 * db.select().from(users).where(ilike(users.name, 'ada%'))
 */
export function ilike(column: Operand, value: string | SQLWrapper): SQL {
  return sql`lower(${side('ilike', column)}) like lower(${operand(value, column)})`
}

/** Whether a text is unlike a pattern, upper case or lower. */
export function notIlike(column: Operand, value: string | SQLWrapper): SQL {
  return sql`lower(${side('notIlike', column)}) not like lower(${operand(value, column)})`
}

/**
 * What `selectDistinctOn` is, wherever Drizzle has it.
 *
 * @throws {IsothermError} `UNSUPPORTED_FEATURE` always.
 */
export function refuseDistinctOn(
  _on: DrizzleTypeError<'Spanner has no DISTINCT ON: group by the columns, and take any_value(…) of the others'>,
  ..._fields: unknown[]
): never {
  throw new IsothermError('UNSUPPORTED_FEATURE', 'Spanner has no DISTINCT ON.', {
    fix: 'Group by the columns, and select sql`any_value(…)` of the others.',
  })
}

/** @throws {IsothermError} `UNSUPPORTED_FEATURE` always. */
export function refuseSetTransaction(): never {
  throw new IsothermError('UNSUPPORTED_FEATURE', 'Spanner has no SET TRANSACTION.', {
    fix: 'Give the options to db.transaction(work, options).',
  })
}

/** A number of rows. */
export type RowBound = number | bigint | Placeholder

/**
 * A LIMIT or an OFFSET, checked. Drizzle's dialects leave out an invalid number of rows, and would then read every
 * row.
 *
 * @throws {IsothermError} `INVALID_VALUE` for an invalid number of rows.
 */
export function rowBound<Bound>(what: 'limit' | 'offset', bound: Bound): Bound {
  const isCount = typeof bound === 'bigint' || Number.isSafeInteger(bound)
  if (isCount && Number(bound) >= 0) return bound
  if (bound === undefined || is(bound, Placeholder) || is(bound, SQL)) return bound
  throw new IsothermError(
    'INVALID_VALUE',
    `The ${what} of a query is a number of rows, not ${quoted(bound)}.`,
    {
      fix: 'Give it a whole number from 0, or leave it out to read all rows.',
    },
  )
}

const WITH = new StringChunk('with ')
const COMMA = new StringChunk(', ')
const AS = new StringChunk(' as ')
const SPACE = new StringChunk(' ')

/** A query with the subqueries that stand before it by name. */
export class WithSubqueries extends SQL {
  constructor(
    readonly subqueries: readonly Subquery[],
    readonly body: SQL,
    /** Whether the statement takes no `with` clause: DML does not. */
    readonly isDml = false,
  ) {
    super(isDml ? [body] : [...subqueries.flatMap(named), SPACE, body])
  }
}

/** As Drizzle itself would have it in the text, which is what DDL is made with. */
function named({ _: { sql, alias } }: Subquery, at: number): SQLChunk[] {
  return [at === 0 ? WITH : COMMA, new Name(alias), AS, [sql]]
}
