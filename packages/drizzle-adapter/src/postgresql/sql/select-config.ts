import { Column, is, SQL, sql, type SQLChunk } from 'drizzle-orm'
import type { PgSelectConfig, SelectedFieldsOrdered } from 'drizzle-orm/pg-core'
import { decoderOf, isSelectionField } from '../../drizzle-internals.js'
import { flatten } from '../../sql/fields.js'

interface Bounds {
  readonly limit?: PgSelectConfig['limit']
  readonly offset?: PgSelectConfig['offset']
}

// Spanner skips rows only where it stops after some.
const NO_LIMIT = sql.raw('9223372036854775807') as unknown as NonNullable<PgSelectConfig['limit']>

/** A select that Drizzle's dialect writes as Spanner takes it. */
export function spannerSelect(config: PgSelectConfig): PgSelectConfig {
  const fields = config.fieldsFlat ?? (flatten(config.fields) as unknown as SelectedFieldsOrdered)
  return {
    ...bounded(config),
    fieldsFlat: withTableNames(fields),
    setOperators: config.setOperators.map(bounded),
  }
}

function bounded<T extends Bounds>(part: T): T {
  return part.limit === undefined && part.offset ? { ...part, limit: NO_LIMIT } : part
}

/**
 * Where one table is read, Drizzle leaves its name out before the columns of an expression: those of a query within the
 * expression would be another table's.
 */
export function withTableNames(fields: SelectedFieldsOrdered): SelectedFieldsOrdered {
  return fields.map((each) => ({ ...each, field: named(each.field) as typeof each.field }))
}

function named(field: SQLChunk): SQLChunk {
  if (is(field, SQL.Aliased)) {
    return isSelectionField(field) ? field : new SQL.Aliased(within(field.sql), field.fieldAlias)
  }
  return is(field, SQL) ? within(field) : field
}

function within(expression: SQL): SQL {
  return expression.queryChunks.some((chunk) => is(chunk, Column))
    ? new SQL([expression]).mapWith(decoderOf(expression))
    : expression
}
