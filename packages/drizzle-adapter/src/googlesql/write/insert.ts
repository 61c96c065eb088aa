import { IsothermError } from '@isotherm/core'
import {
  Column,
  Name,
  Param,
  Placeholder,
  SQL,
  type SQLChunk,
  type SQLWrapper,
  StringChunk,
  type Table,
  entityKind,
  is,
} from 'drizzle-orm'
import { columnsOf, extraConfigOf, nameOf } from '../../drizzle-internals.js'
import { checkedCondition } from '../../sql/condition.js'
import { PrimaryKeyBuilder } from '../tables/constraints.js'
import type { Fields } from '../../sql/fields.js'
import { type InsertConfig, insertableColumns, setItems } from '../sql/write-sql.js'
import { type TableKeys, keysOf } from '../../keys/table-keys.js'
import { checkedRow, insertedRows } from '../../sql/checked-rows.js'
import { QueryBuilder } from '../select/query-builder.js'
import { isSelect } from '../select/select.js'
import { type Execution, WriteQuery, type WriteSetup, checkTarget } from './write.js'

type ConflictTarget = Column | readonly Column[]

interface Conflict {
  readonly target?: ConflictTarget
  readonly set?: Fields
  readonly setWhere?: SQL
}

/** Whether a conflict over these columns is one over the primary key, which INSERT OR IGNORE is about. */
function isPrimaryKey(table: Table, target: ConflictTarget | undefined): boolean {
  if (target === undefined) return false
  const names = new Set(listed(target).map((column) => column.name))
  const key = keyColumns(table)
  return names.size === key.length && key.every((column) => names.has(column.name))
}

function keyColumns(table: Table): readonly Column[] {
  const extra = Object.values(extraConfigOf(table) ?? {}) as readonly unknown[]
  const declared = extra.find((each): each is PrimaryKeyBuilder => is(each, PrimaryKeyBuilder))
  return declared
    ? declared.build(table).columns
    : Object.values(columnsOf(table)).filter((column) => column.primary)
}

/**
 * The clause for rows that exist already.
 *
 * Source: https://cloud.google.com/spanner/docs/reference/standard-sql/dml-syntax
 */
export function conflictSql(table: Table, config: Conflict, columnName: (column: Column) => string): SQL {
  refuseOtherParts(config)
  const { target, set, setWhere } = config
  const chunks: SQLChunk[] = [new StringChunk(' on conflict')]
  if (target !== undefined) {
    chunks.push(
      new StringChunk(' '),
      listed(target).map((column) => new Name(columnName(column))),
    )
  }
  if (!set) return new SQL([...chunks, new StringChunk(' do nothing')])
  chunks.push(new StringChunk(' do update set '))
  for (const item of setItems(table, set, columnName)) chunks.push(item)
  const condition = checkedCondition('where', setWhere)
  if (condition) chunks.push(new StringChunk(' where '), condition)
  return new SQL(chunks)
}

function listed(target: ConflictTarget): readonly Column[] {
  return is(target, Column) ? [target] : target
}

/** Conditions on the target are about partial indexes, which cannot be one on Spanner. */
function refuseOtherParts(config: Conflict): void {
  const unknown = Object.keys(config).find((name) => !['target', 'set', 'setWhere'].includes(name))
  if (unknown === undefined) return
  throw new IsothermError('UNSUPPORTED_FEATURE', `Spanner does not support ${unknown} for a conflict.`, {
    fix: 'Use setWhere for a condition on the existing row.',
  })
}

/** An insert that does not know its rows yet. */
export class InsertBuilder {
  static readonly [entityKind]: string = 'SpannerInsertBuilder'
  readonly #setup: WriteSetup

  constructor(setup: WriteSetup) {
    checkTarget('db.insert', setup.table)
    this.#setup = setup
  }

  /** @throws {IsothermError} `UNSUPPORTED_FEATURE` always: programs without a compiler may try. */
  overridingSystemValue(): never {
    throw new IsothermError('UNSUPPORTED_FEATURE', 'Spanner has no OVERRIDING SYSTEM VALUE.', {
      fix: 'Give the column a value in values(): an identity column of GoogleSQL takes it.',
    })
  }

