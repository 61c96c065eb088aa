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

// TypeScript rejects most of these targets at compile time. The casts avoid this, as in JavaScript, which has no types.
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

interface DecoratedTarget {
  readonly memberKind: string
  /** The name of the decorated member. */
  readonly named: string
  declare(decorate: Anywhere): unknown
}

const hidden = Symbol('hidden')

const field: DecoratedTarget = {
  memberKind: 'a field',
  named: 'id',
  declare(decorate) {
    class Misplaced {
      @decorate
      id!: string
    }
    return Misplaced
  },
}

const staticMethod: DecoratedTarget = {
  memberKind: 'a static method',
  named: 'method',
  declare(decorate) {
    class Misplaced {
      @decorate
      static method(): void {}
    }
    return Misplaced
  },
}

/** Members that are not public fields. */
const otherMembers: readonly DecoratedTarget[] = [
  {
    memberKind: 'a static field',
    named: 'shared',
    declare(decorate) {
      class Misplaced {
        @decorate
        static shared: string
      }
      return Misplaced
    },
  },
  {
    memberKind: 'a method',
    named: 'method',
    declare(decorate) {
      class Misplaced {
        @decorate
        method(): void {}
      }
      return Misplaced
    },
  },
  staticMethod,
  {
    memberKind: 'a getter',
    named: 'computed',
    declare(decorate) {
      class Misplaced {
        @decorate
        get computed(): string {
          return ''
        }
      }
      return Misplaced
    },
  },
  {
    memberKind: 'a setter',
    named: 'assigned',
    declare(decorate) {
      class Misplaced {
        @decorate
        // oxlint-disable-next-line accessor-pairs -- The test decorates a setter without a getter.
        set assigned(_: string) {}
      }
      return Misplaced
    },
  },
  {
    memberKind: 'a static getter',
    named: 'computed',
    declare(decorate) {
      class Misplaced {
        @decorate
        static get computed(): string {
          return ''
        }
      }
      return Misplaced
    },
  },
  {
    memberKind: 'a field whose name is a symbol',
    named: 'Symbol(hidden)',
    declare(decorate) {
      class Misplaced {
        @decorate
        [hidden]!: string
      }
      return Misplaced
    },
  },
]

describe.each(decorators)('the column decorator @%s', (name, decorate) => {
  it.each(otherMembers)(
    'throws SCHEMA_INVALID when applied to $memberKind',
    ({ memberKind, named, declare }) => {
      expect(refusal(() => declare(decorate))).toMatchObject({
        code: 'SCHEMA_INVALID',
        column: named,
        message:
          `@${name} stands on ${named}, which is ${memberKind}. ` +
          'Put it on a public field, such as `id!: string`, of a class that has @Table.',
      })
    },
  )
})

describe.each([
  ['Table', Table('Misplaced') as unknown as Anywhere],
  ['Index', Index({ on: ['id'] }) as unknown as Anywhere],
])('the class decorator @%s', (name, decorate) => {
  it.each([field, staticMethod])(
    'throws SCHEMA_INVALID when applied to $memberKind',
    ({ memberKind, named, declare }) => {
      expect(refusal(() => declare(decorate))).toMatchObject({
        code: 'SCHEMA_INVALID',
        column: named,
        message: expect.stringContaining(`@${name} stands on ${named}, which is ${memberKind}.`),
      })
    },
  )
})

describe('@Table', () => {
  it('throws SCHEMA_INVALID if the name is empty, and suggests the name of the class', () => {
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
