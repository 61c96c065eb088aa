import './metadata.js'
import { IsothermError } from '../errors.js'
import { userTypeKey, type UserTypeDefinition } from '../model/user-type.js'
import { inheritedRecording } from './recorder.js'
import { identityOf, type ClassDecorator } from './table.js'

/**
 * Makes a class a type of one's own: a value of several fields, for `@Column.udt` and inside of collections. Its fields are
 * declared by `@Column`; what is composite in it is stored as one value. Rows show a plain object.
 *
 * Source: https://cassandra.apache.org/doc/latest/cassandra/developing/cql/types.html#udts
 *
 * @throws {IsothermError} `SCHEMA_INVALID` without a name, on something else than a class, or twice on one.
 * @example
 * \@UserType('address')
 * class Address {
 *   \@Column.string() street!: string
 *   \@Column.ascii({ nullable: true }) zip!: string | null
 * }
 */
export function UserType(name: string): ClassDecorator {
  return (target, context) => {
    const identity = identityOf('UserType', target, context)
    if (typeof name !== 'string' || name === '') {
      throw new IsothermError('SCHEMA_INVALID', `@UserType on ${target.name} has no name.`, {
        fix: `Write @UserType('${target.name}').`,
      })
    }
    if (Object.hasOwn(target, userTypeKey)) {
      throw new IsothermError('SCHEMA_INVALID', `${target.name} has @UserType twice.`, {
        fix: 'A class is one type: keep one of the two, or declare another class.',
      })
    }
    let definition: UserTypeDefinition | undefined
    const define = (): UserTypeDefinition => {
      definition ??= { name, fields: [...inheritedRecording(identity).columns.values()] }
      return definition
    }
    Object.defineProperty(target, userTypeKey, { value: define })
  }
}
