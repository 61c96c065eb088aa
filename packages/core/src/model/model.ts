import { shown } from '../errors.js'
import { ownFunction, readable } from './carried.js'
import type { TableDefinition } from './table.js'

/**
 * Under this property a model (a decorated class, or what `defineTable` returns) carries its definition. A text, since two
 * copies of this package have types of their own for a symbol: a model of one would not fit the calls of the other.
 */
export const definitionKey = '~isotherm.definition'

/** What `defineTable` returns: a table without a class. */
export interface TableModel<Fields> {
  readonly [definitionKey]: () => object
  readonly '~isotherm.fields'?: Fields
}

/** A decorated class, or what `defineTable` returned. */
export type Model<Fields> = (abstract new (...args: never[]) => Fields) | TableModel<Fields>

/**
 * The definition of a model; undefined for anything else.
 *
 * @throws {IsothermError} `SCHEMA_INVALID` for a model of another version of this package that this one cannot read.
 */
export function definitionOf(model: unknown): TableDefinition | undefined {
  const define = ownFunction(model, definitionKey)
  return define && readable(define() as TableDefinition, modelName(model))
}

/** Whether a value is a model: a class with `@Table`, or what `defineTable` returned. Never throws. */
export function isModel(value: unknown): value is object {
  return ownFunction(value, definitionKey) !== undefined
}

/** The name of a model in messages, or a description of another value. */
export function modelName(model: unknown): string {
  if (typeof model === 'string') return shown(model)
  try {
    const { name } = (model ?? {}) as { name?: unknown }
    if (typeof name === 'string' && name !== '') return name
  } catch {
    // As above.
  }
  return (typeof model === 'object' && model !== null) || typeof model === 'function'
    ? 'this object'
    : shown(model)
}
