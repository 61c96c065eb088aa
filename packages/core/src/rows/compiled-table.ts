import { present } from '../known.js'
import { IsothermError } from '../errors.js'
import type { DialectRuntime } from '../engine/dialect.js'
import type { Driver, RowWrites, TransactionContext } from '../engine/driver.js'
import type { Limits } from '../engine/retries.js'
import type { TableLayout } from '../layout/layout.js'
import { definitionOf, modelName } from '../model/model.js'
import { type Schema, findTable } from '../model/schema.js'
import type { Table } from '../model/table.js'
import { type PlainRow, type RowCodec, rowCodec } from '../engine/codec.js'
import type { Observer } from '../observability/observer.js'
import type { TableSkew } from '../observability/skew.js'
import { InsertPlan } from './insert-plan.js'

/** A table's data for run time, compiled when it is first used. */
export interface CompiledTable {
  readonly dialect: DialectRuntime
  readonly layout: TableLayout
  readonly codec: RowCodec
  readonly insertPlan: InsertPlan
  /** Detects hotspots; absent where there are no listeners. */
  readonly skew?: TableSkew
}

/** The tables of one schema, by model or by name. */
export class CompiledTables {
  readonly #schema: Schema
  readonly #dialect: DialectRuntime
  readonly #observer: Observer | undefined
  readonly #layouts: ReadonlyMap<string, TableLayout>
  readonly #compiled = new Map<object | string, CompiledTable>()

  /** @throws {IsothermError} `UNSUPPORTED_MODEL` for what the dialect cannot lay out: now, rather than when a table is used. */
  constructor(schema: Schema, dialect: DialectRuntime, observer?: Observer) {
    this.#observer = observer
    this.#schema = schema
    this.#dialect = dialect
    this.#layouts = new Map(schema.tables.map((table) => [table.name, dialect.layout(table, schema)]))
    for (const layout of this.#layouts.values()) dialect.refuseUnread?.(layout)
  }

  /** The tables of the schema. */
  get declared(): readonly Table[] {
    return this.#schema.tables
  }

  /** @throws {IsothermError} `UNKNOWN_TABLE` for a model or name that is not in the schema. */
  of(model: object | string): CompiledTable {
    const known = this.#compiled.get(model)
    if (known) return known
    const name = typeof model === 'string' ? model : definitionOf(model)?.name
    const table = name === undefined ? undefined : findTable(this.#schema, name)
    if (!table) {
      throw new IsothermError('UNKNOWN_TABLE', `${modelName(model)} is not a table of this schema.`, {
        fix: `The schema has ${this.#schema.tables.map((each) => each.name).join(', ')}. Name one of them, or pass the model to defineSchema too.`,
      })
    }
    const layout = present(this.#layouts.get(table.name), `layout of ${table.name}`)
    const compiled = {
      dialect: this.#dialect,
      layout,
      codec: rowCodec(layout.fields),
      insertPlan: new InsertPlan(layout),
      ...(this.#observer && { skew: this.#observer.skewOf(layout) }),
    }
    this.#compiled.set(model, compiled)
    return compiled
  }
}

/** The tables of a database for reads and writes, all in the same phase. */
export interface TableView extends Pick<CompiledTables, 'of'> {
  /** The rows, without values that may belong to another table's key. */
  plain(table: CompiledTable, rows: readonly Readonly<PlainRow>[]): readonly Readonly<PlainRow>[]
  /** How their rows are committed. */
  readonly writes: RowWrites
  /** For the work of a transaction: how it writes rows, and what it sees before its commit. */
  transaction(context: TransactionContext): {
    readonly context: TransactionContext
    /** @throws {IsothermError} for what may not be committed. */
    beforeCommit(): void | Promise<void>
  }
}

/** Says which tables are read and written. */
export interface TableResolver {
  /**
   * The current tables: a promise only if the phase has to be read first, within the limits of the call that waits for it.
   */
  current(limits: Limits): TableView | Promise<TableView>
  /** The same without a wait. @throws {IsothermError} `UNAVAILABLE` where it is not known yet. */
  readonly now: TableView
}

/** Makes a resolver of a database's tables: see `dualWrites`. */
export type TablesOf = (tables: CompiledTables, driver: Driver) => TableResolver

/** Each model is its own table, for good. */
export const tablesAsTheyAre: TablesOf = (tables, { writes }) => {
  const now: TableView = {
    of: (model) => tables.of(model),
    plain: (_, rows) => rows,
    writes,
    transaction: (context) => ({ context, beforeCommit() {} }),
  }
  return { now, current: () => now }
}
