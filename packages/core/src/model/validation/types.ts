import {
  describeType,
  innerTypes,
  isComposite,
  isFrozen,
  typesWithin,
  type ColumnType,
} from '../column-type.js'
import type { Report } from './report.js'

/** What is wrong with a column's type, or with that of a user type's field. */
export function checkType(type: ColumnType, report: Report, property: string): void {
  for (const each of typesWithin(type)) {
    checkSize(each, report, property)
    for (const inner of innerTypes(each)) checkInner(each, inner, report, property)
    const key = each.kind === 'set' ? each.of : each.kind === 'map' ? each.key : undefined
    if (key?.kind === 'duration') {
      report(
        `is a ${describeType(each)}, and durations have no order to be found by.`,
        'Put them in an array, or in the values of a map.',
        property,
      )
    }
  }
}

function checkSize(type: ColumnType, report: Report, property: string): void {
  const length = type.kind === 'string' || type.kind === 'bytes' ? type.length : 'max'
  if (length !== 'max' && (!Number.isSafeInteger(length) || length < 1)) {
    report(`has the length ${length}.`, "A length is a whole number from 1, or 'max'.", property)
  }
  if (type.kind === 'tuple' && type.of.length === 0)
    report('is a tuple of nothing.', 'Name the types of its values.', property)
  if (type.kind === 'vector' && (!Number.isSafeInteger(type.dimensions) || type.dimensions < 1)) {
    report(`has ${type.dimensions} dimensions.`, 'A vector has a whole number of them, from 1.', property)
  }
}

function checkInner(outer: ColumnType, inner: ColumnType, report: Report, property: string): void {
  const where = outer.kind === 'array' ? 'an array' : `a ${outer.kind}`
  if (isComposite(inner) && !isFrozen(inner)) {
    report(
      `is ${where} of ${describeType(inner)} that is not frozen, and what lies within a type is one value.`,
      'Say so: frozen: true within its type.',
      property,
    )
  }
  if (inner.kind === 'counter') {
    report(
      `is ${where} of counters, which are columns of their own.`,
      'Make each counter a column, or a row of a table of counters.',
      property,
    )
  }
  if (inner.kind === 'uuid' && (inner.storage === 'int64-pair' || inner.storage === 'bytes')) {
    report(
      `is ${where} of UUIDs stored as '${inner.storage}', which holds one value a column.`,
      `Use storage 'text' or 'native' in ${where}.`,
      property,
    )
  }
}
