import { IsothermError } from '../errors.js'
import type { Dialect } from '../dialects/dialect.js'
import type { TableLayout } from '../dialects/layout.js'
import { definitionOf, modelName } from '../model/model.js'
import { findTable, type Schema } from '../model/schema.js'
import type { Table } from '../model/table.js'
import { rowCodec, type RowCodec } from './codec.js'
import type { Observer } from '../observability/observer.js'
import type { TableSkew } from '../observability/skew.js'
import { InsertPlan } from './insert-plan.js'

/** What one table needs at run time, compiled when it is first used. */
export interface CompiledTable {
  readonly dialect: Dialect
  readonly layout: TableLayout
  readonly codec: RowCodec
  readonly insertPlan: InsertPlan
  /** Sees what becomes hot; absent where nobody watches. */
  readonly skew?: TableSkew
}

/** The tables of one schema, by model or by name. */
export class CompiledTables {
  readonly #schema: Schema
  readonly #dialect: Dialect
  readonly #observer: Observer | undefined
  readonly #layouts: ReadonlyMap<string, TableLayout>
  readonly #compiled = new Map<object | string, CompiledTable>()

  /** @throws {IsothermError} `UNSUPPORTED` for what the dialect cannot lay out: now, rather than when a table is used. */
  constructor(schema: Schema, dialect: Dialect, observer?: Observer) {
    this.#observer = observer
    this.#schema = schema
    this.#dialect = dialect
    this.#layouts = new Map(schema.tables.map((table) => [table.name, dialect.layout(table, schema)]))
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
      throw new IsothermError(
        'UNKNOWN_TABLE',
        `${typeof model === 'string' ? JSON.stringify(model) : modelName(model)} is not a table of this schema.`,
        {
          fix: `The schema has ${this.#schema.tables.map((each) => each.name).join(', ')}: pass it to defineSchema too.`,
        },
      )
    }
    const layout = this.#layouts.get(table.name)!
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
