import type { Supplies, TransactionScope } from '@isotherm/core/adapter'
import {
  type Casing,
  type Column,
  Name,
  Param,
  Placeholder,
  SQL,
  type SQLChunk,
  StringChunk,
  is,
  isSQLWrapper,
} from 'drizzle-orm'
import { IsothermError } from '@isotherm/core'
import type { PgInsertConfig } from 'drizzle-orm/pg-core'
import { columnsOf, isInsertable } from '../../drizzle-internals.js'
import { type TableKeys, keysOf } from '../../keys/table-keys.js'
import { withoutInherited } from '../../sql/checked-rows.js'
import { type ArrayParameter, MAX_PARAMETERS, arraysOf } from '../../sql/renderer.js'
import { codecOf } from '../columns/codec.js'
import { isWithoutIsotherm } from '../columns/without-isotherm.js'
import { WireEncoder } from '../render/render.js'
import { conflictSql, isUpdate } from './on-conflict.js'

/** The values of a statement's execution. */
export interface Execution {
  /** Values of its placeholders. */
  readonly values: Readonly<Record<string, unknown>> | undefined
  /** Numbers of the application's counters. */
  readonly supplies: Supplies | undefined
}

/** @param scope the transaction that the statement is a part of */
type Supply = (
  values: Execution['values'],
  scope: TransactionScope | undefined,
) => Promise<Supplies> | undefined

/**
 * A write whose values are made anew for each execution: those of `$defaultFn`, of `$onUpdate` and of keys would be the same
 * every time otherwise.
 */
export class OwnValues extends SQL {
  /** Without an execution, the SQL for reading. */
  readonly build: (execution?: Execution) => SQL
  /** Whether, without an execution, there are values that cannot be made. */
  readonly isSketch: boolean
  /** Fetches the values that have to be awaited. */
  readonly supply: Supply | undefined

  constructor(
    build: (execution?: Execution) => SQL,
    { isSketch, supply }: Partial<Pick<OwnValues, 'isSketch' | 'supply'>> = {},
  ) {
    super([build()])
    this.build = build
    this.isSketch = isSketch ?? false
    this.supply = supply
  }

  /** The same, and more around it. */
  within(around: (sql: SQL) => SQL): OwnValues {
    return new OwnValues((execution) => around(this.build(execution)), this)
  }
}

type Fields = Readonly<Record<string, unknown>>
type Entry = readonly [property: string, column: Column]

interface InsertSyntax {
  columnName(column: Column): string
  /** Makes names of properties. */
  readonly casing: Casing | undefined
  textOf(sql: SQL): string
}

const DEFAULT = new StringChunk('default')

/**
 * An insert. It names the columns that a row has a value for: what no row has is the database's to fill in, and a conflict
 * leaves it alone.
 *
 * @throws {IsothermError} `UNSUPPORTED_FEATURE` for what Spanner does not support.
 */
export function insertSql(config: PgInsertConfig, words: InsertSyntax): SQL {
  if (config.overridingSystemValue_) {
    throw new IsothermError('UNSUPPORTED_FEATURE', 'Spanner has no OVERRIDING SYSTEM VALUE.', {
      fix: 'Declare the column as generatedByDefaultAsIdentity(), which takes a value that is given.',
    })
  }
  const entries = Object.entries(columnsOf(config.table)).filter(([, column]) => isInsertable(column))
  if (config.select) return selectedSql(config, entries, words)
  const made = entries.filter(([, { defaultFn, onUpdateFn, default: own }]) => {
    if (isWithoutIsotherm(defaultFn)) return false
    return defaultFn !== undefined || (onUpdateFn !== undefined && own === undefined)
  })
  const keys = keysOf(config.table, words.casing)
  if (config.onConflict && isUpdate(config.onConflict)) keys?.refuseUpsert()
  const build = (execution?: Execution): SQL =>
    writtenSql(config, entries, (values) => completed(config, made, values), keys, words, execution)
  if (!keys) return made.length > 0 ? new OwnValues(build) : build()
  return new OwnValues(build, {
    isSketch: true,
    supply: (values, scope) => keys.supply(completed(config, made, values), scope),
  })
}

/** Rows as they were given, and with what Drizzle's columns make. */
function completed(
  config: PgInsertConfig,
  made: readonly Entry[],
  values: Execution['values'],
): readonly Fields[] {
  const rows = (config.values as Fields[]).map((row) => withoutInherited(config.table, plainRow(row, values)))
  return made.length > 0 ? rows.map((row) => withMade(row, made)) : rows
}

