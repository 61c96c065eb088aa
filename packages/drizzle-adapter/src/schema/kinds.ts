import type { Table } from 'drizzle-orm'
import { googleSqlKind } from '../googlesql/table-kind.js'
import { postgreSqlKind } from '../postgresql/table-kind.js'
import type { TableKind } from './table-kind.js'

export const kinds: readonly TableKind[] = [googleSqlKind, postgreSqlKind]

/** Undefined for a table of a database that is no Spanner. */
export function kindOf(table: Table): TableKind | undefined {
  return kinds.find((kind) => kind.isTable(table))
}
