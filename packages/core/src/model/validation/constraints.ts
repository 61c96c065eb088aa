import { describeType, type ColumnType } from '../column-type.js'
import { columnOf, type ForeignKey, type Table } from '../table.js'
import { propertiesOf, type Report } from './report.js'

/** Checks, foreign keys, row deletion, the expected load and lint exceptions. */
export function checkConstraints(table: Table, tables: readonly Table[], report: Report): void {
  for (const key of table.foreignKeys) checkForeignKey(table, key, tables, report)
  checkRowDeletion(table, report)
  checkExpect(table, report)
  checkExceptions(table, report)
}

function checkForeignKey(table: Table, key: ForeignKey, tables: readonly Table[], report: Report): void {
  const { name, columns, references } = key
  const other = tables.find((each) => each.name === key.table)
  if (columns.length === 0) report(`has the foreign key ${name} of no columns.`, 'Name them: columns: [...].')
  if (columns.length !== references.length) {
    report(
      `has the foreign key ${name} of ${columns.length} columns to ${references.length} of ${key.table}.`,
      'Name as many on either side: columns and on.',
    )
    return
  }
  columns.forEach((property, place) => {
    const column = columnOf(table, property)
    const referred = other && columnOf(other, references[place]!)
    if (!column) {
      report(
        `is in the foreign key ${name}, but is not a column.`,
        `Choose from ${propertiesOf(table)}.`,
        property,
      )
    } else if (other && !referred) {
      report(
        `refers to ${key.table}.${references[place]}, which is not a column.`,
        `Choose from ${propertiesOf(other)}.`,
        property,
      )
    } else if (referred && !isAlike(referred.type, column.type)) {
      report(
        `of type ${describeType(column.type)} refers to ${key.table}.${referred.property} of type ${describeType(referred.type)}.`,
        'Both sides have the same type.',
        property,
      )
    }
  })
}

function isAlike(a: ColumnType, b: ColumnType): boolean {
  return describeType(a) === describeType(b) || (isText(a) && isText(b))
}

/** A UUID that is stored as text is text to the database. */
function isText(type: ColumnType): boolean {
  return type.kind === 'string' || (type.kind === 'uuid' && (type.storage ?? 'text') === 'text')
}

function checkRowDeletion(table: Table, report: Report): void {
  if (!table.rowDeletion) return
  const { property, days } = table.rowDeletion
  const column = columnOf(table, property)
  if (column?.type.kind !== 'timestamp') {
    report(
      'is what rowDeletion goes by, but is no timestamp column.',
      `Choose a timestamp from ${propertiesOf(table)}.`,
      property,
    )
  }
  if (!Number.isSafeInteger(days) || days < 0)
    report(`is to be deleted after ${days} days.`, 'Days are a whole number from 0.', property)
}

function checkExpect(table: Table, report: Report): void {
  const { distinct, ...numbers } = table.expect ?? {}
  checkNumbers(numbers, report)
  checkNumbers(distinct ?? {}, report, 'distinct.')
  for (const property of Object.keys(distinct ?? {})) {
    if (columnOf(table, property)) continue
    report(
      `expects distinct values of ${property}, which is not a column.`,
      `Choose from ${propertiesOf(table)}.`,
      property,
    )
  }
}

function checkNumbers(numbers: object, report: Report, of = ''): void {
  for (const [name, value] of Object.entries(numbers) as [string, unknown][]) {
    if (typeof value === 'number' && Number.isFinite(value) && value >= 0) continue
    report(`expects ${of}${name}: ${String(value)}.`, 'An expected load is a number from 0.')
  }
}

function checkExceptions(table: Table, report: Report): void {
  for (const { rule, reason } of table.exceptions) {
    if (rule.trim() !== '' && reason.trim() !== '') continue
    report(
      `has an exception from ${rule || 'no rule'} without a reason.`,
      'Say why, for whoever reads it next.',
    )
  }
}