  /**
   * @throws {IsothermError} `INVALID_VALUE` for a value that is not a row, `INVALID_QUERY` without rows and for a property
   * that is not a column.
   */
  values(values: Fields | readonly Fields[]): InsertQuery {
    return new InsertQuery(this.#setup, insertedRows(this.#setup.table, values))
  }

  select(source: SQLWrapper | ((qb: QueryBuilder) => SQLWrapper)): InsertQuery {
    const query = typeof source === 'function' ? source(new QueryBuilder(this.#setup.dialect)) : source
    return new InsertQuery(this.#setup, query)
  }
}

class InsertQuery extends WriteQuery {
  static override readonly [entityKind]: string = 'SpannerInsert'
  protected readonly kind = 'insert'
  protected readonly hasOwnValues: boolean
  readonly #rows: readonly Fields[] | SQLWrapper
  readonly #columns: readonly (readonly [property: string, column: Column])[]
  /** Columns whose values the client makes if a row leaves them out. */
  readonly #made: readonly (readonly [property: string, column: Column])[]
  /** Fills in the keys that rows leave out. */
  readonly #keys: TableKeys | undefined
  #verb: InsertConfig['verb'] = 'insert'
  #onConflict: SQL | undefined

  constructor(setup: WriteSetup, rows: readonly Fields[] | SQLWrapper) {
    super(setup)
    this.#rows = rows
    this.#columns = insertableColumns(setup.table)
    this.#made = this.#columns.filter(([, { defaultFn, onUpdateFn, default: own }]) => {
      return defaultFn !== undefined || (onUpdateFn !== undefined && own === undefined)
    })
    this.#keys = keysOf(setup.table, setup.dialect.namedBy)
    this.hasOwnValues = isRows(rows) && (this.#made.length > 0 || this.#keys !== undefined)
  }

  orUpdate(): this {
    this.#keys?.refuseUpsert()
    this.#verb = 'insert or update'
    return this
  }

  orIgnore(): this {
    this.#verb = 'insert or ignore'
    return this
  }

  onConflictDoNothing(config: { readonly target?: ConflictTarget } = {}): this {
    const { table, dialect } = this.setup
    if (isPrimaryKey(table, config.target)) return this.orIgnore()
    this.#onConflict = conflictSql(table, config, dialect.columnName)
    return this
  }

  onConflictDoUpdate(config: {
    readonly target: ConflictTarget
    readonly set: Fields
    readonly setWhere?: SQL
  }): this {
    const { table, dialect } = this.setup
    // Without it the conflict would do nothing.
    const set = checkedRow(table, config.set, 'change')
    this.#onConflict = conflictSql(table, { ...config, set }, dialect.columnName)
    return this
  }

  protected build(execution?: Execution): SQL {
    const { table, dialect, with: subqueries } = this.setup
    return dialect.buildInsert({
      with: subqueries,
      table,
      ...(isRows(this.#rows) ? this.#written(this.#rows, execution) : this.#selected(this.#rows)),
      verb: this.#verb,
      onConflict: this.#onConflict,
      ...(this.returned && { returning: this.returned }),
      ...(this.hint && { statementHint: this.hint }),
    })
  }

  #selected(query: SQLWrapper): Pick<InsertConfig, 'columns' | 'rows'> {
    const all = this.#columns.map(([property]) => property)
    this.#keys?.refuseQuery(isSelect(query) ? Object.keys(query.getSelectedFields()) : all)
    if (!isSelect(query)) return { columns: all, rows: query.getSQL() }
    const columns = Object.keys(query.getSelectedFields())
    const unknown = columns.find((property) => !all.includes(property))
    if (unknown !== undefined) {
      throw new IsothermError(
        'INVALID_QUERY',
        `${nameOf(this.setup.table)} has no column ${unknown} to insert into.`,
        {
          fix: `Name the fields of the query after its columns: ${all.join(', ')}.`,
        },
      )
    }
    return { columns, rows: query.getSQL() }
  }

  protected override supply(
    values?: Readonly<Record<string, unknown>>,
  ): ReturnType<TableKeys['supply']> | undefined {
    return isRows(this.#rows)
      ? this.#keys?.supply(this.#bound(this.#rows, values), this.setup.session?.transactionScope)
      : undefined
  }

  #written(
    inputRows: readonly Fields[],
    execution: Execution | undefined,
  ): Pick<InsertConfig, 'columns' | 'rows'> {
    const known = this.#bound(inputRows, execution?.values)
    const made = this.#made.length > 0 ? known.map((row) => this.#withMade(row)) : known
    const rows =
      this.#keys?.fill(made, { supplies: execution?.supplies, isSketch: execution === undefined }) ?? made
    const columns = this.#named(rows)
    return { columns, rows: rows.map((row) => columns.map((property) => row[property])) }
  }

  #bound(rows: readonly Fields[], values: Readonly<Record<string, unknown>> | undefined): readonly Fields[] {
    return values && this.hasOwnValues ? rows.map((row) => bound(row, values)) : rows
  }

  #withMade(row: Fields): Fields {
    const complete: Record<string, unknown> = { ...row }
    for (const [property, { defaultFn, onUpdateFn }] of this.#made) {
      if (complete[property] === undefined) complete[property] = (defaultFn ?? onUpdateFn)?.()
    }
    return complete
  }

  /** The columns that a row has a value for; what no row has is the database's to fill in. */
  #named(rows: readonly Fields[]): readonly string[] {
    const columns = this.#columns.map(([property]) => property)
    const named = columns.filter((property) => rows.some((row) => row[property] !== undefined))
    // An insert needs at least one column.
    if (named.length === 0) return columns.slice(0, 1)
    if (this.#verb === 'insert or update') this.#refuseDefaults(rows, named)
    return named
  }

  /** A default would replace an existing value. */
  #refuseDefaults(rows: readonly Fields[], named: readonly string[]): void {
    for (const property of named) {
      if (rows.every((row) => row[property] !== undefined)) continue
      throw new IsothermError(
        'INVALID_QUERY',
        `Some rows of orUpdate() have a ${property}, and others do not.`,
        {
          fix: 'Give each row the same columns, or insert them by two statements.',
        },
      )
    }
  }
}

function isRows(rows: readonly Fields[] | SQLWrapper): rows is readonly Fields[] {
  return Array.isArray(rows)
}

/** A row with the values of its placeholders. */
function bound(row: Fields, values: Readonly<Record<string, unknown>>): Fields {
  const filled: Record<string, unknown> = {}
  for (const property of Object.keys(row)) filled[property] = boundValue(row[property], values)
  return filled
}

function boundValue(value: unknown, values: Readonly<Record<string, unknown>>): unknown {
  const placeholder = is(value, Param) ? value.value : value
  // A placeholder without a value is left as it is: binding the parameters reports it.
  return is(placeholder, Placeholder) && Object.hasOwn(values, placeholder.name)
    ? values[placeholder.name]
    : value
}
