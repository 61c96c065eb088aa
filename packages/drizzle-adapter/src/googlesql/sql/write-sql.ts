import { present } from '@isotherm/core/adapter'
import {
  Column,
  Name,
  Param,
  SQL,
  type SQLChunk,
  type Subquery,
  type Table,
  is,
  isSQLWrapper,
} from 'drizzle-orm'
import { columnsOf, isInsertable, nameOf, originalNameOf, schemaOf } from '../../drizzle-internals.js'
import { type ArrayParameter, MAX_PARAMETERS, arraysOf } from '../../sql/renderer.js'
import type { SelectedField } from '../../session/rows.js'
import type { AnySpannerColumn } from '../columns/common.js'
import { arrayItems } from './render.js'
import { pushList, pushSelection, text } from './select-sql.js'
import { FromSource, ScopedSql, SourceLabel } from '../../sql/sources.js'
import { WithSubqueries, checkedCondition } from '../../sql/condition.js'

// Source: https://cloud.google.com/spanner/docs/reference/standard-sql/dml-syntax

interface WriteConfig {
  readonly with: readonly Subquery[]
  readonly table: Table
  returning?: readonly SelectedField[]
  statementHint?: string
}

export interface UpdateConfig extends WriteConfig {
  readonly set: Readonly<Record<string, unknown>>
  where?: SQL | undefined
}

export interface DeleteConfig extends WriteConfig {
  where?: SQL | undefined
}

const UPDATE = text('update ')
const DELETE = text('delete from ')
const SET = text(' set ')
const EQUALS = text(' = ')
const WHERE = text(' where ')
const TRUE = text('true')
const RETURN = text(' then return ')
const DOT = text('.')

export function updateSql(config: UpdateConfig, columnName: (column: Column) => string): SQL {
  const chunks: SQLChunk[] = []
  if (config.statementHint) chunks.push(text(`${config.statementHint} `))
  chunks.push(UPDATE)
  chunks.push(targetOf(config.table))
  chunks.push(SET)
  for (const item of setItems(config.table, config.set, columnName)) chunks.push(item)
  pushWhere(chunks, config.where)
  return finished(chunks, config)
}

export function deleteSql(config: DeleteConfig): SQL {
  const chunks: SQLChunk[] = []
  if (config.statementHint) chunks.push(text(`${config.statementHint} `))
  chunks.push(DELETE)
  chunks.push(targetOf(config.table))
  pushWhere(chunks, config.where)
  return finished(chunks, config)
}

/** The table that a statement writes to: a column cannot have its table's schema before it. */
function targetOf(table: Table): SQLChunk {
  return new FromSource(table, undefined, schemaOf(table) !== undefined)
}

/** Spanner changes no row without a condition. */
function pushWhere(chunks: SQLChunk[], where: SQL | undefined): void {
  chunks.push(WHERE, checkedCondition('where', where) ?? TRUE)
}

/** `column = value, …`, with what `$onUpdate` gives for columns that are left out. */
export function setItems(
  table: Table,
  set: Readonly<Record<string, unknown>>,
  columnName: (column: Column) => string,
): SQLChunk[] {
  const items: SQLChunk[] = []
  for (const [property, column] of Object.entries(columnsOf(table))) {
    const setValue = set[property]
    const value = setValue === undefined ? column.onUpdateFn?.() : setValue
    if (value === undefined) continue
    items.push(new SQL([...target(table, columnName(column)), EQUALS, asChunk(value, column)]))
  }
  const chunks: SQLChunk[] = []
  pushList(chunks, items)
  return chunks
}

/** A column with the name of its table means the whole row, unless the table's name is before it. */
function target(table: Table, name: string): SQLChunk[] {
  return name.toLowerCase() === nameOf(table).toLowerCase()
    ? [new SourceLabel(table, nameOf(table)), DOT, new Name(name)]
    : [new Name(name)]
}

