import type { Schema } from '../model/schema.js'
import type { SqlDialect } from '../model/sql-expression.js'
import type { Table } from '../model/table.js'
import type { DdlSyntax } from './ddl/statements.js'
import type { TableLayout } from './layout.js'
import type { Statements } from './statement.js'
import type { ValueRules } from './values.js'
import type { WireType } from './wire.js'

export type DialectName = SqlDialect

/** Where NULL stands when ascending. */
export type NullOrder = 'lowest' | 'highest'

/** All that tells one database's language from another's. */
export interface Dialect {
  readonly name: DialectName
  readonly nulls: NullOrder
  /** Whether NaN equals itself and is more than any number, rather than nothing to compare with. */
  readonly nanIsValue: boolean
  /** How values are checked and ordered. */
  readonly values: ValueRules
  readonly statements: Statements
  /** How many parameters one statement may have. */
  readonly maxParameters: number
  /** How many mutations one commit may hold. */
  readonly maxMutations: number
  /** Whether a returning statement can be trusted with generated columns, or they have to be read back. */
  readonly returnsGenerated: boolean
  layout(table: Table): TableLayout
  /** The statements that make the schema, in the order in which they must run. */
  ddl(schema: Schema, layouts: readonly TableLayout[]): string[]
  /** @throws {IsothermError} `UNSUPPORTED` for what a schema asks for and the dialect does not have. */
  refuseUnsupported(schema: Schema, layouts: readonly TableLayout[]): void
  /** How the dialect spells what makes a schema, and what changes it. */
  readonly ddlSyntax: DdlSyntax
  /** A type as DDL has it: `STRING(36)`, `varchar(36)`. */
  sqlType(type: WireType): string
}
