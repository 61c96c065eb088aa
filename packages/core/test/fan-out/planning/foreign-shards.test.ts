import type { ShardKeyOptions } from '@isotherm/core'
import { shardOf } from '@isotherm/core/keys'
import { describe, expect, it } from 'vitest'
import { compileWhere } from '../../../src/rows/filter.js'
import { constraintsOf } from '../../../src/read/plan/constraints.js'
import { shardCount, shardsToRead } from '../../../src/read/plan/partitions.js'
import { dialects, logLayout } from '../../support/layout.js'
import { refusal } from '../../support/refusal.js'
import type { Filter } from '../support/tables.js'

// Shards that do not begin at 0, that are negative, or that an expression or a function of the application computes.

describe.each(dialects)('shardsToRead() in $name', (dialect) => {
  const reading = (options: Partial<ShardKeyOptions>) => {
    const layout = logLayout(dialect, (t) => ({
      shardId: t.shardKey({ shards: 4, of: ['userId'], ...options } as ShardKeyOptions),
      userId: t.int64().key(),
      count: t.int64({ as: 'number' }),
    }))
    return {
      count: shardCount(layout),
      of: (filter: Filter) =>
        shardsToRead(layout, layout, constraintsOf(compileWhere(layout, filter), dialect)),
    }
  }
  const users = Array.from({ length: 30 }, (_, at) => BigInt(at))

  it('returns shards that start at the option first', () => {
    for (const first of [-2, 100]) {
      const { count, of } = reading({ first })
      expect(count).toBe(4)
      expect(of({})).toStrictEqual([first, first + 1, first + 2, first + 3])
      for (const userId of users) expect(of({ userId })).toStrictEqual([shardOf(userId, 4, { first })])
      expect(of({ shardId: { lt: first } })).toStrictEqual([])
      expect(of({ shardId: { gt: first, lte: first + 2 } })).toStrictEqual([first + 1, first + 2])
      expect(of({ shardId: { in: [BigInt(first), 9999n] } })).toStrictEqual([first])
    }
  })

  it('returns negative and positive shards when the shard key is signed', () => {
    const { count, of } = reading({ signed: true })
    expect(count).toBe(7)
    expect(of({})).toStrictEqual([-3, -2, -1, 0, 1, 2, 3])
    for (const userId of users) expect(of({ userId })).toStrictEqual([shardOf(userId, 4, { signed: true })])
    expect(of({ shardId: { lt: 0n } })).toStrictEqual([-3, -2, -1])
    expect(users.some((userId) => of({ userId })![0]! < 0)).toBe(true)
    const [own] = of({ userId: 7n })!
    expect(of({ userId: 7n, shardId: BigInt(-own! || 1) })).toStrictEqual([])
  })

  it('returns all shards when only an SQL expression computes the shard', () => {
    const { of } = reading({ expression: 'MOD(userId, 4)' })
    expect(of({ userId: 7n })).toStrictEqual([0, 1, 2, 3])
    expect(of({ userId: 7n, shardId: 2n })).toStrictEqual([2])
  })

  it('returns the shards of the compute function, with or without an SQL expression', () => {
    const compute = (row: Readonly<Record<string, unknown>>) => 10n + ((row['userId'] as bigint) % 4n)
    for (const options of [{ compute }, { compute, expression: 'MOD(userId, 4)' }]) {
      const { of } = reading({ ...options, first: 10 })
      expect(of({ userId: 7n })).toStrictEqual([13])
      expect(of({ userId: { in: [3n, 7n, 8n] } })).toStrictEqual([10, 13])
      expect(of({ userId: { gte: 7n } })).toStrictEqual([10, 11, 12, 13])
      expect(of({})).toStrictEqual([10, 11, 12, 13])
    }
  })

  it('returns all shards when serialization of the schema has removed the compute function', () => {
    const { table } = logLayout(dialect, (t) => ({
      shardId: t.shardKey({ shards: 4, of: ['userId'], compute: () => 3 }),
      userId: t.int64().key(),
    }))
    const layout = dialect.layout(JSON.parse(JSON.stringify(table)) as typeof table)
    const constraints = constraintsOf(compileWhere(layout, { userId: 7n }), dialect)
    expect(shardsToRead(layout, layout, constraints)).toStrictEqual([0, 1, 2, 3])
  })

  it('rejects a compute function that returns a number outside the shards', () => {
    const { of } = reading({ compute: () => 4 })
    expect(refusal(() => of({ userId: 7n }))).toMatchObject({ code: 'INVALID_VALUE' })
    expect(of({})).toStrictEqual([0, 1, 2, 3])
  })

  it('hashes a number like the equal bigint, and a UUID without regard to case', () => {
    const layout = logLayout(dialect, (t) => ({
      shardId: t.shardKey({ shards: 1000, of: ['count', 'ref'] }),
      count: t.int64({ as: 'number' }).key(),
      ref: t.uuid({ storage: 'bytes' }).key(),
    }))
    const ref = 'f81d4fae-7dec-41d0-a765-00a0c91e6bf6'
    const filter = { count: 7, ref: ref.toUpperCase() }
    expect(shardsToRead(layout, layout, constraintsOf(compileWhere(layout, filter), dialect))).toStrictEqual([
      shardOf([7n, ref], 1000),
    ])
  })

  it('returns undefined for a table whose key begins with a whole hash', () => {
    const layout = logLayout(dialect, (t) => ({
      hash: t.hashKey({ of: ['url'] }),
      url: t.string({ immutable: true }),
    }))
    expect(shardCount(layout)).toBeUndefined()
    expect(
      shardsToRead(layout, layout, constraintsOf(compileWhere(layout, { url: 'a' }), dialect)),
    ).toBeUndefined()
  })
})
