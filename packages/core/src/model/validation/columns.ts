import type { Column } from '../column.js'
import type { Table } from '../table.js'
import { checkIdentifier } from './names.js'
import type { Report } from './report.js'
import { checkType } from './types.js'

/** What `where` uses beside properties. */
const RESERVED = new Set(['AND', 'OR', 'NOT'])

export function checkColumns(table: Table, report: Report): void {
  if (table.columns.length === 0) report('has no columns.', 'Declare at least its key.')
  const names = new Map<string, string>()
  const properties = new Set<string>()
  for (const column of table.columns) {
    const { property, name, type } = column
    checkIdentifier(name, report, property)
    if (RESERVED.has(property)) {
      report(
        'has the name of a filter that joins others.',
        "Give the property another name; `name` can keep the column's.",
        property,
      )
    }
    if (property in Object.prototype) {
      report(
        'has a name that every object has already.',
        "Give the property another name; `name` can keep the column's.",
        property,
      )
    }
    if (properties.has(property)) report('is declared twice.', 'Keep one of the two.', property)
    properties.add(property)
    const other = names.get(name.toLowerCase())
    if (other !== undefined && other !== property) {
      report(`has the same column name as ${other}.`, 'Give one of them another name.', property)
    }
    names.set(name.toLowerCase(), property)
    checkType(type, report, property)
    checkMaking(table, column, report)
  }
}

/** A column's value comes from one place. */
function checkMaking(table: Table, column: Column, report: Report): void {
  const { property, source, generated } = column
  const ways = [
    ...(source && !column.inherited ? ['a key value that is made for it'] : []),
    ...(column.default === undefined ? [] : ['a default']),
    ...(generated ? ['a generated expression'] : []),
  ]
  if (
    column.type.kind === 'uuid' &&
    column.type.storage === 'int64-pair' &&
    (column.default !== undefined || generated)
  ) {
    report(
      'lies in two columns, which no one expression can make.',
      "Take the expression away, or use storage 'text', 'bytes' or 'native'.",
      property,
    )
  }
  if (ways.length > 1) report(`has ${ways.join(' and ')}.`, 'Keep one of them.', property)
  if (generated && !generated.stored && table.primaryKey.some((part) => part.property === property)) {
    report('is a key part that is generated, but not stored.', 'Leave `stored: false` out.', property)
  }
}
