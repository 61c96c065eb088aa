import { type RecordedBy, foreignFormat } from '../copies.js'
import { IsothermError } from '../errors.js'

// Models and user types carry their definitions as functions of their own.

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
export function readable<Definition extends RecordedBy>(definition: Definition, owner: string): Definition {
  const foreign = foreignFormat(definition)
  if (!foreign) return definition
  throw new IsothermError('SCHEMA_INVALID', `${owner} ${foreign.message}`, { fix: foreign.fix })
}
