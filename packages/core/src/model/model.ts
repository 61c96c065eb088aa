import { type RecordedBy, foreignFormat } from '../copies.js'
import { IsothermError, shown } from '../errors.js'
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
  return define && readable(define() as TableDefinition, model)
}

/** Whether a value is a model: a class with `@Table`, or what `defineTable` returned. Never throws. */
export function isModel(value: unknown): value is object {
  return ownFunction(value, definitionKey) !== undefined
}

/** A function that is a value's own, and not inherited: a subclass without its own @Table is not the same table. */
export function ownFunction(value: unknown, key: string): (() => object) | undefined {
  if (typeof value !== 'function' && (typeof value !== 'object' || value === null)) return undefined
  try {
    const found: unknown = Object.getOwnPropertyDescriptor(value, key)?.value
    return typeof found === 'function' ? (found as () => object) : undefined
  } catch {
    // A proxy may throw whatever it is asked.
    return undefined
  }
}

/** @throws {IsothermError} `SCHEMA_INVALID` for a definition of another format, which this copy would misread. */
export function readable<Definition extends RecordedBy>(definition: Definition, model: unknown): Definition {
  const foreign = foreignFormat(definition)
  if (!foreign) return definition
  throw new IsothermError('SCHEMA_INVALID', `${modelName(model)} ${foreign.message}`, { fix: foreign.fix })
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
