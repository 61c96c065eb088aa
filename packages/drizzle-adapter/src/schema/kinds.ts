import type { Table } from 'drizzle-orm'
import { googleSqlKind } from '../googlesql/kind/table-kind.js'
import { postgreSqlKind } from '../postgresql/tables/table-kind.js'
import type { TableKind } from '../table-kind/table-kind.js'

export const kinds: readonly TableKind[] = [googleSqlKind, postgreSqlKind]

/** Undefined for a table of another database than Spanner. */
export function kindOf(table: Table): TableKind | undefined {
  return kinds.find((kind) => kind.isTable(table))
}
