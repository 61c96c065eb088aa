import { IsothermError } from '@isotherm/core'
import { aliasedTableColumn, Column, is, SQL, Subquery, Table, View, WithSubquery } from 'drizzle-orm'
import { columnsOf, decoderOf, usedTables, viewConfigOf } from '../../drizzle-internals.js'
import { put } from '../../session/put.js'
import { nameInCache } from '../../session/name-in-cache.js'
import { isSelectable, type Fields, type Source } from '../../sql/fields.js'
import { SubqueryField } from './subquery-field.js'

export function fieldsOf(source: Source): Fields {
  if (is(source, Subquery)) return namedIn(source._.selectedFields)
  if (is(source, View)) return viewConfigOf(source).selectedFields
  return is(source, SQL) ? {} : columnsOf(source)
}

/** Tables that a source reads, by name. */
export function tablesIn(source: Source): readonly string[] {
  if (is(source, Subquery)) return source._.usedTables ?? []
  if (is(source, Table)) return [nameInCache(source)]
  return is(source, SQL) ? usedTables(source) : []
}

/**
 * The fields of a subquery, as the query around it names them. An expression without a name stays as it is: a subquery that
 * is a value needs no names.
 */
function fieldsAround(fields: Fields, alias: string): Fields {
  const around: Record<string, unknown> = {}
  for (const name of Object.keys(fields)) {
    const field = fields[name]
    if (is(field, Column)) put(around, name, aliasedTableColumn(field, alias))
    else if (is(field, SQL.Aliased))
      put(around, name, new SubqueryField(alias, field.fieldAlias, decoderOf(field.sql)))
    else if (is(field, Subquery))
      put(around, name, new SubqueryField(alias, field._.alias, decoderOfOnly(field)))
    else if (is(field, SQL)) put(around, name, field)
    else put(around, name, fieldsAround(is(field, Table) ? columnsOf(field) : (field as Fields), alias))
  }
  return around
}

/** A subquery whose fields are its properties too. */
export function subqueryOf(query: SQL, fields: Fields, alias: string, tables: readonly string[]): Subquery {
  const around = fieldsAround(fields, alias)
  return Object.defineProperties(new Subquery(query, around, alias, false, [...tables]), asProperties(around))
}

/** A subquery that stands before the statement. */
export function withSubqueryOf(
  query: SQL,
  fields: Fields,
  alias: string,
  tables: readonly string[],
): WithSubquery {
  const around = fieldsAround(fields, alias)
  return Object.defineProperties(
    new WithSubquery(query, around, alias, true, [...tables]),
    asProperties(around),
  )
}

function asProperties(fields: Fields): PropertyDescriptorMap {
  return Object.fromEntries(
    Object.keys(fields).map((name) => [name, { enumerable: true, get: () => named(fields, name) }]),
  )
}

/** @throws {IsothermError} `INVALID_QUERY` for an expression that the query around has no name for. */
function named(fields: Fields, name: string): unknown {
  const field = fields[name]
  if (isSelectable(field)) {
    if (!is(field, SQL)) return field
    throw new IsothermError(
      'INVALID_QUERY',
      `The field ${name} of a subquery is an expression without a name.`,
      {
        fix: `Name it where it is selected: sql\`…\`.as('${name}').`,
      },
    )
  }
  return namedIn(field as Fields)
}

function namedIn(fields: Fields): Fields {
  return Object.fromEntries(Object.keys(fields).map((name) => [name, named(fields, name)]))
}

/** How the value of a subquery with one field is read. */
function decoderOfOnly(subquery: Subquery): { mapFromDriverValue(value: never): unknown } {
  const [only] = Object.values(subquery._.selectedFields)
  if (is(only, Column)) return only
  if (is(only, SQL.Aliased)) return decoderOf(only.sql)
  return decoderOf(is(only, SQL) ? only : new SQL([]))
}

/** Fields as a condition sees them: a named expression is the expression, since WHERE and HAVING know no names. */
export function asExpressions(fields: Fields): Fields {
  return mapFields(fields, (field) =>
    // That of a subquery is a name already, and says whose it is.
    is(field, SQL.Aliased) && !(field instanceof SubqueryField) ? field.sql : field,
  )
}

function mapFields(fields: Fields, change: (field: unknown) => unknown): Fields {
  const mapped: Record<string, unknown> = {}
  for (const name of Object.keys(fields)) {
    const field = fields[name]
    const isField = isSelectable(field) || is(field, Table) || typeof field !== 'object' || field === null
    put(mapped, name, isField ? change(field) : mapFields(field as Fields, change))
  }
  return mapped
}

/** Whether two selections have the same fields in the same order, as those of a set operation must. */
export function haveSameFields(left: Fields, right: Fields): boolean {
  const [names, others] = [Object.keys(left), Object.keys(right)]
  return names.length === others.length && names.every((name, at) => name === others[at])
}
