import { type IndexLayout, type PhysicalColumn, type Schema, type TableLayout } from '@isotherm/core/engine'
import {
  type ColumnForeignKey,
  type DdlSyntax,
  type DefinedColumn,
  type IndexColumn,
  type Interleaving,
  type Layouts,
  type Made,
  type OwnAlterSyntax,
  type Sequence,
  type ClauseSyntax,
  type View,
  checkClauses,
  columnLines,
  columnsOf,
  counterChanges,
  ddlStatements,
  ddlSyntax,
  foreignKeyClause,
  indexColumns,
  notNullClause,
  requiredSql,
} from '@isotherm/core/tools'
import { postgresqlLexicalSyntax, quote, quoteText } from '../sql/lexical-syntax.js'
import { bitReversedNext } from '../sql/statements.js'
import { isText, postgresqlType } from '../sql/types.js'
import { refuseUnsupported } from './limits.js'
import { parentConstraint, plain, sequenceOf } from './names.js'

const syntax: ClauseSyntax = {
  lexicalSyntax: postgresqlLexicalSyntax,
  options: 'WITH',
  quote,
  literal: quoteText,
}

/** A table, and the sequences of its own numbers: they are dropped with it. */
function createTable(layout: TableLayout, foreignKeys: readonly ColumnForeignKey[]): string[] {
  const { table, key, columns } = layout
  const sequences = columns.flatMap((column) => ownSequence(table.name, column) ?? [])
  const lines = [
    ...columnLines(layout, (column) => columnDefinition(table.name, column), syntax),
    ...checkClauses(layout, syntax),
    ...parentClause(layout),
    ...foreignKeys.map((each) => foreignKeyClause(each, syntax)),
    `PRIMARY KEY (${key.map(({ column }) => quote(column.name)).join(', ')})`,
  ]
  return [
    ...sequences.map(({ create }) => create),
    `CREATE TABLE ${quote(table.name)} (\n  ${lines.join(',\n  ')}\n)`,
    ...sequences.map(({ own }) => own),
  ]
}

/** The statements around a column that counts by itself: its sequence is there before it, and is dropped with it. */
function ownSequence(
  table: string,
  column: DefinedColumn,
): { readonly create: string; readonly own: string } | undefined {
  const { name, made } = column
  if (made?.by !== 'identity') return undefined
  const sequence = sequenceOf(table, column)
  return {
    create: createSequence({ name: sequence, ...made }),
    own: `ALTER SEQUENCE ${quote(sequence)} OWNED BY ${quote(table)}.${quote(name)}`,
  }
}

function columnDefinition(table: string, column: DefinedColumn): string {
  const { name, made } = column
  return [
    quote(name),
    columnType(column),
    ...notNullClause(column),
    ...(made ? valueClause(table, column, made) : []),
  ].join(' ')
}

/** Text is ordered by its bytes, as rows are merged, whatever the database's own collation. */
function columnType({ type }: Pick<DefinedColumn, 'type'>): string {
  return postgresqlType(type) + (isText(type) ? ' COLLATE "C"' : '')
}

function valueClause(table: string, column: DefinedColumn, made: Made): string[] {
  switch (made.by) {
    case 'default':
      return [`DEFAULT (${made.expression})`]
    case 'generated':
      return [`GENERATED ALWAYS AS (${made.expression}) STORED`]
    case 'identity':
      return [`DEFAULT (${bitReversedNext(sequenceOf(table, column))})`]
    case 'sequence':
      return [`DEFAULT (${bitReversedNext(made.sequence)})`]
    case 'commit-timestamp':
      return []
  }
}

/** Rows that lie in their parent elsewhere refer to it: there are no interleaved tables. */
function parentClause({ table, key }: Pick<TableLayout, 'table' | 'key'>): string[] {
  const { parent } = table
  if (!parent || parent.required === false) return []
  const columns = key.filter(({ field }) => field.column.inherited).map(({ column }) => quote(column.name))
  return [
    `CONSTRAINT ${quote(parentConstraint(table.name))} FOREIGN KEY (${columns.join(', ')}) ` +
      `REFERENCES ${quote(parent.table)} ON DELETE ${parent.onDelete.toUpperCase()}`,
  ]
}