function writtenSql(
  config: PgInsertConfig,
  entries: readonly Entry[],
  rowsWith: (values: Execution['values']) => readonly Fields[],
  keys: TableKeys | undefined,
  words: InsertSyntax,
  execution: Execution | undefined,
): SQL {
  const complete = rowsWith(execution?.values)
  const rows = keys?.fill(complete, { supplies: execution?.supplies, isSketch: !execution }) ?? complete
  const named = entries.filter(([property]) => rows.some((row) => row[property] !== undefined))
  // An insert needs at least one column.
  const columns = named.length > 0 ? named : entries.slice(0, 1)
  return statement(config, columns, rows, words, sourceOf(columns, rows))
}

/** `values (…), …`, or where that would be too many parameters, a select of arrays. */
function sourceOf(columns: readonly Entry[], rows: readonly Fields[]): readonly SQLChunk[] {
  const values = rows.map((row) => columns.map(([property]) => row[property]))
  const arrays =
    rows.length * columns.length > MAX_PARAMETERS
      ? arraysOf(
          columns.map(([, column]) => codecOf(column)),
          values,
          (value) => isSQLWrapper(value),
        )
      : undefined
  if (arrays) return rowsOfArrays(arrays, rows.length)
  const written = values.map((row) => columns.map(([, column], at) => valueOf(row[at], column)))
  return [
    new StringChunk('values '),
    ...written.flatMap((row, at): SQLChunk[] => (at > 0 ? [new StringChunk(', '), row] : [row])),
  ]
}

function rowsOfArrays(arrays: readonly ArrayParameter[], count: number): readonly SQLChunk[] {
  const positions = Array.from({ length: count }, (_, at) => String(at + 1))
  const encoder = new WireEncoder({ kind: 'array', of: { kind: 'int64' } })
  return [
    new StringChunk('select '),
    ...arrays.flatMap(({ type, items }, at): SQLChunk[] => [
      new StringChunk(at > 0 ? ', (' : '('),
      new Param(items, new WireEncoder(type)),
      new StringChunk(')["row"]'),
    ]),
    new StringChunk(' from unnest('),
    new Param(positions, encoder),
    new StringChunk(') as "row"'),
  ]
}

function selectedSql(config: PgInsertConfig, entries: readonly Entry[], words: InsertSyntax): SQL {
  // Drizzle has its rows name every column.
  keysOf(config.table, words.casing)?.refuseQuery(entries.map(([property]) => property))
  const source = config.values as { getSQL(): SQL }
  return statement(config, entries, undefined, words, [source.getSQL()])
}

function statement(
  { table, onConflict }: PgInsertConfig,
  columns: readonly Entry[],
  rows: readonly Fields[] | undefined,
  words: InsertSyntax,
  source: readonly SQLChunk[],
): SQL {
  const chunks: SQLChunk[] = [
    new StringChunk('insert into '),
    table,
    new StringChunk(' '),
    columns.map(([, column]) => new Name(words.columnName(column))),
    new StringChunk(' '),
    ...source,
  ]
  if (onConflict) {
    const inserted = { table, rows, columns: columns.map(([property]) => property), ...words }
    chunks.push(conflictSql(onConflict, inserted))
  }
  return new SQL(chunks)
}

/** Values as they were given: Drizzle's builder has put each into a `Param`. */
function plainRow(row: Fields, placeholders: Execution['values']): Fields {
  const plain: Record<string, unknown> = {}
  for (const property of Object.keys(row)) {
    const item = row[property]
    const value: unknown = is(item, Param) ? item.value : item
    // A placeholder without a value is left as it is: binding the parameters reports it.
    plain[property] =
      placeholders && is(value, Placeholder) && Object.hasOwn(placeholders, value.name)
        ? placeholders[value.name]
        : value
  }
  return plain
}

function withMade(row: Fields, made: readonly Entry[]): Fields {
  const complete: Record<string, unknown> = { ...row }
  for (const [property, { defaultFn, onUpdateFn }] of made) {
    if (complete[property] === undefined) complete[property] = (defaultFn ?? onUpdateFn)?.()
  }
  return complete
}

function valueOf(value: unknown, column: Column): SQLChunk {
  if (value === undefined) return DEFAULT
  return is(value, SQL) ? value : new Param(value, column)
}
