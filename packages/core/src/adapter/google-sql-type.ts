import { googleSqlTypeOf } from '../dialects/googlesql/introspect-types.js'
import { IsothermError } from '../errors.js'
import type { ColumnType } from '../model/column-type.js'

/**
 * The type that GoogleSQL spells like `ARRAY<STRING(36)>`.
 *
 * @throws {IsothermError} `UNSUPPORTED` for a spelling that Isotherm does not know.
 */
export function googleSqlColumnType(spelling: string): ColumnType {
  const recognised = googleSqlTypeOf(spelling)
  if (recognised) return recognised.type
  throw new IsothermError('UNSUPPORTED', `${JSON.stringify(spelling)} is no type of a GoogleSQL column.`, {
    fix: "Spell it as DDL does: 'INT64', 'STRING(36)', 'BYTES(MAX)', 'ARRAY<FLOAT64>'.",
  })
}