function createSequence({ name, startCounter }: Pick<Sequence, 'name' | 'startCounter'>): string {
  return `CREATE SEQUENCE ${quote(name)}${startCounter === undefined ? '' : ` START WITH ${startCounter}`}`
}

/** Source: https://www.postgresql.org/docs/current/sql-createindex.html */
function createIndex(layouts: Layouts, layout: TableLayout, indexLayout: IndexLayout): string {
  const { index } = indexLayout
  const columns = indexColumns(layouts, layout, indexLayout)
  const including = columnsOf(layout, index.storing).map((column) => quote(column.name))
  const present = presentColumns(layout, indexLayout, columns)
  return [
    `CREATE ${index.unique ? 'UNIQUE ' : ''}INDEX ${quote(plain(index.name))} ON ${quote(layout.table.name)}`,
    `(${columns.map(indexPart).join(', ')})`,
    ...(including.length > 0 ? [`INCLUDE (${including.join(', ')})`] : []),
    ...(present.length > 0 ? [`WHERE ${present.join(' AND ')}`] : []),
  ].join(' ')
}

/** NULL is the highest value unless the index says otherwise. */
function indexPart({ column, order, nulls }: IndexColumn): string {
  const natural = order === 'asc' ? 'last' : 'first'
  return [
    quote(column.name),
    ...(order === 'desc' ? ['DESC'] : []),
    ...(nulls === undefined || nulls === natural ? [] : [`NULLS ${nulls.toUpperCase()}`]),
  ].join(' ')
}

/** There is no NULL_FILTERED: the filter is written out for the columns that can be NULL. */
function presentColumns(
  layout: TableLayout,
  { index }: IndexLayout,
  columns: readonly IndexColumn[],
): string[] {
  const present: readonly PhysicalColumn[] = index.nullFiltered
    ? columns.map(({ column }) => column).filter((column) => column.nullable)
    : columnsOf(layout, index.notNull)
  return present.map((column) => `${quote(column.name)} IS NOT NULL`)
}

/** A view reads with the rights of its owner, unless it says otherwise. */
function createView({ name, query, security }: View): string {
  const text = requiredSql(query, postgresqlLexicalSyntax.name, name, 'its query')
  const options = security === 'invoker' ? ' WITH (security_invoker = true)' : ''
  return `CREATE VIEW ${quote(name)}${options} AS ${text}`
}

/** Source: https://www.postgresql.org/docs/current/sql-altertable.html */
const alterations: OwnAlterSyntax = {
  columnType,
  hasNullFiltered: false,
  altersGenerated: false,
  revokesCommitTimestamp: true,
  dropsSkipRange: false,
  hidesColumns: false,
  tellsFilters: true,
  renamesInNamespace: true,
  parentsAreForeignKeys: true,
  // CREATE OR REPLACE keeps the columns, and adds others behind them.
  replacesViews: false,
  resizesReadColumns: false,
  constrainsArrays: true,
  addColumn,
  alterColumn,
  alterSequence,
}

/** The default, which may not fit the new type, goes before the type changes, and comes again after it. */
function alterColumn(table: string, from: DefinedColumn, to: DefinedColumn): string[] {
  const column = `ALTER COLUMN ${quote(to.name)}`
  const [before, after] = [defaultClause(table, from), defaultClause(table, to)]
  const isRetyped = columnType(from) !== columnType(to)
  const isOther = before !== after || isRetyped
  const changes = [
    ...(before !== undefined && isOther ? [`${column} DROP DEFAULT`] : []),
    ...(isRetyped ? [`${column} TYPE ${columnType(to)}${conversion(from, to)}`] : []),
    ...(from.nullable === to.nullable ? [] : [`${column} ${to.nullable ? 'DROP' : 'SET'} NOT NULL`]),
    ...(after !== undefined && isOther ? [`${column} SET ${after}`] : []),
  ]
  const { start } =
    from.made?.by === 'identity' && to.made?.by === 'identity' ? counterChanges(from.made, to.made) : {}
  return [
    ...(changes.length === 0 ? [] : [`ALTER TABLE ${quote(table)} ${changes.join(', ')}`]),
    ...(start === undefined ? [] : [startAt(sequenceOf(table, to), start)]),
  ]
}

