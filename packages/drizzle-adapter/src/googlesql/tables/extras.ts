import { IsothermError } from '@isotherm/core'
import { shown } from '@isotherm/core/adapter'
import { type Table, is } from 'drizzle-orm'
import { extraConfigOf } from '../../drizzle-internals.js'
import { IndexBuilderOn } from './indexes.js'
import { Interleaving, TableWorkload, RowDeletionPolicy } from './table-options.js'
import { UniqueOnConstraintBuilder } from './constraints.js'
import { qualifiedName } from '../../table-kind/table-kind.js'

type Class = Parameters<typeof is>[1]

/** The extras that a table may have once. */
const ONCE: readonly (readonly [Class, string])[] = [
  [Interleaving, 'interleaveIn'],
  [RowDeletionPolicy, 'rowDeletionPolicy'],
  [TableWorkload, 'workload'],
]

/**
 * The result of the third argument of a table.
 *
 * @param known the classes that a table of its kind accepts
 * @throws {IsothermError} `SCHEMA_INVALID` for other values, and for an extra that is given twice.
 */
export function extrasOf(table: Table, known: readonly Class[]): readonly unknown[] {
  const extraConfig: unknown = extraConfigOf(table) ?? []
  if (typeof extraConfig !== 'object') throw meaningless(table, extraConfig)
  const extras: readonly unknown[] = Object.values(extraConfig as object).flat(1)
  for (const each of extras) if (!known.some((type) => is(each, type))) throw meaningless(table, each)
  for (const [type, name] of ONCE) {
    if (extras.filter((each) => is(each, type)).length > 1)
      throw invalid(table, `has ${name} twice.`, 'Keep one of them.')
  }
  return extras
}

function meaningless(table: Table, value: unknown): IsothermError {
  const isHalf = is(value, IndexBuilderOn) || is(value, UniqueOnConstraintBuilder)
  return isHalf
    ? invalid(table, 'has an index without columns.', "Name them: index('by_name').on(t.name).")
    : invalid(
        table,
        `has ${shown(value)} in its third argument, which is not a part of a table.`,
        'Give a list: (t) => [index(…).on(t.name), interleaveIn(parent)].',
      )
}

function invalid(table: Table, message: string, fix: string): IsothermError {
  const name = qualifiedName(table)
  return new IsothermError('SCHEMA_INVALID', `${name} ${message}`, { fix, table: name })
}
