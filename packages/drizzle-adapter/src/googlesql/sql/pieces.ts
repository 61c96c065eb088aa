import { is, Name, SQL, StringChunk, Subquery, Table, View, type SQLChunk } from 'drizzle-orm'
import {
  isAlias,
  isSelectionField,
  nameOf,
  originalNameOf,
  schemaOf,
  viewConfigOf,
} from '../../drizzle-internals.js'
import type { SelectedField } from '../../session/rows.js'
import type { Source } from '../../sql/fields.js'
import { SubqueryField } from './subquery-field.js'

/** Text that never changes, made once. */
export const text = (value: string): StringChunk => new StringChunk(value)

const COMMA = text(', ')
const DOT = text('.')
const SPACE = text(' ')
const AS = text(' as ')
const SELECT_ALL = text('(select * from ')
const END_AS = text(') ')

/** Adds chunks with commas between them. */
export function pushList(chunks: SQLChunk[], items: readonly SQLChunk[]): void {
  items.forEach((item, at) => {
    if (at > 0) chunks.push(COMMA)
    chunks.push(item)
  })
}

/** Adds what is selected. Columns have their tables' names before them: a column may be called as its table is. */
export function pushSelection(chunks: SQLChunk[], fields: readonly SelectedField[]): void {
  for (let at = 0; at < fields.length; at++) {
    if (at > 0) chunks.push(COMMA)
    const { field } = fields[at]!
    if (!is(field, SQL.Aliased) || field instanceof SubqueryField) chunks.push(field)
    else if (isSelectionField(field)) chunks.push(new Name(field.fieldAlias))
    else chunks.push(field.sql, AS, new Name(field.fieldAlias))
  }
}

/**
 * Adds a table, or what stands for one, as a FROM clause has it.
 *
 * @param renamed other names for some, by those that they have
 */
export function pushSource(
  chunks: SQLChunk[],
  source: Source,
  hint: string | undefined,
  renamed?: ReadonlyMap<string, string>,
): void {
  if (is(source, Table)) {
    const name = nameOf(source)
    const alias = renamed?.get(name) ?? (isAlias(source) ? name : undefined)
    return pushNamed(chunks, schemaOf(source), originalNameOf(source), alias, hint)
  }
  if (is(source, View)) {
    const { schema, originalName, name } = viewConfigOf(source)
    const alias = renamed?.get(name) ?? (name === originalName ? undefined : name)
    return pushNamed(chunks, schema, originalName, alias, hint)
  }
  const other = is(source, Subquery) ? renamed?.get(source._.alias) : undefined
  if (other === undefined) chunks.push(source)
  // One of `with` may be a name, or stand in its place.
  else chunks.push(SELECT_ALL, source, END_AS, new Name(other))
}

/** Adds the table that a statement writes to. */
export function pushTarget(chunks: SQLChunk[], table: Table): void {
  const schema = schemaOf(table)
  const alias = schema !== undefined || isAlias(table) ? nameOf(table) : undefined
  pushNamed(chunks, schema, originalNameOf(table), alias, undefined)
}

/** Adds a table by its name. */
export function pushNamed(
  chunks: SQLChunk[],
  schema: string | undefined,
  name: string,
  alias: string | undefined,
  hint: string | undefined,
): void {
  if (schema !== undefined) chunks.push(new Name(schema), DOT)
  chunks.push(new Name(name))
  if (hint) chunks.push(text(hint))
  if (alias !== undefined) chunks.push(SPACE, new Name(alias))
}
