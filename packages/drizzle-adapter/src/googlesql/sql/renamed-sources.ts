import { Column, is, SQL, Subquery, type SQLChunk } from 'drizzle-orm'
import type { SelectedField } from '../../session/rows.js'
import { sourceName, type Source } from '../../sql/fields.js'

const NONE: ReadonlyMap<string, string> = new Map()

/**
 * New names for tables that are called as something is that the query selects: after the select list, in GROUP BY, HAVING
 * and ORDER BY, `` `Tag`.`id` `` would be the field `id` of the selected column `Tag`. For a JSON column that is no error, but
 * another value.
 *
 * Source: https://cloud.google.com/spanner/docs/reference/standard-sql/query-syntax#ambiguous_aliases
 */
export function renamedSources(
  sources: readonly Source[],
  fields: readonly SelectedField[],
  columnName: (column: Column) => string,
): ReadonlyMap<string, string> {
  const selected = new Set<string>()
  for (const { field } of fields) addNames(selected, field, columnName)
  const names = sources.flatMap((source) => sourceName(source) ?? [])
  const hidden = names.filter((name) => selected.has(name.toLowerCase()))
  if (hidden.length === 0) return NONE
  const taken = new Set([...selected, ...names.map((name) => name.toLowerCase())])
  return new Map(hidden.map((name) => [name, freeName(name, taken)]))
}

/** What a field may be called in the result: that of an expression without a name is what it refers to. */
function addNames(names: Set<string>, field: SQLChunk, columnName: (column: Column) => string): void {
  if (is(field, Column)) names.add(columnName(field).toLowerCase())
  else if (is(field, SQL.Aliased)) names.add(field.fieldAlias.toLowerCase())
  else if (is(field, Subquery)) names.add(field._.alias.toLowerCase())
  else if (is(field, SQL)) for (const chunk of field.queryChunks) addNames(names, chunk, columnName)
}

function freeName(name: string, taken: Set<string>): string {
  let free = name
  do free += '_'
  while (taken.has(free.toLowerCase()))
  taken.add(free.toLowerCase())
  return free
}
