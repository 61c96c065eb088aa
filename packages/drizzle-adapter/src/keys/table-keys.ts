import { IsothermError } from '@isotherm/core'
import {
  COMMIT_TIMESTAMP,
  EXPRESSION,
  keyMaker,
  SCOPE,
  type KeyMaker,
  type Supplies,
  type TransactionScope,
  present,
} from '@isotherm/core/adapter'
import { is, Placeholder, SQL, StringChunk, type Casing, type Column, type Table } from 'drizzle-orm'
import { columnsOf, nameOf } from '../drizzle-internals.js'
import { fromCore, isPlaceholder, needsDatabase, refusedText, toCore } from './column-values.js'
import { kindOf } from '../schema/kinds.js'
import { keySchema } from './table-schema.js'

type Row = Readonly<Record<string, unknown>>

interface FillOptions {
  /** Numbers of the application's counters. */
  readonly supplies?: Supplies | undefined
  /** Fill in keys only: what else a row leaves out stays as it is in the database. */
  readonly partial?: boolean
  /** Only the SQL is read: a value that cannot be made yet is a placeholder. */
  readonly isSketch?: boolean
}

/** The keys of a Drizzle table's rows, filled in and checked as Isotherm's own inserts do. */
export class TableKeys {
  readonly #name: string
  readonly #maker: KeyMaker
  readonly #columns: readonly (readonly [property: string, column: Column])[]
  readonly #commitTimestamp: SQL

  constructor(table: Table, maker: KeyMaker, commitTimestamp: SQL) {
    const columns = columnsOf(table)
    this.#name = nameOf(table)
    this.#maker = maker
    this.#columns = maker.properties.map((property) => [
      property,
      present(columns[property], `column ${property}`),
    ])
    this.#commitTimestamp = commitTimestamp
  }

  /**
   * Numbers of the application's counters for these rows; undefined, without a wait, where none need any.
   *
   * @param scope the transaction that writes them
   */
  supply(rows: readonly Row[], scope?: TransactionScope): Promise<Supplies> | undefined {
    return this.#maker.supply(rows, { transaction: scope && { [SCOPE]: scope } })
  }

  /**
   * Rows with the values that they leave out, and without those that the database computes.
   *
   * @throws {IsothermError} `INVALID_VALUE` for a key that would cause a hotspot, or that reads would not find.
   */
  fill(rows: readonly Row[], options: FillOptions = {}): readonly Row[] {
    return rows.map((row, position) => this.#filled(row, position, options))
  }

  /** @throws {IsothermError} `UNSUPPORTED_WRITE` where the rows of a query lack what only the client can make. */
  refuseQuery(properties: readonly string[]): void {
    this.#maker.refuseQuery(properties)
  }

  /** @throws {IsothermError} `UNSUPPORTED_WRITE` where the same key could be two rows. */
  refuseUpsert(): void {
    this.#maker.refuseUpsert()
  }

  #filled(row: Row, position: number, { supplies, partial = false, isSketch = false }: FillOptions): Row {
    const values: Record<string, unknown> = {}
    let isOpen = false
    for (const [property, column] of this.#columns) {
      const value = row[property]
      if (value === undefined) continue
      if (isPlaceholder(value)) isOpen = true
      values[property] = isPlaceholder(value) ? value : toCore(column, value)
    }
    const waits = !supplies && this.#maker.needsCounter(values)
    if (isOpen || waits) {
      if (isSketch) return this.#sketch(row, values, partial)
      // Binding the placeholders reports which of them has no value.
      if (isOpen) return row
      throw this.#mustWait()
    }
    const made = this.#made(row, values, position, { partial, supplies })
    const filled: Record<string, unknown> = { ...row }
    for (const [property, column] of this.#columns) {
      const value = made[property]
      if (value === undefined) continue
      filled[property] = value === COMMIT_TIMESTAMP ? this.#commitTimestamp : fromCore(column, value)
    }
    for (const property of this.#maker.computed) filled[property] = undefined
    return filled
  }

  #made(row: Row, values: Row, position: number, options: Pick<FillOptions, 'partial' | 'supplies'>): Row {
    try {
      return this.#maker.missing(values, position, options)
    } catch (error) {
      const found = this.#columns.find(([each]) => error instanceof IsothermError && error.column === each)
      if (!found) throw error
      const [property, column] = found
      if (values[property] !== EXPRESSION || !needsDatabase(column, row[property])) throw error
      throw refusedText(column, row[property], 'the key is computed from it by the client')
    }
  }

  #sketch(row: Row, values: Row, partial: boolean): Row {
    const filled: Record<string, unknown> = { ...row }
    for (const property of this.#maker.leftOut(values, partial)) filled[property] = new Placeholder(property)
    for (const property of this.#maker.computed) filled[property] = undefined
    return filled
  }

  #mustWait(): IsothermError {
    return new IsothermError(
      'UNSUPPORTED_WRITE',
      `${this.#name} has a key from a counter of the application, which is asynchronous.`,
      { fix: 'Use insert() and await it, or give the value.' },
    )
  }
}

const known = new WeakMap<Table, Map<Casing | undefined, TableKeys | undefined>>()

/**
 * What fills in the keys of a table; undefined where there is nothing to fill in, and nothing to refuse. Made once per table.
 *
 * @param casing the database's: a key of the parent's is found again by its name
 * @throws {SchemaError} for a table whose keys cannot be.
 */
export function keysOf(table: Table, casing: Casing | undefined): TableKeys | undefined {
  let byCasing = known.get(table)
  if (!byCasing) known.set(table, (byCasing = new Map()))
  if (!byCasing.has(casing)) byCasing.set(casing, made(table, casing))
  return byCasing.get(casing)
}

function made(table: Table, casing: Casing | undefined): TableKeys | undefined {
  const kind = kindOf(table)
  // Most tables have no such column, and need no schema.
  if (!kind || !Object.values(columnsOf(table)).some((column) => kind.mayBeMade(column))) return undefined
  const schema = keySchema(table, kind, casing)
  const maker = schema && keyMaker(schema, kind.dialect)
  return maker && new TableKeys(table, maker, kind.commitTimestamp)
}

/** Whether an expression is the commit timestamp, for which a mutation has a word of its own. */
export function isCommitTimestamp(value: unknown): boolean {
  if (!is(value, SQL) || value.queryChunks.length !== 1) return false
  const [only] = value.queryChunks
  return is(only, StringChunk) && /^(?:spanner\.)?pending_commit_timestamp\(\)$/i.test(only.value.join(''))
}
