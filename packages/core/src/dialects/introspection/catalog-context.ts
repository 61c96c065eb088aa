import type { SqlDialect } from '../../model/sql-expression.js'
import type { ReadView } from './catalog-query.js'
import type { DdlFacts, NameOf } from './ddl-clauses.js'

/** What the readers of the single views share. */
export interface CatalogContext {
  readonly read: ReadView
  readonly facts: DdlFacts
  readonly nameOf: NameOf
  readonly dialect: SqlDialect
}

interface TableRow {
  readonly table_schema: string | null
  readonly table_name: string | null
}

export function tableOf({ nameOf }: CatalogContext, row: TableRow): string {
  return nameOf([row.table_schema ?? '', row.table_name ?? ''])
}

interface ConstraintRow {
  readonly constraint_schema: string | null
  readonly constraint_name: string | null
}

/** A constraint's name is unique in its named schema. */
export function constraintKey(row: ConstraintRow): string {
  return `${row.constraint_schema} ${row.constraint_name}`
}

/** The catalogue leaves the named schema of a parent out: it is mostly its child's. */
export function parentName(
  { nameOf }: CatalogContext,
  bare: string,
  schema: string | null,
  tables: ReadonlySet<string>,
): string {
  const own = nameOf([schema ?? '', bare])
  return tables.has(own) ? own : bare
}

export function byName<T extends { readonly name: string }>(list: readonly T[]): T[] {
  return list.toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

export function byPosition<T extends { readonly ordinal_position: bigint | null }>(list: readonly T[]): T[] {
  return list.toSorted((a, b) => Number((a.ordinal_position ?? 0n) - (b.ordinal_position ?? 0n)))
}

export function groupedBy<T>(list: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of list) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group) group.push(item)
    else groups.set(key, [item])
  }
  return groups
}
