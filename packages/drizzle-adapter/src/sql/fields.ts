import { Column, is, SQL, Subquery, Table, View } from 'drizzle-orm'
import { columnsOf, nameInResults, nameOf, viewConfigOf } from '../drizzle-internals.js'
import type { SelectedField } from '../session/rows.js'

/** What a select, or what it reads from, has to offer: columns, expressions, tables, and objects of these. */
export type Fields = Readonly<Record<string, unknown>>

/** What a query can read from. */
export type Source = Table | Subquery | View | SQL

/** What a source is called in the query; undefined for plain SQL. */
export function sourceName(source: Source): string | undefined {
  if (is(source, Subquery)) return source._.alias
  if (is(source, View)) return viewConfigOf(source).name
  return is(source, SQL) ? undefined : nameOf(source)
}

/** What the rows of a join call a source; undefined for plain SQL. */
export function resultName(source: Source): string | undefined {
  return is(source, Table) ? nameInResults(source) : sourceName(source)
}

/** Fields in the order in which they are selected. */
export function flatten(fields: Fields, path: readonly string[] = []): SelectedField[] {
  const flat: SelectedField[] = []
  for (const name of Object.keys(fields)) {
    const field = fields[name]
    const at = [...path, name]
    if (isSelectable(field)) flat.push({ path: at, field })
    else flat.push(...flatten(is(field, Table) ? columnsOf(field) : (field as Fields), at))
  }
  return flat
}

export function isSelectable(field: unknown): field is SelectedField['field'] {
  return is(field, Column) || is(field, SQL) || is(field, SQL.Aliased) || is(field, Subquery)
}
