import { describe, expect, it } from 'vitest'
import { findingsOf, live, verdicts, type LiveColumn, type LiveTable } from './support/live.js'

const shardOf = (shards: number): LiveColumn => ({
  type: { kind: 'int64' },
  source: { kind: 'shard', strategy: 'hash', shards, of: ['bucket'], computedBy: 'client' },
})

function findings(root: LiveTable['columns'], own: LiveTable['columns'], writesPerSecond?: number) {
  const inherited = Object.fromEntries(
    Object.entries(root).map(([name, column]) => [name, { ...asObject(column), inherited: true }]),
  )
  const schema = live({
    Root: { columns: root, key: Object.keys(root) },
    Child: {
      columns: { ...inherited, ...own },
      key: [...Object.keys(root), ...Object.keys(own)],
      parent: 'Root',
      ...(writesPerSecond !== undefined && { expect: { writesPerSecond } }),
    },
  })
  return findingsOf('unsharded-child-of-hot-root', schema)
}

function asObject(column: LiveColumn): Exclude<LiveColumn, string> {
  return typeof column === 'string' ? { type: { kind: column } as never } : column
}

describe('unsharded-child-of-hot-root', () => {
  it('finds a log under parents that are few by their key, and shows the arithmetic', () => {
    expect(findings({ bucket: shardOf(4) }, { at: 'timestamp', id: 'uuid' }, 20_000)).toStrictEqual([
      {
        rule: 'unsharded-child-of-hot-root',
        severity: 'warning',
        table: 'Child',
        column: 'at',
        message:
          '20,000 rows a second end in 4 places, behind the last in each of the 4 rows that Root can have: 5,000 a ' +
          'second in each, and one split is assumed to take 1,000.',
        fix:
          'Put a part that does not grow and has many values before at, or interleave Child in a table that has many ' +
          'rows to write to at a time.',
        link: 'docs/lint/unsharded-child-of-hot-root.md',
      },
    ])
  })

  it('is an error beyond the highest figure that is published for a node', () => {
    expect(verdicts(findings({ test: 'bool' }, { at: 'timestamp' }, 45_002))).toStrictEqual([
      'Child.at error',
    ])
    expect(verdicts(findings({ test: 'bool' }, { at: 'timestamp' }, 45_000))).toStrictEqual([
      'Child.at warning',
    ])
  })

  it('warns of a log under parents that grow, if the newest take it: the exception of the parent is not for the child', () => {
    const [finding] = findings({ day: 'date' }, { at: 'timestamp', id: 'uuid' }, 50_000)
    expect(finding).toMatchObject({ severity: 'warning', table: 'Child' })
    expect(finding!.message).toContain(
      'in 1 place, if they belong to the newest rows of Root: 50,000 a second',
    )
  })

  it('counts a shard between the parent and the growing part', () => {
    expect(findings({ test: 'bool' }, { bucket: shardOf(10), at: 'timestamp' }, 20_000)).toStrictEqual([])
    expect(findings({ test: 'bool' }, { bucket: shardOf(9), at: 'timestamp' }, 20_000)).toHaveLength(1)
  })

  it.each<[string, LiveTable['columns'], LiveTable['columns'], number | undefined]>([
    ['parents without number', { userId: 'int64' }, { at: 'timestamp' }, 1_000_000],
    ['a child whose key is spread', { bucket: shardOf(2) }, { id: 'uuid', at: 'timestamp' }, 1_000_000],
    ['days whose rows are spread', { day: 'date' }, { userId: 'int64', at: 'timestamp' }, 1_000_000],
    ['few writes', { bucket: shardOf(2) }, { at: 'timestamp' }, 2_000],
    ['a child of which nothing is expected', { day: 'date' }, { at: 'timestamp' }, undefined],
  ])('is content with %s', (_, root, own, writesPerSecond) => {
    expect(findings(root, own, writesPerSecond)).toStrictEqual([])
  })
})
