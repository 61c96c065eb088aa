import { IsothermError } from '../errors.js'
import type { ColumnPatch } from '../model/column.js'
import { decoratedBy } from './decorated.js'
import { recordColumn } from './recorder.js'

/** Shown by the compiler where a field's type does not fit its column. */
interface FieldTypeDoesNotFit<Column> {
  readonly 'the type of this field does not fit its column, which holds': Column
}

/** Whether a column takes fields of any type. A field of type `any` fits every column. */
type Anything<T> = unknown extends T ? true : false

/** `null extends Value` says whether the field admits NULL: a nullable column needs it, another must not have it. */
type Fits<Value, Accepted> =
  Anything<Accepted> extends true
    ? unknown
    : 0 extends 1 & Value
      ? unknown
      : [Value] extends [Accepted]
        ? null extends Accepted
          ? null extends Value
            ? unknown
            : FieldTypeDoesNotFit<Accepted>
          : unknown
        : FieldTypeDoesNotFit<Accepted>

/**
 * A property decorator for both of TypeScript's modes, distinguished by the second argument. In either mode the compiler
 * checks the field's type against the column's type.
 */
export interface FieldDecorator<Accepted> {
  <This, Value>(
    value: undefined,
    context: ClassFieldDecoratorContext<This, Value> & Fits<Value, Accepted>,
  ): void
  <This extends object, Property extends keyof This>(
    target: This & Fits<This[Property], Accepted>,
    property: Property,
  ): void
}

/** The type that `emitDecoratorMetadata` wrote for a property: known under legacy decorators only. */
export type DesignType = ((...args: never[]) => unknown) | undefined

interface ReflectMetadata {
  getMetadata?: (key: string, target: object, property: string) => DesignType
}

export function fieldDecorator<Accepted>(
  decoratorName: string,
  patch: (where: string, designType: DesignType) => ColumnPatch,
): FieldDecorator<Accepted> {
  return (target: object | undefined, second: unknown, third?: unknown): void => {
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
