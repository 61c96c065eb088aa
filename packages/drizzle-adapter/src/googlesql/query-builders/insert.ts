import { IsothermError } from '@isotherm/core'
import { entityKind, is, Param, Placeholder, SQL, type Column, type SQLWrapper } from 'drizzle-orm'
import { nameOf } from '../../drizzle-internals.js'
import { keysOf, type TableKeys } from '../../keys/table-keys.js'
import { givenRow } from '../../sql/given-row.js'
import type { InsertConfig } from '../sql/write-sql.js'
import { insertableColumns } from '../sql/write-sql.js'
import type { Fields } from '../../sql/fields.js'
import { conflictSql, isPrimaryKey, type ConflictTarget } from './on-conflict.js'
import { QueryBuilder } from './query-builder.js'
import { isSelect } from './select.js'
import { WriteQuery, type Execution, type WriteSetup } from './write.js'

/** An insert that does not know its rows yet. */
export class InsertBuilder {
  static readonly [entityKind]: string = 'SpannerInsertBuilder'
  readonly #setup: WriteSetup

  constructor(setup: WriteSetup) {
    this.#setup = setup
  }

  /** @throws {IsothermError} `UNSUPPORTED` always: programs without a compiler may try. */
  overridingSystemValue(): never {
    throw new IsothermError('UNSUPPORTED', 'Spanner has no OVERRIDING SYSTEM VALUE.', {
      fix: 'Give the column a value in values(): an identity column of GoogleSQL takes it.',
    })
  }

  /** @throws {IsothermError} `INVALID_QUERY` for no rows at all. */
  values(values: Fields | readonly Fields[]): InsertQuery {
    const rows = Array.isArray(values) ? (values as readonly Fields[]) : [values as Fields]
    if (rows.length === 0) {
      throw new IsothermError('INVALID_QUERY', 'There are no rows to insert.', {
        fix: 'Give values at least one, or make no insert.',
      })
    }
    return new InsertQuery(
      this.#setup,
      rows.map((row) => givenRow(this.#setup.table, row)),
    )
  }

  select(source: SQLWrapper | ((qb: QueryBuilder) => SQLWrapper)): InsertQuery {
    const query = typeof source === 'function' ? source(new QueryBuilder(this.#setup.dialect)) : source
    return new InsertQuery(this.#setup, query)
  }
}

export class InsertQuery extends WriteQuery {
  static override readonly [entityKind]: string = 'SpannerInsert'
  protected readonly kind = 'insert'
  protected readonly hasOwnValues: boolean
  readonly #rows: readonly Fields[] | SQLWrapper
  readonly #columns: readonly (readonly [property: string, column: Column])[]
  /** Columns whose values are made here where a row leaves them out. */
  readonly #made: readonly (readonly [property: string, column: Column])[]
  /** What fills in the keys that rows leave out. */
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
    this.#onConflict = conflictSql(this.setup.table, config, this.setup.dialect.columnName)
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
    given: readonly Fields[],
    execution: Execution | undefined,
  ): Pick<InsertConfig, 'columns' | 'rows'> {
    const known = this.#bound(given, execution?.values)
    const made = this.#made.length > 0 ? known.map((row) => this.#withMade(row)) : known
    const rows =
      this.#keys?.fill(made, { supplies: execution?.supplies, isSketch: execution === undefined }) ?? made
    const columns = this.#named(rows)
    return { columns, rows: rows.map((row) => columns.map((property) => row[property])) }
  }

  #bound(given: readonly Fields[], values: Readonly<Record<string, unknown>> | undefined): readonly Fields[] {
    return values && this.hasOwnValues ? given.map((row) => bound(row, values)) : given
  }

  #withMade(row: Fields): Fields {
    const complete: Record<string, unknown> = { ...row }
    for (const [property, { defaultFn, onUpdateFn }] of this.#made) {
      if (complete[property] === undefined) complete[property] = (defaultFn ?? onUpdateFn)!()
    }
    return complete
  }

  /** The columns that a row has a value for; what no row has is the database's to fill in. */
  #named(rows: readonly Fields[]): readonly string[] {
    const columns = this.#columns.map(([property]) => property)
    const named = columns.filter((property) => rows.some((row) => row[property] !== undefined))
    // Without a column there is no insert.
    if (named.length === 0) return columns.slice(0, 1)
    if (this.#verb === 'insert or update') this.#refuseDefaults(rows, named)
    return named
  }

  /** A default would take the place of a value that is there. */
  #refuseDefaults(rows: readonly Fields[], named: readonly string[]): void {
    for (const property of named) {
      if (rows.every((row) => row[property] !== undefined)) continue
      throw new IsothermError(
        'INVALID_QUERY',
        `Some rows of orUpdate() have a ${property}, and others have none.`,
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
  // One that has no value is left for whoever says so.
  return is(placeholder, Placeholder) && Object.hasOwn(values, placeholder.name)
    ? values[placeholder.name]
    : value
}
