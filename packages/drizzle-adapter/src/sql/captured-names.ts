import { IsothermError } from '@isotherm/core'
import { is, SQL, Subquery, Table, View, type Column } from 'drizzle-orm'
import { columnsOf, isAlias, nameOf, originalNameOf, schemaOf, viewConfigOf } from '../drizzle-internals.js'
import { sourceName, type Source } from './fields.js'
import type { SelectStatement } from './select-statement.js'

// In a subquery, a name means what the subquery itself reads, where that has such a name: another table's column would be
// read in place of the one that is meant, and nothing would say so.

/** @throws {IsothermError} `INVALID_QUERY` for a column whose table's name means another table here. */
export function refuseCaptured(selects: readonly SelectStatement[], { name, table }: Column): void {
  if (selects.length < 2) return
  const called = nameOf(table)
  for (let at = selects.length - 1; at >= 0; at--) {
    const source = selects[at]!.sources.find((each) => sourceName(each) === called)
    if (!source) continue
    if (isSame(source, table)) return
    throw new IsothermError(
      'INVALID_QUERY',
      `The column ${name} of ${called} would be read of another ${called}, which the subquery reads.`,
      { fix: `Give one of them another name: alias(table, '${called}2').` },
    )
  }
}

function isSame(source: Source, table: Table): boolean {
  // The columns of a subquery or a view say of which table they are, and its name.
  if (!is(source, Table)) return isAlias(table) || is(source, View)
  return (
    isAlias(source) === isAlias(table) &&
    originalNameOf(source) === originalNameOf(table) &&
    schemaOf(source) === schemaOf(table)
  )
}

/**
 * A field of a subquery or of a view that is an expression stands by its own name alone.
 *
 * @throws {IsothermError} `INVALID_QUERY` where a table that is nearer has a column of that name.
 */
export function refuseCapturedField(
  selects: readonly SelectStatement[],
  name: string,
  columnName: (column: Column) => string,
): void {
  if (selects.length < 2) return
  for (let at = selects.length - 1; at >= 0; at--) {
    const { sources } = selects[at]!
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

function isFields(field: unknown): field is object {
  return typeof field === 'object' && field !== null && Object.getPrototypeOf(field) === Object.prototype
}
