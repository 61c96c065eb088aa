import type { Sequence } from '../../model/schema.js'
import type { StreamOptions } from '../ddl/alter-syntax.js'
import type { OwnAlterSyntax } from '../ddl/alter.js'
import { optionList } from '../ddl/clauses.js'
import { counterChanges, identityChanges } from '../ddl/counter-changes.js'
import type { DefinedColumn } from '../ddl/defined-column.js'
import type { Made } from '../layout.js'
import { columnDefinition, columnType, timeToLivePolicy, valueClause } from './ddl-table.js'
import { quote } from './identifier.js'
import { spelling } from './spelling.js'

/** Source: https://cloud.google.com/spanner/docs/reference/postgresql/data-definition-language */
export const spannerPostgreSqlAlterations: OwnAlterSyntax = {
  columnDefinition,
  columnType: comparedType,
  stored: 'INCLUDE',
  hasNullFiltered: false,
  altersGenerated: false,
  revokesCommitTimestamp: false,
  dropsSkipRange: false,
  hidesColumns: false,
  renamesInNamespace: false,
  alterColumn,
  addRowDeletion: (table, policy) => `ALTER TABLE ${quote(table)} ADD ${timeToLivePolicy(policy)}`,
  replaceRowDeletion: (table, policy) => `ALTER TABLE ${quote(table)} ALTER ${timeToLivePolicy(policy)}`,
  dropRowDeletion: (table) => `ALTER TABLE ${quote(table)} DROP TTL`,
  alterSequence,
  setStreamOptions,
}

/** The longest text is text of any length, and is given back as that. */
function comparedType(column: DefinedColumn): string {
  return columnType(column).replace('varchar(2621440)', 'varchar')
}

/**
 * The type and whether it may be NULL are given together, the one that stays as it is too; the column loses its default
 * with that, and gets it again.
 */
function alterColumn(table: string, from: DefinedColumn, to: DefinedColumn): string[] {
  const alter = `ALTER TABLE ${quote(table)}`
  const column = `ALTER COLUMN ${quote(to.name)}`
  const [before, after] = [defaultClause(from.made), defaultClause(to.made)]
  const redefined = comparedType(from) !== comparedType(to) || from.nullable !== to.nullable
  const nullability = `${to.nullable ? 'DROP' : 'SET'} NOT NULL`
  return [
    ...(before.length > 0 && (redefined ? comparedType(from) !== comparedType(to) : after.length === 0)
      ? [`${alter} ${column} DROP DEFAULT`]
      : []),
    ...(redefined ? [`${alter} ${column} TYPE ${columnType(to)}, ${column} ${nullability}`] : []),
    ...(after.length > 0 && (redefined || before.join() !== after.join())
      ? [`${alter} ${column} SET ${after.join(' ')}`]
      : []),
    ...identityChanges(from.made, to.made, ' ').map((change) => `${alter} ${column} ${change}`),
  ]
}

function defaultClause(made: Made | undefined): string[] {
  return made?.by === 'default' || made?.by === 'sequence' ? valueClause(made) : []
}

function alterSequence(from: Sequence, to: Sequence): string {
  const { start, range } = counterChanges(from, to)
  return [
    `ALTER SEQUENCE ${quote(to.name)}`,
    ...(range === undefined || range === 'none' ? [] : [`SKIP RANGE ${range.join(' ')}`]),
    ...(start === undefined ? [] : [`RESTART COUNTER WITH ${start}`]),
  ].join(' ')
}

/** NULL is taken without a word, and changes nothing. */
function setStreamOptions(stream: string, options: StreamOptions): string[] {
  const alter = `ALTER CHANGE STREAM ${quote(stream)}`
  const set = Object.entries(options).filter(([, value]) => value !== null)
  const reset = Object.keys(options).filter((name) => options[name] === null)
  return [
    ...(set.length > 0 ? [`${alter} SET (${optionList(Object.fromEntries(set), spelling)})`] : []),
    ...(reset.length > 0 ? [`${alter} RESET (${reset.join(', ')})`] : []),
  ]
}
