import { shown } from '../errors.js'
import type { TableDefinition } from './table.js'

/**
 * Under this property a model (a decorated class, or what `defineTable` returns) carries its definition. From the
 * global registry, so that two copies of this package in one process understand each other.
 */
export const definitionKey: unique symbol = Symbol.for('isotherm.definition')

interface DefinitionCarrier {
  readonly [definitionKey]: () => TableDefinition
}

declare const rowType: unique symbol

/** What `defineTable` returns: a table without a class. */
export interface TableModel<Fields> extends DefinitionCarrier {
  readonly [rowType]?: Fields
}

/** A decorated class, or what `defineTable` returned. */
export type Model<Fields> = (abstract new (...args: never[]) => Fields) | TableModel<Fields>

/** The definition of a model; undefined for anything else. */
export function definitionOf(model: unknown): TableDefinition | undefined {
  return isModel(model) ? (model as DefinitionCarrier)[definitionKey]() : undefined
}

/** Whether a value is a model: a class with `@Table`, or what `defineTable` returned. Never throws. */
export function isModel(value: unknown): value is object {
  if (typeof value !== 'function' && (typeof value !== 'object' || value === null)) return false
  try {
    // An own property: a subclass without its own @Table is not the same table.
    return typeof Object.getOwnPropertyDescriptor(value, definitionKey)?.value === 'function'
  } catch {
    // A proxy may throw whatever it is asked.
    return false
  }
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
