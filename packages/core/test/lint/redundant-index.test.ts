import { describe, expect, it } from 'vitest'
import { findingsOf, live, verdicts, type LiveTable } from './support/live.js'

type Index = NonNullable<LiveTable['indexes']>[number]

function found(...indexes: readonly (Omit<Index, 'name'> & { readonly name?: string })[]): string[] {
  const nullable = { type: { kind: 'int64' }, nullable: true } as const
  const schema = live({
    Parent: { columns: { p: 'int64' }, key: ['p'] },
    T: {
      columns: {
        p: { type: { kind: 'int64' }, inherited: true },
        id: 'int64',
        a: 'int64',
        b: 'int64',
        c: 'int64',
        n: nullable,
        m: nullable,
      },
      key: ['p', 'id'],
      parent: 'Parent',
      indexes: indexes.map((index, at) => ({ name: `I${at + 1}`, ...index })),
    },
  })
  return verdicts(findingsOf('redundant-index', schema)).map((each) => each.replace(' warning', ''))
}

describe('redundant-index', () => {
  it('finds an index that another one begins with, whichever comes first', () => {
    expect(found({ on: ['a'] }, { on: ['a', 'b'] })).toStrictEqual(['I1'])
    expect(found({ on: ['a', 'b'] }, { on: ['a'] })).toStrictEqual(['I2'])
    expect(found({ on: ['a desc'] }, { on: ['a desc', 'b'] })).toStrictEqual(['I1'])
  })

  it('finds the second of two that are the same', () => {
    expect(found({ on: ['a', 'b'] }, { on: ['a', 'b'] })).toStrictEqual(['I2'])
    expect(found({ on: ['a'], unique: true }, { on: ['a'], unique: true })).toStrictEqual(['I2'])
  })

  it('keeps the unique one, and the one that stores more', () => {
    expect(found({ on: ['a'] }, { on: ['a'], unique: true })).toStrictEqual(['I1'])
    expect(found({ on: ['a'], unique: true }, { on: ['a'] })).toStrictEqual(['I2'])
    expect(found({ on: ['a'] }, { on: ['a'], storing: ['c'] })).toStrictEqual(['I1'])
    expect(found({ on: ['a'], storing: ['c'] }, { on: ['a'] })).toStrictEqual(['I2'])
    expect(found({ on: ['a'], storing: ['b', 'id'] }, { on: ['a', 'b'] })).toStrictEqual(['I1'])
  })

  it('finds an index that the primary key begins with', () => {
    expect(found({ on: ['p'] })).toStrictEqual(['I1'])
    expect(found({ on: ['p', 'id'], unique: true })).toStrictEqual(['I1'])
  })

  it('finds it among filtered, sharded and interleaved ones of the same kind', () => {
    const shard = { column: 's', shards: 4, of: ['id'] }
    expect(found({ on: ['a'], shard }, { on: ['a', 'b'], shard: { ...shard, column: 't' } })).toStrictEqual([
      'I1',
    ])
    expect(found({ on: ['n'], nullFiltered: true }, { on: ['n', 'b'], nullFiltered: true })).toStrictEqual([
      'I1',
    ])
    expect(found({ on: ['n'], notNull: ['n'] }, { on: ['n', 'b'], nullFiltered: true })).toStrictEqual(['I1'])
    expect(
      found({ on: ['p', 'a'], interleaveIn: 'Parent' }, { on: ['p', 'a', 'b'], interleaveIn: 'Parent' }),
    ).toStrictEqual(['I1'])
  })

  it.each<readonly [string, readonly Omit<Index, 'name'>[]]>([
    ['another order of columns', [{ on: ['b'] }, { on: ['a', 'b'] }]],
    ['another direction', [{ on: ['a desc'] }, { on: ['a', 'b'] }]],
    ['a unique index, which says more', [{ on: ['a'], unique: true }, { on: ['a', 'b'] }]],
    ['a unique index over less than the key', [{ on: ['p'], unique: true }]],
    ['an index that stores something else', [{ on: ['a'], storing: ['c'] }, { on: ['a', 'b'] }]],
    ['an index that leaves fewer rows out', [{ on: ['n'] }, { on: ['n', 'a'], nullFiltered: true }]],
    ['a small index with few rows', [{ on: ['n'], nullFiltered: true }, { on: ['n', 'a'] }]],
    [
      'one that leaves out other rows',
      [
        { on: ['n'], nullFiltered: true },
        { on: ['n', 'm'], nullFiltered: true },
      ],
    ],
    [
      'one that is sharded',
      [{ on: ['a'], shard: { column: 's', shards: 4, of: ['id'] } }, { on: ['a', 'b'] }],
    ],
    ['one that is interleaved', [{ on: ['p', 'a'], interleaveIn: 'Parent' }, { on: ['p', 'a', 'b'] }]],
    ['one that is interleaved and begins like the key', [{ on: ['p'], interleaveIn: 'Parent' }]],
    ['more than the key', [{ on: ['p', 'id', 'a'] }]],
  ])('is content with %s', (_, indexes) => {
    expect(found(...indexes)).toStrictEqual([])
  })
})
