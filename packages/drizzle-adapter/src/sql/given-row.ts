import type { Table } from 'drizzle-orm'
import { columnsOf } from '../drizzle-internals.js'

type Fields = Readonly<Record<string, unknown>>

/**
 * A row that was given for a table, in which a column that it leaves out is `undefined`, also one whose name every object
 * inherits: `constructor`, say, would have a value otherwise.
 */
export function givenRow(table: Table, row: Fields): Fields {
  let complete: Record<string, unknown> | undefined
  for (const property in columnsOf(table)) {
    if (!(property in Object.prototype) || Object.hasOwn(row, property)) continue
    complete ??= { ...row }
    complete[property] = undefined
  }
  return complete ?? row
}
