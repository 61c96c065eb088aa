import type { RecordedBy } from '../copies.js'
import { IsothermError, shown } from '../errors.js'
import type { OptionMistake } from '../options.js'
import type { ColumnDefinition } from './column.js'
import { ownFunction, readable } from './carried.js'
import type { Origin } from './origin.js'
import { isFrozen, isComposite, type ColumnType, type ElementType, type UdtType } from './column-type.js'

/**
 * Under this property a user type (a class with `@UserType`, or what `defineUserType` returns) carries its definition. A
 * text, like `definitionKey`.
 */
export const userTypeKey = '~isotherm.userType'

/** A user type as declared: nothing is checked. */
export interface UserTypeDefinition extends RecordedBy {
  readonly name: string
  readonly fields: readonly ColumnDefinition[]
  /** The mistakes in its arguments: `defineSchema` refuses it. */
  readonly mistakes?: readonly OptionMistake[]
  readonly origin: Origin
}

/** What `defineUserType` returns: a user type without a class. */
export interface UserTypeModel<Fields = unknown> {
  readonly [userTypeKey]: () => object
  readonly '~isotherm.fields'?: Fields
}

/** A class with `@UserType`, or what `defineUserType` returned. */
export type UserTypeSource<Fields = unknown> =
  | UserTypeModel<Fields>
  | (abstract new (...args: never[]) => Fields)

/** @throws {IsothermError} `SCHEMA_INVALID` for a user type of another version of this package that this one cannot read. */
export function userTypeOf(model: unknown): UserTypeDefinition | undefined {
  const define = ownFunction(model, userTypeKey)
  return define && readable(define() as UserTypeDefinition, shown(model))
}

export const DECLARE_USER_TYPE =
  'Decorate the class with @UserType(name), or pass what defineUserType returned.'

/** The type of a column that holds values of a user type. @throws {IsothermError} `SCHEMA_INVALID` for anything else. */
export function udtType(model: UserTypeSource): UdtType {
  const definition = userTypeOf(model)
  if (definition) return { kind: 'udt', name: definition.name }
  throw new IsothermError('SCHEMA_INVALID', `${shown(model)} is not a user type.`, {
    fix: DECLARE_USER_TYPE,
  })
}

/** The same type as one value: what stands inside another type has no other way to be stored. */
export function frozenType(type: ColumnType): ElementType {
  if (!isComposite(type) || isFrozen(type)) return type
  return { ...type, frozen: true }
}
