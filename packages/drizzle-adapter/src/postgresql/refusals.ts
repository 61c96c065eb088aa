import { IsothermError } from '@isotherm/core'
import { is, type Column, type Table } from 'drizzle-orm'
import { PgArray } from 'drizzle-orm/pg-core'
import { qualifiedName } from '../schema/names.js'
import type { IdentityConfig } from './columns/declaration.js'
import { refuseSequenceOptions } from './sequences.js'

/** @throws {IsothermError} `UNSUPPORTED` for a column that Spanner cannot have as Drizzle declares it. */
export function refuseColumn(table: Table, column: Column): void {
  const called = `${qualifiedName(table)}.${column.name}`
  const refused = (what: string, fix: string): IsothermError =>
    new IsothermError('UNSUPPORTED', `${called} ${what}`, {
      fix,
      table: qualifiedName(table),
      column: column.name,
    })
  const item = is(column, PgArray) ? (column.baseColumn as Column) : column
  if (/Serial/.test(item.columnType)) {
    throw refused(
      `is ${item.getSQLType()}, which Spanner has not: values in sequence would be written in one place.`,
      "Declare it as bitReversedId(), or bigint({ mode: 'bigint' }).generatedByDefaultAsIdentity().",
    )
  }
  const { precision, scale } = item as { readonly precision?: number; readonly scale?: number }
  if (precision !== undefined || scale !== undefined) {
    throw refused(
      `is ${item.getSQLType()}: Spanner keeps all digits, and rounds nothing.`,
      'Leave precision and scale out, and round values before they are written.',
    )
  }
  if (item !== column && isEnum(item)) {
    throw refused(
      "is an array of an enum, and Spanner has no types of one's own.",
      'Declare it as text().array().',
    )
  }
  refuseIdentity(column, called, refused)
}

function refuseIdentity(
  { generatedIdentity, dataType }: Column,
  called: string,
  refused: (what: string, fix: string) => IsothermError,
): void {
  if (!generatedIdentity) return
  const { type, sequenceName, sequenceOptions = {} } = generatedIdentity as IdentityConfig
  if (type === 'always') {
    throw refused(
      'is generated always as identity, which Spanner has not.',
      'Use generatedByDefaultAsIdentity(): a row may then be given a value.',
    )
  }
  if (sequenceName !== undefined) {
    throw refused(
      `has an identity with the name ${sequenceName}, and Spanner's have none.`,
      "Leave the name out; or use bitReversedId({ from: 'sequence', sequence: … }).",
    )
  }
  if (dataType === 'number') {
    throw refused(
      'shows numbers, which cannot hold the 64-bit values of an identity.',
      "Declare it as bigint({ mode: 'bigint' }).",
    )
  }
  refuseSequenceOptions(`The identity of ${called}`, sequenceOptions)
}

/** Whether a column is of a `pgEnum`: in Spanner it is text, and a check says which. */
export function isEnum({ columnType }: Column): boolean {
  return columnType === 'PgEnumColumn' || columnType === 'PgEnumObjectColumn'
}
