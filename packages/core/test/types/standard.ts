// Compiled under standard decorators, never run. What both modes have in common is in fields.ts.
import { Column, Key, Table, UuidV4, type Generated } from '@isotherm/core'

@Table('StandardOnly')
export class StandardOnly {
  @UuidV4()
  id!: Generated<string>

  @Column.string({ length: 10 })
  withInitializer: string = ''

  // @ts-expect-error: the initializer makes this field a number
  @Column.int64()
  inferredNumber = 7

  @Column.int64()
  inferredBigint = 7n as bigint

  // @ts-expect-error: a getter is not a field
  @Column.string()
  get name(): string {
    return ''
  }

  // @ts-expect-error: a method is not a field
  @Key()
  method(): void {}

  // @ts-expect-error: an accessor is not a field
  @Column.string()
  accessor auto: string = ''
}

export class PrivateName {
  // @ts-expect-error: rows have no #private field
  @Column.string()
  #secret!: string

  readonly used = this.#secret
}

/** A decorator that calls another, with what the compiler gave it. */
export function Slug<This>(value: undefined, context: ClassFieldDecoratorContext<This, string>): void {
  Column.string({ length: 64 })(value, context)
}

const computed = 'computed'

export const Expression = class Inner {
  @Slug
  slug!: string

  @Column.string()
  readonly [computed]!: string

  @Column.json()
  other!: Inner

  @Column.string()
  kind = Inner.name

  // @ts-expect-error: the types of rows have no private field
  @Column.string()
  private secret = this.kind

  readonly used = this.secret
}

// @ts-expect-error: a class is not a field
@Key()
export class KeyOnClass {}

export class TableOnField {
  // @ts-expect-error: a field is not a class
  @Table('TableOnField')
  field!: string
}

// @ts-expect-error: a table has a name
@Table()
export class Nameless {}

@Table('Abstract')
export abstract class Abstract {
  @UuidV4()
  id!: Generated<string>
}

@Table('WithConstructor')
export class WithConstructor {
  @UuidV4()
  id: Generated<string>

  constructor(id: string) {
    this.id = id
  }
}
