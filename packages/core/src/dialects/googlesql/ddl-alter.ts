import type { Sequence } from '../../model/schema.js'
import type { OwnAlterSyntax } from '../ddl/alter.js'
import { notNullClause, optionList } from '../ddl/clauses.js'
import { counterChanges, identityChanges } from '../ddl/counter-changes.js'
import type { DefinedColumn } from '../ddl/defined-column.js'
import type { Made } from '../layout.js'
import { columnDefinition, rowDeletionPolicy, valueClause } from './ddl-table.js'
import { quote } from './identifier.js'
import { spelling } from './spelling.js'
import { googleSqlType } from './types.js'

/** Source: https://cloud.google.com/spanner/docs/reference/standard-sql/data-definition-language */
export const googleSqlAlterations: OwnAlterSyntax = {
  columnDefinition,
  columnType: ({ type }) => googleSqlType(type),
  stored: 'STORED',
  hasNullFiltered: true,
  altersGenerated: true,
  revokesCommitTimestamp: true,
  dropsSkipRange: true,
  hidesColumns: true,
  renamesInNamespace: true,
  alterColumn,
  addRowDeletion: (table, policy) => `ALTER TABLE ${quote(table)} ADD ${rowDeletionPolicy(policy)}`,
  replaceRowDeletion: (table, policy) => `ALTER TABLE ${quote(table)} REPLACE ${rowDeletionPolicy(policy)}`,
  dropRowDeletion: (table) => `ALTER TABLE ${quote(table)} DROP ROW DELETION POLICY`,
  alterSequence,
  setStreamOptions: (stream, options) => [
    `ALTER CHANGE STREAM ${quote(stream)} SET OPTIONS (${optionList(options, spelling)})`,
  ],
}

/** A type is given with all that the definition says, or the column would lose it. */
function alterColumn(table: string, from: DefinedColumn, to: DefinedColumn): string[] {
  const alter = `ALTER TABLE ${quote(table)} ALTER COLUMN ${quote(to.name)}`
  const [before, after] = [defaultClause(from.made), defaultClause(to.made)]
  const redefined = definition(from) !== definition(to)
  const [committed, commits] = [from, to].map(({ made }) => made?.by === 'commit-timestamp')
  return [
    ...(committed && !commits ? [`${alter} SET OPTIONS (allow_commit_timestamp = null)`] : []),
    ...(redefined ? [[alter, definition(to), ...after].join(' ')] : []),
    ...(!redefined && before.join() !== after.join()
      ? [after.length > 0 ? `${alter} SET ${after.join(' ')}` : `${alter} DROP DEFAULT`]
      : []),
    ...(commits && !committed ? [`${alter} SET OPTIONS (allow_commit_timestamp = true)`] : []),
    ...identityChanges(from.made, to.made, ', ').map((change) => `${alter} ALTER IDENTITY ${change}`),
  ]
}

/** What is given together: all but the default, which can change alone. */
function definition(column: DefinedColumn): string {
  const { type, made } = column
  const generated = made?.by === 'generated' ? valueClause(made) : []
  return [googleSqlType(type), ...notNullClause(column), ...generated].join(' ')
}

function defaultClause(made: Made | undefined): string[] {
  return made?.by === 'default' || made?.by === 'sequence' ? valueClause(made) : []
}

/** By options, as the sequence was made: one that was made with options does not take the clauses. */
function alterSequence(from: Sequence, to: Sequence): string {
  const { start, range } = counterChanges(from, to)
  const [min, max] = range === 'none' || range === undefined ? ['NULL', 'NULL'] : range
  const options = [
    ...(start === undefined ? [] : [`start_with_counter = ${to.startCounter ?? 'NULL'}`]),
    ...(range === undefined ? [] : [`skip_range_min = ${min}`, `skip_range_max = ${max}`]),
  ]
  return `ALTER SEQUENCE ${quote(to.name)} SET OPTIONS (${options.join(', ')})`
}
