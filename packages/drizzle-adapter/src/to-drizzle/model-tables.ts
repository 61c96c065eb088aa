import { IsothermError, isModel } from '@isotherm/core'
import type { Table } from 'drizzle-orm'
import { nameOf, renameInResults } from '../drizzle-internals.js'
import { modelShape, type ModelShape } from './model-shape.js'

/** Makes a model's table; that of another model is to be asked for when it is needed, and not before. */
export type MakeTable<T extends Table> = (shape: ModelShape, model: object) => T

/** The tables of models in one dialect, one of each. */
export class ModelTables<T extends Table> {
  readonly #make: MakeTable<T>
  readonly #tables = new WeakMap<object, T>()
  readonly #shapes = new WeakMap<object, ModelShape>()
  readonly #named = new WeakMap<Table, string>()

  constructor(make: MakeTable<T>) {
    this.#make = make
  }

  /** @throws {IsothermError} as `toDrizzle` does. */
  of(model: object): T {
    let table = this.#tables.get(model)
    if (!table) this.#tables.set(model, (table = this.#make(this.shapeOf(model), model)))
    return table
  }

  shapeOf(model: object): ModelShape {
    let shape = this.#shapes.get(model)
    if (!shape) this.#shapes.set(model, (shape = modelShape(model)))
    return shape
  }

  /** What `toDrizzle` is given: a model, perhaps with a name, or models by their names. */
  given(models: object, options: { readonly name?: string } | undefined): unknown {
    if (isModel(models) || typeof models !== 'object')
      return options?.name === undefined ? this.of(models) : this.#called(models, options.name)
    return Object.fromEntries(
      Object.entries(models).map(([name, model]) => [name, this.#called(model as object, name)]),
    )
  }

  #called(model: object, name: string): T {
    const table = this.of(model)
    const before = this.#named.get(table)
    if (before !== undefined && before !== name) {
      throw new IsothermError(
        'UNSUPPORTED',
        `The table ${nameOf(table)} would be called ${name} in the results of joins, and is called ${before} already.`,
        { fix: `Use one name for it everywhere, or alias(table, '${name}').`, table: nameOf(table) },
      )
    }
    this.#named.set(table, name)
    renameInResults(table, name)
    return table
  }
}
