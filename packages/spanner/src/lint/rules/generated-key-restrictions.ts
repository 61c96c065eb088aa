import type { Report, Rule } from '@isotherm/core/tools'
import type { Column } from '@isotherm/core/engine'
import { columnOf, type Table } from '@isotherm/core/engine'
import { computedFrom, isComputed } from '@isotherm/core/tools'

/**
 * The restrictions of the database on a generated column in a key. The emulator accepts all of them, so a schema may pass
 * every test and fail in production. Commit timestamps, which the emulator refuses too, have a rule of their own.
 *
 * Source: https://cloud.google.com/spanner/docs/generated-column/how-to
 */
export const generatedKeyRestrictions: Rule = {
  name: 'spanner/generated-key-restrictions',
  severity: 'error',
  check(table, report, { dialect }) {
    for (const { property } of table.primaryKey) {
      const column = columnOf(table, property)
      const read = column && !column.inherited && computedFrom(table, column, dialect)
      if (column && read) checkKeyColumn(table, column, read, report)
    }
  },
}

function checkKeyColumn(table: Table, column: Column, read: readonly Column[], report: Report): void {
  const at = { column: column.property }
  const generated = read.filter((each) => each.property !== column.property && isComputed(each))
  const outside = read.filter(
    (each) => !generated.includes(each) && !table.primaryKey.some((part) => part.property === each.property),
  )
  if (column.generated?.stored === false) {
    report({
      ...at,
      message: `${column.property} is a generated part of the key, but not stored: a key is made of stored values.`,
      fix: 'Make it STORED.',
    })
  }
  if (generated.length > 0) {
    report({
      ...at,
      message: `${column.property} is a generated part of the key and reads ${list(generated)}, generated as well.`,
      fix: 'Repeat the other expression inside this one.',
    })
  }
  if (outside.length > 1) {
    report({
      ...at,
      message: `${column.property} is a generated part of the key and reads ${list(outside)}: only one of them may be outside the key.`,
      fix: 'Add all but one to the key, after it; or let the client compute it.',
    })
  }
  const withDefault = outside.filter(hasDefault)
  if (withDefault.length > 0) {
    report({
      ...at,
      message: `${column.property} is a generated part of the key and reads ${list(withDefault)}, outside the key and with a default.`,
      fix: 'Add it to the key, drop the default, or let the client compute the key part.',
    })
  }
  const mutable = outside.filter((each) => !each.immutable)
  if (mutable.length > 0) {
    report({
      ...at,
      severity: 'warning',
      message:
        `${column.property} is a generated part of the key and reads ${list(mutable)}, which can change: after a change ` +
        'the row is not found under its new key, and an upsert writes it a second time.',
      fix: 'Read parts of the key only, or declare it immutable: true.',
    })
  }
}

/** Whether a column has a DEFAULT clause, written by the author or by a source. An identity does not count. */
function hasDefault({ default: made, source }: Column): boolean {
  if (made !== undefined) return true
  switch (source?.kind) {
    case 'uuid-v4':
      return true
    case 'timestamp':
      return source.from === 'now'
    case 'bit-reversed':
      return source.from === 'sequence'
    default:
      return false
  }
}

function list(columns: readonly Column[]): string {
  return columns.map((column) => column.property).join(' and ')
}