/** A value as its column sends it, unless it is SQL or knows its column. */
function asChunk(value: unknown, column: Column): SQLChunk {
  return isSql(value) ? value : new Param(value, column)
}

/** SQL, a column or a value with one, or a query builder, which is written as a scalar subquery. */
function isSql(value: unknown): value is SQLChunk {
  return isSQLWrapper(value) && (is(value, SQL) || is(value, Column) || is(value, Param) || '_' in value)
}

function finished(chunks: SQLChunk[], config: WriteConfig): SQL {
  return withSubqueries(config, new ScopedSql([...chunks, ...returned(config)], [config.table]))
}

function returned({ returning }: WriteConfig): SQLChunk[] {
  if (!returning) return []
  const chunks: SQLChunk[] = [RETURN]
  pushSelection(chunks, returning)
  return chunks
}

function withSubqueries({ with: subqueries }: WriteConfig, statement: SQL): SQL {
  return subqueries.length > 0 ? new WithSubqueries(subqueries, statement, true) : statement
}

export interface InsertConfig extends WriteConfig {
  /** The written columns, by property. */
  readonly columns: readonly string[]
  /** Each row's values in the columns' order, `undefined` for the database's default; or what selects the rows. */
  readonly rows: readonly (readonly unknown[])[] | SQL
  readonly verb: 'insert' | 'insert or update' | 'insert or ignore'
  onConflict?: SQL | undefined
}

const DEFAULT = text('default')
const INTO = text(' into ')
const SPACE = text(' ')
const VALUES = text(' values ')

export function insertSql(config: InsertConfig, columnName: (column: Column) => string): SQL {
  const { table, rows } = config
  const all = columnsOf(table)
  const columns = config.columns.map((property) => present(all[property], `column ${property}`))
  const chunks: SQLChunk[] = []
  if (config.statementHint) chunks.push(text(`${config.statementHint} `))
  chunks.push(text(config.verb), INTO)
  const schema = schemaOf(table)
  if (schema !== undefined) chunks.push(new Name(schema), DOT)
  chunks.push(
    new Name(originalNameOf(table)),
    SPACE,
    columns.map((column) => new Name(columnName(column))),
  )
  const arrays =
    !is(rows, SQL) && rows.length * columns.length > MAX_PARAMETERS
      ? arraysOf(
          columns.map((column) => arrayItems(column as AnySpannerColumn)),
          rows,
          isSql,
        )
      : undefined
  if (is(rows, SQL)) chunks.push(SPACE, rows)
  else if (arrays) chunks.push(SPACE, rowsOfArrays(arrays, rows.length))
  else {
    chunks.push(VALUES)
    pushList(
      chunks,
      rows.map((row) =>
        columns.map((column, at) => (row[at] === undefined ? DEFAULT : asChunk(row[at], column))),
      ),
    )
  }
  // A query that gives the rows does not see the table that they are written to.
  const after = config.onConflict ? [config.onConflict, ...returned(config)] : returned(config)
  return withSubqueries(config, new SQL([...chunks, new ScopedSql(after, [table])]))
}

/** The columns that an insert may name. */
export function insertableColumns(table: Table): readonly (readonly [property: string, column: Column])[] {
  return Object.entries(columnsOf(table)).filter(([, column]) => isInsertable(column))
}

function rowsOfArrays(arrays: readonly ArrayParameter[], count: number): SQL {
  const chunks: SQLChunk[] = [text('select ')]
  pushList(
    chunks,
    arrays.map(({ type, items, cast }) => {
      const encoder = { codec: { type }, mapToDriverValue: (wires: unknown) => wires }
      const item = new SQL([new Param(items, encoder), text('[offset(`row`)]')])
      return cast ? cast(item) : item
    }),
  )
  chunks.push(text(` from unnest(generate_array(0, ${count - 1})) as \`row\``))
  return new SQL(chunks)
}
