// Compiled under experimentalDecorators with emitDecoratorMetadata, never run. What both modes have in common is in
// fields.ts.
import { Column, Key, Table, UuidV4, type Generated } from '@isotherm/core'

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

  // @ts-expect-error: nothing outside the class may see a private field
  @Column.string()
  private hidden!: string

  // @ts-expect-error: a method is not a field
  @Column.string()
  method(): string {
    return this.hidden
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

@Table('Abstract')
export abstract class Abstract {
  @UuidV4()
  id!: Generated<string>
}
