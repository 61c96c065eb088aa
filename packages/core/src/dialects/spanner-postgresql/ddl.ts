import type { Schema, Sequence } from '../../model/schema.js'
import { ddlStatements } from '../ddl/statements.js'
import { ddlSyntax } from '../ddl/syntax.js'
import type { TableLayout } from '../layout.js'
import { createIndex } from './ddl-index.js'
import { spannerPostgreSqlAlterations } from './ddl-alter.js'
import { createTable, sequenceOptions } from './ddl-table.js'
import { quote } from './identifier.js'
import { refuseUnsupported } from './limits.js'
import { spelling } from './spelling.js'

/** How Spanner's PostgreSQL dialect spells each thing that a schema is made of. */
export const spannerPostgreSqlDdlSyntax = ddlSyntax(
  spelling,
  {
    sequence: createSequence,
    table: createTable,
    index: createIndex,
  },
  spannerPostgreSqlAlterations,
)

/**
 * Source: https://cloud.google.com/spanner/docs/reference/postgresql/data-definition-language
 *
 * @param layouts those of `schema.tables`, in their order
 * @throws {IsothermError} `UNSUPPORTED` for what Spanner's PostgreSQL dialect does not have.
 */
export function spannerPostgreSqlDdl(schema: Schema, layouts: readonly TableLayout[]): string[] {
  refuseUnsupported(schema, layouts)
  return ddlStatements(schema, layouts, spannerPostgreSqlDdlSyntax)
}

function createSequence(sequence: Sequence): string {
  return `CREATE SEQUENCE ${quote(sequence.name)} ${sequenceOptions(sequence)}`
}
