// Compiled under experimentalDecorators with emitDecoratorMetadata, never run. What both modes have in common is in
// fields.ts.
import { Column, Key, Table, UuidV4, type Generated } from '@isotherm/core'

type Any = ReturnType<typeof JSON.parse>

@Table('LegacyOnly')
export class LegacyOnly {
  @Key()
  @Column()
  inferredString!: string

  @Column()
  inferredBigint!: bigint

  @Column({ nullable: false, name: 'created_at' })
  inferredDate!: Date

  @Column.string({ length: 10 })
  withInitializer = ''

  // @ts-expect-error: the initializer makes this field a number
  @Column.int64()
  inferredNumber = 7

  // @ts-expect-error: a method is not a field
  @Column.string()
  method(): string {
    return ''
  }
}

// @ts-expect-error: a class is not a field
@Key()
export class KeyOnClass {}

export class TableOnField {
  // @ts-expect-error: a field is not a class
  @Table('TableOnField')
  field!: string
}

enum Color {
  Red = 'red',
}

export class Inferred {
  @Column()
  color!: Color

  @Column()
  any!: Any
}

/** Decorators that call others, with what the compiler gave them. */
export const each =
  (...decorators: readonly PropertyDecorator[]): PropertyDecorator =>
  (target, name) => {
    for (const decorator of decorators) decorator(target, name)
  }
export const slug = (target: object, name: string): void => Column.string({ length: 64 })(target, name)

const computed = 'computed'

export class Combined {
  @each(Key(), Column.string())
  id!: string

  @slug
  slug!: string

  @Column.string()
  readonly [computed]!: string

  @Column.string()
  declare declared: string
}

@Table('Abstract')
export abstract class Abstract {
  @Column.string()
  abstract name: string

  @UuidV4()
  id!: Generated<string>
}
