import { IsothermError } from '../errors.js'
import type { ColumnPatch } from '../model/column.js'
import { decoratedBy } from './decorated.js'
import { recordColumn } from './recorder.js'

/** What no field and no context is: the compiler shows the reason as the name of a property that is missing. */
type Refused<Reason extends string, Column = never> = { readonly [Each in Reason]: Column }

type DoesNotFit<Column> = Refused<'the type of this field does not fit its column, which holds', Column>

type PublicFields = 'a column must be a public field: not private, protected or static, and named by a string'
type RequiredFields =
  'a column must not be an optional field: write ! for ?, and | null if the column is nullable'

/**
 * Some columns take fields of any type, and a field of type `any` fits every column. `null extends Value` says whether the
 * field admits NULL: a nullable column needs it, another must not have it.
 */
type Fits<Value, Accepted> = unknown extends Accepted
  ? unknown
  : 0 extends 1 & Value
    ? unknown
    : [Value] extends [Accepted]
      ? null extends Accepted
        ? null extends Value
          ? unknown
          : DoesNotFit<Accepted>
        : unknown
      : DoesNotFit<Accepted>

/**
 * `keyof` leaves private and protected fields out, as the types of rows do. An optional field is found by its modifier:
 * its type has no `undefined` under `exactOptionalPropertyTypes`, nor without `strictNullChecks`.
 */
type FieldFits<This, Name, Value, Accepted> = This extends abstract new (...args: never) => unknown
  ? Refused<PublicFields>
  : Name extends keyof This & string
    ? This extends Readonly<Record<Name, unknown>>
      ? Fits<Value, Accepted>
      : Refused<RequiredFields>
    : Refused<PublicFields>

/** A name that is not a literal, as in a decorator that calls another, says nothing of the field. */
type ContextFits<Context, Accepted> = Context extends ClassFieldDecoratorContext<infer This, infer Value> & {
  readonly name: infer Name
}
  ? string extends Name
    ? Fits<Value, Accepted>
    : FieldFits<This, Name, Value, Accepted>
  : unknown

type PropertyFits<Target, Name, Accepted> = Name extends PropertyKey
  ? string extends Name
    ? unknown
    : FieldFits<Target, Name, Name extends keyof Target ? Target[Name] : never, Accepted>
  : unknown

/**
 * A property decorator for both of TypeScript's modes, distinguished by the second argument: a context, or the name of the
 * property. In either mode the compiler checks that the field is public and required, and its type against the column's type.
 * One signature, not two: of several, TypeScript 7 says only why the last does not match.
 */
export interface FieldDecorator<Accepted> {
  <Target, Second extends PropertyKey | ClassFieldDecoratorContext>(
    target: Target & PropertyFits<Target, Second, Accepted>,
    second: Second & ContextFits<Second, Accepted>,
  ): void
}

interface ReflectMetadata {
  getMetadata?: (key: string, target: object, property: string) => unknown
}

export function fieldDecorator<Accepted>(
  decoratorName: string,
  /** @param designType what `emitDecoratorMetadata` wrote for the property: under legacy decorators only */
  patch: (where: string, designType: unknown) => ColumnPatch,
): FieldDecorator<Accepted> {
  return (target: unknown, second: unknown, third?: unknown): void => {
    const decorated = decoratedBy(decoratorName, target, second, third)
    if (decorated.is !== 'field') {
      throw new IsothermError('SCHEMA_INVALID', `@${decoratorName} stands on ${decorated.on}.`, {
        fix: 'Put it on a public field, such as `id!: string`, of a class that has @Table.',
        ...(decorated.member !== undefined && { column: decorated.member }),
      })
    }
    const { identity, isLegacy, member } = decorated
    const designType = isLegacy
      ? (Reflect as ReflectMetadata).getMetadata?.('design:type', identity, member)
      : undefined
    recordColumn(identity, member, patch(member, designType))
  }
}
