import {
  BitReversedId,
  Column,
  DescTimestamp,
  HashKey,
  Index,
  Key,
  ParentKey,
  ShardKey,
  Table,
  UuidV4,
} from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { refusal } from '../support/refusal.js'

// Run in both decorator modes.

// The compiler refuses most of what follows: here it is told nothing, as it is where somebody writes JavaScript.
type Anywhere = (target: unknown, second: unknown) => void

const decorators: readonly (readonly [string, Anywhere])[] = [
  ['Key', Key() as unknown as Anywhere],
  ['ParentKey', ParentKey() as unknown as Anywhere],
  ['ShardKey', ShardKey({ shards: 4, of: ['id'] }) as unknown as Anywhere],
  ['HashKey', HashKey({ of: ['id'] }) as unknown as Anywhere],
  ['BitReversedId', BitReversedId() as unknown as Anywhere],
  ['UuidV4', UuidV4() as unknown as Anywhere],
  ['DescTimestamp', DescTimestamp() as unknown as Anywhere],
  ['Column.string', Column.string() as unknown as Anywhere],
  ['Column.int64', Column.int64() as unknown as Anywhere],
  ['Column.uuid', Column.uuid() as unknown as Anywhere],
  ['Column.bytes', Column.bytes() as unknown as Anywhere],
  ['Column.timestamp', Column.timestamp() as unknown as Anywhere],
  ['Column.array', Column.array({ kind: 'bool' }) as unknown as Anywhere],
  ['Column', Column() as unknown as Anywhere],
]

describe.each(decorators)('@%s', (name, decorate) => {
  const misplaced = (on: string) => ({
    code: 'SCHEMA_INVALID',
    column: on,
    message:
      `@${name} stands on ${on}, which is not a public field. ` +
      'Put it on a field of a class that has @Table.',
  })

  it('is refused on a static field', () => {
    const error = refusal(() => {
      class Misplaced {
        @decorate
        static shared: string
      }
      return Misplaced
    })
    expect(error).toMatchObject(misplaced('shared'))
  })

  it('is refused on a method', () => {
    const error = refusal(() => {
      class Misplaced {
        @decorate
        method(): void {}
      }
      return Misplaced
    })
    expect(error).toMatchObject(misplaced('method'))
  })

  it('is refused on a static method', () => {
    const error = refusal(() => {
      class Misplaced {
        @decorate
        static method(): void {}
      }
      return Misplaced
    })
    expect(error).toMatchObject(misplaced('method'))
  })

  it('is refused on a getter', () => {
    const error = refusal(() => {
      class Misplaced {
        @decorate
        get computed(): string {
          return ''
        }
      }
      return Misplaced
    })
    expect(error).toMatchObject(misplaced('computed'))
  })

  it('is refused on a field whose name is a symbol', () => {
    const hidden = Symbol('hidden')
    const error = refusal(() => {
      class Misplaced {
        @decorate
        [hidden]!: string
      }
      return Misplaced
    })
    expect(error).toMatchObject(misplaced('Symbol(hidden)'))
  })
})

describe.each([
  ['Table', Table('Misplaced') as unknown as Anywhere],
  ['Index', Index({ on: ['id'] }) as unknown as Anywhere],
])('@%s', (name, decorate) => {
  const misplaced = (on: string) => ({
    code: 'SCHEMA_INVALID',
    column: on,
    message: expect.stringContaining(`@${name} stands on ${on}, which is not a class.`),
  })

  it('is refused on a field', () => {
    const error = refusal(() => {
      class Misplaced {
        @decorate
        id!: string
      }
      return Misplaced
    })
    expect(error).toMatchObject(misplaced('id'))
  })

  it('is refused on a static method', () => {
    const error = refusal(() => {
      class Misplaced {
        @decorate
        static method(): void {}
      }
      return Misplaced
    })
    expect(error).toMatchObject(misplaced('method'))
  })
})

describe('@Table', () => {
  it('is refused without a name', () => {
    const error = refusal(() => {
      @Table('')
      class Nameless {}
      return Nameless
    })
    expect(error).toMatchObject({
      code: 'SCHEMA_INVALID',
      message: "@Table on Nameless has no name. Write @Table('Nameless').",
    })
  })
})
