import { Column, Key, Table, UuidV4 } from '@isotherm/core'
import { defineSchema, type Generated } from '@isotherm/core'
import { expect, it } from 'vitest'
import { refusal } from '../../support/refusal.js'

// Standard decorators alone: under experimentalDecorators a decorator on any of these does not even parse.

it('a decorator on a #private field throws SCHEMA_INVALID with the name of the field', () => {
  const error = refusal(() => {
    class Misplaced {
      // @ts-expect-error: the compiler refuses it too
      @Key()
      // @ts-expect-error: the compiler refuses it too
      @Column.string()
      #secret!: string

      read(): string {
        return this.#secret
      }
    }
    return Misplaced
  })
  expect(error).toMatchObject({
    code: 'SCHEMA_INVALID',
    column: '#secret',
    message:
      '@Column.string stands on #secret, which is a private field. ' +
      'Put it on a public field, such as `id!: string`, of a class that has @Table.',
  })
})

it('@Table accepts a class expression, and column decorators accept fields with initializers', () => {
  const Anonymous = defineSchema([
    @Table('Anonymous')
    class {
      @UuidV4()
      id!: Generated<string>

      @Column.string()
      name: string = 'nobody'
    },
  ])
  expect(Anonymous.tables[0]!.columns.map((column) => column.property)).toStrictEqual(['id', 'name'])
})
