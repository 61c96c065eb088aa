import './metadata.js'
import { RECORDED_BY } from '../copies.js'
import { IsothermError } from '../errors.js'
import { definitionKey } from '../model/model.js'
import { originOf } from '../model/origin.js'
import type { TableDefinition, TableOptions } from '../model/table.js'
import { refuseBare } from './bare.js'
import { decoratedBy } from './decorated.js'
import { inheritedRecording, recordingOf } from './recorder.js'
import type { IndexOptions } from '../model/secondary-index.js'
import { type UserTypeDefinition, userTypeKey } from '../model/user-type.js'

/**
 * A class decorator for both of TypeScript's modes: the context is absent under `experimentalDecorators`. The compiler checks
 * that the class has the properties that it names.
 */
type ClassDecorator<Property extends string = never> = <
  Class extends abstract new (...args: never[]) => { readonly [Name in Property]: unknown },
>(
  target: Class,
  context?: ClassDecoratorContext<Class>,
) => void

/**
 * What identifies a class to the recorder, in either mode.
 *
 * @throws {IsothermError} `SCHEMA_INVALID` where something else than a class is decorated: not every compiler refuses that.
 */
function identityOf(decoratorName: string, target: unknown, second: unknown, third: unknown): object {
  const decorated = decoratedBy(decoratorName, target, second, third)
  if (decorated.is === 'class') return decorated.identity
  const { on, member } = decorated
  throw new IsothermError('SCHEMA_INVALID', `@${decoratorName} stands on ${on}.`, {
    fix: decoratorName === 'Index' ? 'Put it on the class that has @Table.' : 'Put it on a class.',
    ...(member !== undefined && { column: member }),
  })
}

/**
 * Makes a class a model of the table `name`.
 *
 * @example
 * \@Table('Order', { interleaveIn: () => Customer, onDelete: 'cascade' })
 * class Order { … }
 */
export function Table<const Property extends string = never>(
  name: string,
  options: TableOptions<Property> = {},
): ClassDecorator<Property> {
  refuseBare('Table', arguments)
  const origin = originOf(Table)
  return (target, context, third?: unknown) => {
    const identity = identityOf('Table', target, context, third)
    if (typeof name !== 'string' || name === '') {
      throw new IsothermError('SCHEMA_INVALID', `@Table on ${target.name} has no name.`, {
        fix: `Write @Table('${target.name}').`,
      })
    }
    if (Object.hasOwn(target, definitionKey)) {
      throw new IsothermError('SCHEMA_INVALID', `${target.name} has @Table twice.`, {
        fix: 'A class is one table: keep one of the two, or declare another class.',
      })
    }
    let definition: TableDefinition | undefined
    // Read when a schema is made, not now: class decorators that stand above @Table have yet to run.
    const define = (): TableDefinition => {
      if (!definition) {
        const { columns, indexes } = inheritedRecording(target, identity)
        definition = { ...RECORDED_BY, name, options, columns, indexes, origin }
      }
      return definition
    }
    Object.defineProperty(target, definitionKey, { value: define })
  }
}

/**
 * A secondary index. Stands on the class, above or below `@Table`.
 *
 * @example
 * \@Table('Order')
 * \@Index({ on: ['customerId', { property: 'orderedAt', order: 'desc' }], storing: ['total'] })
 * class Order { … }
 */
export function Index<const Property extends string>(
  options: IndexOptions<Property>,
): ClassDecorator<Property> {
  refuseBare('Index', arguments)
  return (target, context, third?: unknown) => {
    recordingOf(identityOf('Index', target, context, third), target.name).indexes.unshift(options)
  }
}

/**
 * Makes a class a user type: a value of several fields, for `@Column.udt` and inside of collections. Its fields are
 * declared by `@Column`; composite fields are stored as one value. Rows show a plain object.
 *
 * Source: https://cassandra.apache.org/doc/latest/cassandra/developing/cql/types.html#udts
 *
 * @throws {IsothermError} `SCHEMA_INVALID` without a name, on anything other than a class, or twice on one.
 * @example
 * \@UserType('address')
 * class Address {
 *   \@Column.string() street!: string
 *   \@Column.ascii({ nullable: true }) zip!: string | null
 * }
 */
export function UserType(name: string): ClassDecorator {
  refuseBare('UserType', arguments)
  const origin = originOf(UserType)
  return (target, context, third?: unknown) => {
    const identity = identityOf('UserType', target, context, third)
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
      definition ??= { ...RECORDED_BY, name, fields: inheritedRecording(target, identity).columns, origin }
      return definition
    }
    Object.defineProperty(target, userTypeKey, { value: define })
  }
}
