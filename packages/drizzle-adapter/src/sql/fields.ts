import { IsothermError } from '@isotherm/core'
import { checkArgument, shown } from '@isotherm/core/adapter'
import { Column, SQL, Subquery, Table, View, is, isSQLWrapper } from 'drizzle-orm'
import { source as sourceKind } from '../arguments.js'
import { columnsOf, nameInResults, viewConfigOf } from '../drizzle-internals.js'
import { type Source, type SourceNames, isFields, sourceName } from './sources.js'
import type { SelectedField } from '../session/rows.js'

/** The fields of a select or of its source: columns, expressions, tables, and objects of these. */
export type Fields = Readonly<Record<string, unknown>>

/** The name of a source in the rows of a join; undefined for plain SQL. */
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
    else
      for (const each of flatten(is(field, Table) ? columnsOf(field) : (field as Fields), at)) flat.push(each)
  }
  return flat
}

const flatColumns = new WeakMap<Fields, readonly SelectedField[]>()

/** The same for the columns of a table, which are the same for each select of it: made once. */
export function flattenTable(columns: Fields): readonly SelectedField[] {
  let flat = flatColumns.get(columns)
  if (!flat) flatColumns.set(columns, (flat = flatten(columns)))
  return flat
}

export function isSelectable(field: unknown): field is SelectedField['field'] {
  return is(field, Column) || is(field, SQL) || is(field, SQL.Aliased) || is(field, Subquery)
}

/**
 * Checks the fields of a select; undefined selects all.
 *
 * @throws {IsothermError} `INVALID_QUERY` for a value that is not a column, expression or table, or an object of these; and
 * for an empty object.
 */
export function checkFields(fields: unknown): void {
  if (fields !== undefined) checkField(fields, [])
}

function checkField(field: unknown, path: readonly string[]): void {
  if (is(field, Table) || is(field, View) || (path.length > 0 && isSelectable(field))) return
  const names = isGroup(field) ? Object.keys(field) : []
  if (isGroup(field) && names.length > 0) {
    for (const name of names) checkField(field[name], [...path, name])
    return
  }
  const what = path.length === 0 ? 'What a select selects' : `The field ${path.join('.')} of a select`
  throw new IsothermError('INVALID_QUERY', `${what} is ${shown(field)}.`, {
    fix: 'Give columns and expressions by name, select({ id: users.id }); or nothing for all columns, select().',
  })
}

/** A query without a name does not have one that the rows could use. */
function isGroup(field: unknown): field is Fields {
  return typeof field === 'object' && field !== null && !Array.isArray(field) && !isSQLWrapper(field)
}

/** @param call as a user writes it: `from` */
export function checkSource(call: string, source: unknown): void {
  checkArgument(call, 'source', sourceKind, source)
}

/**
 * Checks what a query is ordered or grouped by.
 *
 * @throws {IsothermError} `INVALID_QUERY` for a value that is not SQL: Drizzle would send it as a parameter, or leave it
 * out.
 */
export function checkExpressions(
  call: 'orderBy' | 'groupBy',
  expressions: readonly unknown[] | undefined,
): void {
  for (const expression of expressions ?? []) {
    if (isSQLWrapper(expression)) continue
    throw new IsothermError('INVALID_QUERY', `${call} was given ${shown(expression)}.`, {
      fix: `Give columns or SQL: ${call}(users.id); or nothing, ${call}(...[]).`,
    })
  }
}

/**
 * A field of a subquery or of a view that is an expression is written with its own name alone, without a table's.
 *
 * @throws {IsothermError} `INVALID_QUERY` where a table that is nearer has a column of that name.
 */
export function refuseCapturedField(
  names: SourceNames,
  name: string,
  columnName: (column: Column) => string,
): void {
  if (names.depth < 2) return
  for (const sources of names.around()) {
    if (sources.some((source) => hasField(source, name))) return
    const table = sources.find(
      (source) =>
        is(source, Table) && Object.values(columnsOf(source)).some((each) => columnName(each) === name),
    )
    if (!table) continue
    throw new IsothermError(
      'INVALID_QUERY',
      `The field ${name} would be read as the column of ${sourceName(table)}, which the subquery reads.`,
      { fix: `Give the field another name: sql\`…\`.as('${name}2').` },
    )
  }
}

/** Whether a subquery or a view has an expression of that name. */
function hasField(source: Source, name: string): boolean {
  if (is(source, Subquery)) return hasName(source._.selectedFields, name)
  return is(source, View) && hasName(viewConfigOf(source).selectedFields, name)
}

function hasName(fields: object, name: string): boolean {
  return Object.values(fields).some((field: unknown) =>
    is(field, SQL.Aliased) ? field.fieldAlias === name : isFields(field) && hasName(field, name),
  )
}
