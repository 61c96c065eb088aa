import { IsothermError, shown } from '../errors.js'
import type { OptionMistake } from '../options.js'
import type { ColumnDefinition } from './column.js'
import { isFrozen, isComposite, type ColumnType, type ElementType, type UdtType } from './column-type.js'

/**
 * Under this property a user type (a class with `@UserType`, or what `defineUserType` returns) carries its definition. From
 * the global registry, so that two copies of this package in one process understand each other.
 */
export const userTypeKey: unique symbol = Symbol.for('isotherm.userType')

/** A user type as declared: nothing is checked. */
export interface UserTypeDefinition {
  readonly name: string
  readonly fields: readonly ColumnDefinition[]
  /** The mistakes in its arguments: `defineSchema` refuses it. */
  readonly mistakes?: readonly OptionMistake[]
}

declare const valueType: unique symbol

/** What `defineUserType` returns: a user type without a class. */
export interface UserTypeModel<Fields = unknown> {
  readonly [userTypeKey]: () => UserTypeDefinition
  readonly [valueType]?: Fields
}

/** A class with `@UserType`, or what `defineUserType` returned. */
export type UserTypeSource<Fields = unknown> =
  | UserTypeModel<Fields>
  | (abstract new (...args: never[]) => Fields)

export function userTypeOf(model: unknown): UserTypeDefinition | undefined {
  if ((typeof model !== 'object' && typeof model !== 'function') || model === null) return undefined
  try {
    // An own property: a subclass without its own @UserType is not the same type.
    const define: unknown = Object.getOwnPropertyDescriptor(model, userTypeKey)?.value
    return typeof define === 'function' ? (model as UserTypeModel)[userTypeKey]() : undefined
  } catch {
    // A proxy may throw whatever it is asked.
    return undefined
  }
}

/** The type of a column that holds values of a user type. @throws {IsothermError} `SCHEMA_INVALID` for anything else. */
export function udtType(model: UserTypeSource): UdtType {
  const definition = userTypeOf(model)
  if (definition) return { kind: 'udt', name: definition.name }
  throw new IsothermError('SCHEMA_INVALID', `${shown(model)} is not a user type.`, {
    fix: 'Decorate the class with @UserType(name), or pass what defineUserType returned.',
  })
}

/** The same type as one value: what stands inside another type has no other way to be stored. */
export function frozenType(type: ColumnType): ElementType {
  if (!isComposite(type) || isFrozen(type)) return type
  return { ...type, frozen: true }
}
