import type { TableDefinition } from './table.js'

/**
 * Under this property a model (a decorated class, or what `defineTable` returns) carries its definition. From the
 * global registry, so that two copies of this package in one process understand each other.
 */
export const definitionKey: unique symbol = Symbol.for('isotherm.definition') as never

export interface DefinitionCarrier {
  readonly [definitionKey]: () => TableDefinition
}

declare const rowType: unique symbol

/** What `defineTable` returns: a table without a class. */
export interface TableModel<Fields> extends DefinitionCarrier {
  readonly [rowType]?: Fields
}

/** A decorated class, or what `defineTable` returned. */
export type Model<Fields> = (abstract new (...args: never[]) => Fields) | TableModel<Fields>

export function definitionOf(model: object): TableDefinition | undefined {
  // An own property: a subclass without its own @Table is not the same table.
  if (model === undefined || model === null || !Object.hasOwn(model, definitionKey)) return undefined
  return (model as DefinitionCarrier)[definitionKey]()
}

/** Whether a value is a model: a class with `@Table`, or what `defineTable` returned. */
export function isModel(value: unknown): value is object {
  return (
    (typeof value === 'function' || (typeof value === 'object' && value !== null)) &&
    Object.hasOwn(value, definitionKey)
  )
}

export function modelName(model: object): string {
  const { name } = (model ?? {}) as { name?: unknown }
  return typeof name === 'string' && name !== '' ? name : 'this object'
}
