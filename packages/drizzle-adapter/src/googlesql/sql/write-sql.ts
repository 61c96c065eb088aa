import type { WireType } from '@isotherm/core/adapter'
import { Column, is, Name, Param, SQL, type SQLChunk, type Subquery, type Table } from 'drizzle-orm'
import { columnsOf, isInsertable, nameOf, originalNameOf, schemaOf } from '../../drizzle-internals.js'
import { arraysOf, MOST_PARAMETERS, type ArrayItems, type ArrayParameter } from '../../sql/rows-of-arrays.js'
import type { SelectedField } from '../../session/rows.js'
import { pushList, pushSelection, pushTarget, text } from './pieces.js'
import { WithSubqueries } from '../../sql/with-subqueries.js'

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
  pushTarget(chunks, config.table)
  chunks.push(SET, ...setItems(config.table, config.set, columnName))
  pushWhere(chunks, config.where)
  return finished(chunks, config)
}

export function deleteSql(config: DeleteConfig): SQL {
  const chunks: SQLChunk[] = []
  if (config.statementHint) chunks.push(text(`${config.statementHint} `))
  chunks.push(DELETE)
  pushTarget(chunks, config.table)
  pushWhere(chunks, config.where)
  return finished(chunks, config)
}

/** Spanner changes no row without a condition. */
function pushWhere(chunks: SQLChunk[], where: SQL | undefined): void {
  chunks.push(WHERE, where ?? TRUE)
}

/** `column = value, …`, with what `$onUpdate` gives for columns that are left out. */
export function setItems(
  table: Table,
  set: Readonly<Record<string, unknown>>,
  columnName: (column: Column) => string,
): SQLChunk[] {
  const columns = columnsOf(table)
  const items: SQLChunk[] = []
  for (const property of Object.keys(columns)) {
    const column = columns[property]!
    const given = set[property]
    const value = given === undefined ? column.onUpdateFn?.() : given
    if (value === undefined) continue
    items.push(new SQL([...target(table, columnName(column)), EQUALS, asChunk(value, column)]))
  }
  const chunks: SQLChunk[] = []
  pushList(chunks, items)
  return chunks
}

/** A column that is called as its table stands for the whole row, unless the table's name is before it. */
function target(table: Table, name: string): SQLChunk[] {
  return name.toLowerCase() === nameOf(table).toLowerCase()
    ? [new Name(nameOf(table)), DOT, new Name(name)]
    : [new Name(name)]
}

/** A value as its column sends it, unless it is SQL or knows its column. */
function asChunk(value: unknown, column: Column): SQLChunk {
  return isSql(value) ? value : new Param(value, column)
}

function isSql(value: unknown): value is SQLChunk {
  return (
    typeof value === 'object' &&
    value !== null &&
    (is(value, SQL) || is(value, Column) || is(value, Param) || isQuery(value))
  )
}

/** A builder of a query, which stands as a scalar subquery. */
function isQuery(value: object): boolean {
  return '_' in value && typeof (value as { getSQL?: unknown }).getSQL === 'function'
}

function finished(chunks: SQLChunk[], { with: subqueries, returning }: WriteConfig): SQL {
  if (returning) {
    chunks.push(RETURN)
    pushSelection(chunks, returning)
  }
  const statement = new SQL(chunks)
  return subqueries.length > 0 ? new WithSubqueries(subqueries, statement, true) : statement
}

export interface InsertConfig extends WriteConfig {
  /** Those that are written, by property. */
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
  const columns = config.columns.map((property) => columnsOf(table)[property]!)
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
    !is(rows, SQL) && rows.length * columns.length > MOST_PARAMETERS
      ? arraysOf(columns.map(arrayItems), rows, isSql)
      : undefined
  if (is(rows, SQL)) chunks.push(SPACE, rows)
  else if (arrays) chunks.push(SPACE, rowsOfArrays(arrays, rows.length))
  else {
    chunks.push(VALUES)
    pushList(
      chunks,
      rows.map((row) =>
        row.map((value, at) => (value === undefined ? DEFAULT : asChunk(value, columns[at]!))),
      ),
    )
  }
  if (config.onConflict) chunks.push(config.onConflict)
  return finished(chunks, config)
}

/** The columns that an insert may name. */
export function insertableColumns(table: Table): readonly (readonly [property: string, column: Column])[] {
  return Object.entries(columnsOf(table)).filter(([, column]) => isInsertable(column))
}

interface TypedColumn extends Column {
  readonly codec?: { readonly type: WireType }
}

/** A column's values as items of an array; undefined for a column of somebody else's. */
function arrayItems(column: TypedColumn): ArrayItems | undefined {
  const { codec } = column
  return codec && { type: codec.type, encode: (value) => column.mapToDriverValue(value) }
}

function rowsOfArrays(arrays: readonly ArrayParameter[], count: number): SQL {
  const chunks: SQLChunk[] = [text('select ')]
  pushList(
    chunks,
    arrays.map(({ type, items }) => {
      const encoder = { codec: { type }, mapToDriverValue: (wires: unknown) => wires }
      return new SQL([new Param(items, encoder), text('[offset(`row`)]')])
    }),
  )
  chunks.push(text(` from unnest(generate_array(0, ${count - 1})) as \`row\``))
  return new SQL(chunks)
}
