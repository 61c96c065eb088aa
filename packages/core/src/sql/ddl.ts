import type { Interleaving } from '../model/table.js'
import { ROW } from './writer.js'
import type { AlterSyntax, DdlSyntax } from '../ddl/syntax.js'
import {
  type ClauseSyntax,
  addForeignKey,
  checkClause,
  checksOf,
  createChangeStream,
  createView,
  watchClause,
} from '../ddl/clauses.js'

/** The parts of a dialect's syntax of changes that differ between dialects. */
export type OwnAlterSyntax = Pick<
  AlterSyntax,
  | 'columnType'
  | 'hasNullFiltered'
  | 'altersGenerated'
  | 'revokesCommitTimestamp'
  | 'dropsSkipRange'
  | 'hidesColumns'
  | 'tellsFilters'
  | 'renamesInNamespace'
  | 'parentsAreForeignKeys'
  | 'resizesReadColumns'
  | 'constrainsArrays'
  | 'addColumn'
  | 'alterColumn'
  | 'rowDeletion'
  | 'alterSequence'
  | 'setStreamOptions'
> & {
  /** Whether a view can be given any other query in place. */
  readonly replacesViews: boolean
  /** The keyword for a column that an index stores in addition to its key. Absent: an index does not get another one later. */
  readonly stored?: 'STORED' | 'INCLUDE'
}

/** A dialect's syntax of changes: its own parts, and those that all dialects share. */
function alterSyntax(syntax: ClauseSyntax, own: OwnAlterSyntax): AlterSyntax {
  const { quote } = syntax
  const alter = (table: string): string => `ALTER TABLE ${quote(table)}`
  const { replacesViews, stored, ...rest } = own
  return {
    ...rest,
    ...(stored && {
      stored: {
        add: (index, column) => `ALTER INDEX ${quote(index)} ADD ${stored} COLUMN ${quote(column)}`,
        drop: (index, column) => `ALTER INDEX ${quote(index)} DROP ${stored} COLUMN ${quote(column)}`,
      },
    }),
    renameTable: (from, to) => [`${alter(from)} RENAME TO ${quote(to.table.name)}`],
    dropTable: (table) => `DROP TABLE ${quote(table)}`,
    addOpaqueColumn: (table, { name, definition }) =>
      `${alter(table)} ADD COLUMN ${quote(name)} ${definition}`,
    dropColumn: (table, column) => `${alter(table)} DROP COLUMN ${quote(column)}`,
    copyColumn: (table, from, to) => {
      // A bare column that is called as its table means the whole row in GoogleSQL. None is called as the alias.
      const [old, own] = [`${ROW}.${quote(from)}`, `${ROW}.${quote(to)}`]
      return `UPDATE ${quote(table)} AS ${ROW} SET ${quote(to)} = ${old} WHERE ${own} IS NULL AND ${old} IS NOT NULL`
    },
    addCheck: (table, check) => `${alter(table)} ADD ${checkClause(check, syntax)}`,
    dropConstraint: (table, constraint) => `${alter(table)} DROP CONSTRAINT ${quote(constraint)}`,
    setOnDelete: ({ table }, onDelete) => [`${alter(table.name)} SET ON DELETE ${onDelete.toUpperCase()}`],
    setInterleaving: ({ table }, to) =>
      interleavings(to, quote).map((clause) => `${alter(table.name)} SET ${clause}`),
    dropIndex: (index) => `DROP INDEX ${quote(index)}`,
    dropSequence: (sequence) => `DROP SEQUENCE ${quote(sequence)}`,
    ...(replacesViews && { replaceView: (view) => createView(view, syntax, 'CREATE OR REPLACE') }),
    dropView: (view) => `DROP VIEW ${quote(view)}`,
    watchOtherwise: (stream, layouts) => {
      const watched = watchClause(stream, layouts, syntax)
      return `ALTER CHANGE STREAM ${quote(stream.name)} ${watched === undefined ? 'DROP FOR ALL' : `SET FOR ${watched}`}`
    },
    dropChangeStream: (stream) => `DROP CHANGE STREAM ${quote(stream)}`,
    dropNamespace: (namespace) => `DROP SCHEMA ${quote(namespace)}`,
  }
}

/**
 * A row cannot begin to need its parent and to go with it in one step.
 *
 * Source: https://cloud.google.com/spanner/docs/reference/standard-sql/data-definition-language#alter_table
 */
function interleavings({ table, onDelete, required }: Interleaving, quote: ClauseSyntax['quote']): string[] {
  if (required === false) return [`INTERLEAVE IN ${quote(table)}`]
  const inParent = `INTERLEAVE IN PARENT ${quote(table)} ON DELETE`
  return [`${inParent} NO ACTION`, ...(onDelete === 'cascade' ? [`${inParent} CASCADE`] : [])]
}

/** A dialect's DDL syntax: its own parts, and those that all dialects share. */
export function ddlSyntax(
  syntax: ClauseSyntax,
  own: Pick<DdlSyntax, 'sequence' | 'table' | 'index'>,
  alter: OwnAlterSyntax,
): DdlSyntax {
  return {
    ...own,
    lexicalSyntax: syntax.lexicalSyntax,
    namespace: (name) => `CREATE SCHEMA ${syntax.quote(name)}`,
    addForeignKey: (table, key) => addForeignKey(table, key, syntax),
    view: (view) => createView(view, syntax),
    changeStream: (stream, layouts) => createChangeStream(stream, layouts, syntax),
    checks: (layout) => checksOf(layout, syntax),
    alter: alterSyntax(syntax, alter),
  }
}
