import type { Schema, Sequence } from '../../model/schema.js'
import { ddlStatements } from '../ddl/statements.js'
import { ddlSyntax } from '../ddl/syntax.js'
import type { TableLayout } from '../layout.js'
import { createIndex } from './ddl-index.js'
import { googleSqlAlterations } from './ddl-alter.js'
import { createTable } from './ddl-table.js'
import { quote } from './identifier.js'
import { refuseUnsupported } from './limits.js'
import { spelling } from './spelling.js'

/** How GoogleSQL spells each thing that a schema is made of. */
export const googleSqlDdlSyntax = ddlSyntax(
  spelling,
  {
    sequence: createSequence,
    table: createTable,
    index: createIndex,
  },
  googleSqlAlterations,
)

/**
 * Source: https://cloud.google.com/spanner/docs/reference/standard-sql/data-definition-language
 *
 * @param layouts those of `schema.tables`, in their order
 * @throws {IsothermError} `UNSUPPORTED` for what GoogleSQL does not have.
 */
export function googleSqlDdl(schema: Schema, layouts: readonly TableLayout[]): string[] {
  refuseUnsupported(schema, layouts)
  return ddlStatements(schema, layouts, googleSqlDdlSyntax)
}

function createSequence({ name, startCounter, skipRange }: Sequence): string {
  const options = [
    "sequence_kind = 'bit_reversed_positive'",
    ...(startCounter === undefined ? [] : [`start_with_counter = ${startCounter}`]),
    ...(skipRange ? [`skip_range_min = ${skipRange[0]}`, `skip_range_max = ${skipRange[1]}`] : []),
  ]
  return `CREATE SEQUENCE ${quote(name)} OPTIONS (${options.join(', ')})`
}