/**
 * Text becomes bytes, and bytes text, in UTF-8: there is no cast that does so. A UUID may be text, too. A text that is too long is
 * refused, but for spaces at its end.
 */
function conversion(from: DefinedColumn, to: DefinedColumn): string {
  if (isText(from.type) === isText(to.type)) return ''
  const by = isText(from.type) ? 'convert_to' : 'convert_from'
  return ` USING ${by}(${quote(to.name)}, 'UTF8')`
}

function defaultClause(table: string, column: DefinedColumn): string | undefined {
  const { made } = column
  return made && made.by !== 'generated' ? valueClause(table, column, made)[0] : undefined
}

function alterSequence(from: Sequence, to: Sequence): string {
  return startAt(to.name, counterChanges(from, to).start ?? '1')
}

/**
 * Another start, from which a sequence goes on unless it is beyond: it never returns a number twice. One statement, since the lock of
 * ALTER SEQUENCE keeps others from taking a number between the two.
 */
function startAt(sequence: string, start: string): string {
  const name = quote(sequence)
  const next = `(SELECT last_value + is_called::int FROM ${name})`
  return (
    `DO $$ BEGIN ALTER SEQUENCE ${name} START WITH ${start}; ` +
    `PERFORM setval(${quoteText(name)}, greatest(${start}, ${next}), false); END $$`
  )
}

/** What has its name after its table's gets another one with it: the foreign key to the parent, and sequences. */
function renameTable(
  from: string,
  { table, columns }: TableLayout,
  parent: Interleaving | undefined,
): string[] {
  const to = table.name
  return [
    `ALTER TABLE ${quote(from)} RENAME TO ${quote(plain(to))}`,
    ...(parent && parent.required !== false
      ? [
          `ALTER TABLE ${quote(to)} RENAME CONSTRAINT ${quote(parentConstraint(from))} TO ${quote(parentConstraint(to))}`,
        ]
      : []),
    ...columns
      .filter(({ made }) => made?.by === 'identity')
      .map((column) => {
        const [old, own] = [sequenceOf(from, column), sequenceOf(to, column)]
        // A column that comes with the new name does not have one yet.
        return `ALTER SEQUENCE IF EXISTS ${quote(old)} RENAME TO ${quote(plain(own))}`
      }),
  ]
}

/** Another foreign key in place of the one to the parent, or none. */
function setParent({ table, key }: TableLayout, parent: Interleaving): string[] {
  const drop = `DROP CONSTRAINT IF EXISTS ${quote(parentConstraint(table.name))}`
  const add = parentClause({ table: { ...table, parent }, key }).map((clause) => `ADD ${clause}`)
  return [`ALTER TABLE ${quote(table.name)} ${[drop, ...add].join(', ')}`]
}

/** A column that counts by itself brings its sequence. */
function addColumn(table: string, column: DefinedColumn): string[] {
  const alter = `ALTER TABLE ${quote(table)} ADD COLUMN ${columnDefinition(table, column)}`
  const sequence = ownSequence(table, column)
  return sequence ? [sequence.create, alter, sequence.own] : [alter]
}

const shared = ddlSyntax(
  syntax,
  { sequence: createSequence, table: createTable, index: createIndex },
  alterations,
)

/** The syntax of each object of a schema in PostgreSQL. */
export const postgresqlDdlSyntax: DdlSyntax = {
  ...shared,
  refersToIndexes: true,
  isTransactional: true,
  view: createView,
  alter: {
    ...shared.alter,
    renameTable,
    setOnDelete: (layout, onDelete) => setParent(layout, { ...layout.table.parent!, onDelete }),
    setInterleaving: setParent,
  },
}

/**
 * Source: https://www.postgresql.org/docs/current/ddl.html
 *
 * @param layouts those of `schema.tables`, in their order
 * @throws {IsothermError} `UNSUPPORTED_MODEL` for what PostgreSQL does not have.
 */
export function postgresqlDdl(schema: Schema, layouts: readonly TableLayout[]): string[] {
  refuseUnsupported(schema, layouts)
  return ddlStatements(schema, layouts, postgresqlDdlSyntax)
}
