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
  it('reports an index whose columns are the first columns of another index, in either order of declaration', () => {
    expect(found({ on: ['a'] }, { on: ['a', 'b'] })).toStrictEqual(['I1'])
    expect(found({ on: ['a', 'b'] }, { on: ['a'] })).toStrictEqual(['I2'])
    expect(found({ on: ['a desc'] }, { on: ['a desc', 'b'] })).toStrictEqual(['I1'])
  })

  it('reports the second of two identical indexes', () => {
    expect(found({ on: ['a', 'b'] }, { on: ['a', 'b'] })).toStrictEqual(['I2'])
    expect(found({ on: ['a'], unique: true }, { on: ['a'], unique: true })).toStrictEqual(['I2'])
  })

  it('keeps the unique index, and the index that stores more columns', () => {
    expect(found({ on: ['a'] }, { on: ['a'], unique: true })).toStrictEqual(['I1'])
    expect(found({ on: ['a'], unique: true }, { on: ['a'] })).toStrictEqual(['I2'])
    expect(found({ on: ['a'] }, { on: ['a'], storing: ['c'] })).toStrictEqual(['I1'])
    expect(found({ on: ['a'], storing: ['c'] }, { on: ['a'] })).toStrictEqual(['I2'])
    expect(found({ on: ['a'], storing: ['b', 'id'] }, { on: ['a', 'b'] })).toStrictEqual(['I1'])
  })

  it('reports an index whose columns are the first columns of the primary key', () => {
    expect(found({ on: ['p'] })).toStrictEqual(['I1'])
    expect(found({ on: ['p', 'id'], unique: true })).toStrictEqual(['I1'])
  })

  it('reports a redundant index next to an index that is null-filtered, sharded or interleaved in the same way', () => {
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
    ['indexes with different first columns', [{ on: ['b'] }, { on: ['a', 'b'] }]],
    ['indexes whose first column has different directions', [{ on: ['a desc'] }, { on: ['a', 'b'] }]],
    [
      'a unique index over the first column of another index',
      [{ on: ['a'], unique: true }, { on: ['a', 'b'] }],
    ],
    ['a unique index over the first part of the primary key', [{ on: ['p'], unique: true }]],
    [
      'an index that stores a column which the longer index lacks',
      [{ on: ['a'], storing: ['c'] }, { on: ['a', 'b'] }],
    ],
    [
      'an index over all rows next to a longer null-filtered index',
      [{ on: ['n'] }, { on: ['n', 'a'], nullFiltered: true }],
    ],
    [
      'a null-filtered index next to a longer index over all rows',
      [{ on: ['n'], nullFiltered: true }, { on: ['n', 'a'] }],
    ],
    [
      'two null-filtered indexes that leave out different rows',
      [
        { on: ['n'], nullFiltered: true },
        { on: ['n', 'm'], nullFiltered: true },
      ],
    ],
    [
      'a sharded index next to a longer index without a shard',
      [{ on: ['a'], shard: { column: 's', shards: 4, of: ['id'] } }, { on: ['a', 'b'] }],
    ],
    [
      'an interleaved index next to a longer index that is not interleaved',
      [{ on: ['p', 'a'], interleaveIn: 'Parent' }, { on: ['p', 'a', 'b'] }],
    ],
    ['an interleaved index over the first part of the primary key', [{ on: ['p'], interleaveIn: 'Parent' }]],
    ['an index over the primary key and one more column', [{ on: ['p', 'id', 'a'] }]],
  ])('reports nothing for %s', (_, indexes) => {
    expect(found(...indexes)).toStrictEqual([])
  })
})
