import type { Schema } from '../model/schema.js'
import type { Table } from '../model/table.js'
import type { TableLayout } from './layout.js'
import type { Statements } from './statement.js'

export type DialectName = 'googlesql'

/** Where NULL stands when ascending. */
export type NullOrder = 'lowest' | 'highest'

/** All that tells one database's language from another's. */
export interface Dialect {
  readonly name: DialectName
  readonly nulls: NullOrder
  readonly statements: Statements
  /** How many parameters one statement may have. */
  readonly maxParameters: number
  /** How many mutations one commit may hold. */
  readonly maxMutations: number
  layout(table: Table): TableLayout
  /** The statements that make the schema, in the order in which they must run. */
  ddl(schema: Schema): string[]
}
