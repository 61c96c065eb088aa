import { IsothermError } from '@isotherm/core'
import { nearName, shown } from '@isotherm/core/adapter'
import type { Table } from 'drizzle-orm'
import { columnsOf, nameOf } from '../drizzle-internals.js'

// What calls accept as a row, a key or a change, one rule for all of them. The compiler accepts an object in a variable
// with an unknown property, and Drizzle leaves out unknown properties: a value would be lost.

type Fields = Readonly<Record<string, unknown>>

/**
 * One row or several, as `checkedRow` returns them.
 *
 * @param what `row`, `key`
 */
export function checkedRows(table: Table, input: unknown, what = 'row'): readonly Fields[] {
  return Array.isArray(input)
    ? Array.from(input, (row, at) => checkedRow(table, row, what, at))
    : [checkedRow(table, input, what)]
}

/** The rows of an insert. @throws {IsothermError} `INVALID_QUERY` for no rows at all. */
export function insertedRows(table: Table, input: unknown): readonly Fields[] {
  const rows = checkedRows(table, input)
  if (rows.length > 0) return rows
  throw new IsothermError('INVALID_QUERY', 'There are no rows to insert.', {
    fix: 'Give values() at least one row.',
  })
}

/** The values of an update. @throws {IsothermError} `INVALID_QUERY` if there are none. */
export function checkedSet(table: Table, input: unknown): Fields {
  const set = checkedRow(table, input, 'change')
  if (Object.values(set).some((value) => value !== undefined)) return set
  throw new IsothermError('INVALID_QUERY', 'There are no values to set.', {
    fix: 'Give set() at least one value that is not undefined.',
  })
}

/**
 * A row of the input for a table, checked. A property that is `undefined` is left out; an instance of a class also gives its
 * inherited properties and what its getters compute.
 *
 * @param at its index in a list
 * @throws {IsothermError} `INVALID_VALUE` for a value that is not a row, `INVALID_QUERY` for a property that is not a
 * column.
 */
export function checkedRow(table: Table, input: unknown, what = 'row', at?: number): Fields {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) throw noRow(table, input, what, at)
  const row = input as Fields
  refuseUnknown(table, row)
  if (isInstance(row)) {
    const values = valuesOfInstance(table, row)
    // A Map or a promise would be a row of defaults.
    if (Object.keys(values).length === 0 && Object.keys(row).length === 0) throw noRow(table, row, what, at)
    return values
  }
  return withoutInherited(table, row)
}

/**
 * The same row, in which a column that it leaves out is `undefined`, also one whose name every object inherits: `constructor`,
 * say, would have a value otherwise.
 */
export function withoutInherited(table: Table, row: Fields): Fields {
  let complete: Record<string, unknown> | undefined
  for (const property in columnsOf(table)) {
    if (!(property in Object.prototype) || Object.hasOwn(row, property)) continue
    complete ??= { ...row }
    complete[property] = undefined
  }
  return complete ?? row
}

/** @throws {IsothermError} `INVALID_QUERY` for a property that is not a column, whatever its value. */
export function refuseUnknown(table: Table, row: Fields): void {
  const columns = columnsOf(table)
  for (const property of Object.keys(row)) {
    if (Object.hasOwn(columns, property)) continue
    const names = Object.keys(columns)
    const near = nearName(property, names)
    throw new IsothermError('INVALID_QUERY', `${nameOf(table)} has no column ${property}.`, {
      fix: `${near === undefined ? '' : `Did you mean ${near}? `}It has ${names.join(', ')}.`,
      table: nameOf(table),
    })
  }
}

/** Whether it is an instance of a class, also from another realm: its prototype has a prototype itself. */
function isInstance(row: object): boolean {
  const prototype = Object.getPrototypeOf(row) as object | null
  return prototype !== null && prototype !== Object.prototype && Object.getPrototypeOf(prototype) !== null
}

function valuesOfInstance(table: Table, row: Fields): Fields {
  const values: Record<string, unknown> = {}
  for (const property of Object.keys(columnsOf(table))) {
    const value = row[property]
    // An inherited function is a method.
    if (typeof value === 'function' && !Object.hasOwn(row, property)) continue
    if (value !== undefined) values[property] = value
  }
  return withoutInherited(table, values)
}

function noRow(table: Table, input: unknown, what: string, at: number | undefined): IsothermError {
  const which = at === undefined ? what : `${what} at ${at}`
  return new IsothermError('INVALID_VALUE', `${nameOf(table)}: the ${which} is ${shown(input)}.`, {
    fix: `Give an object with the values of columns: { ${Object.keys(columnsOf(table))[0] ?? 'column'}: value }.`,
    table: nameOf(table),
  })
}
