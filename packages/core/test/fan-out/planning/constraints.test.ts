import { createHash } from 'node:crypto'
import { inspect } from 'node:util'
import { defineTable } from '@isotherm/core'
import { fingerprint, shardOf } from '@isotherm/core/keys'
import { spannerPostgresql } from '@isotherm/spanner'
import { describe, expect, it } from 'vitest'
import { compileWhere } from '../../../src/rows/filter.js'
import {
  constraintsOf,
  fixedValue,
  isImpossible,
  tableConstraints,
  type Constraint,
} from '../../../src/read/plan/constraints.js'
import { shardRange } from '../../../src/read/plan/key-ranges.js'
import { shardCount, shardsToRead } from '../../../src/read/plan/partitions.js'
import { dialects, fieldOf, layoutOf, logLayout } from '../../support/layout.js'

type Filter = Record<string, unknown>

const all = Array.from({ length: 64 }, (_, shard) => shard)
const shardsOf = (...users: bigint[]) =>
  [...new Set(users.map((user) => shardOf(user, 64)))].toSorted((a, b) => a - b)

describe.each(dialects)('constraints of a filter in $name', (dialect) => {
  const layout = logLayout(dialect, (t) => ({
    shardId: t.shardKey({ shards: 64, of: ['userId'] }),
    at: t.descTimestamp(),
    userId: t.int64().key(),
    page: t.string({ nullable: true }),
    ratio: t.float64({ nullable: true }),
  }))

  const constraints = (filter: Filter) => constraintsOf(compileWhere(layout, filter), dialect)
  const of = (property: string, filter: Filter): Constraint | undefined =>
    constraints(filter).get(fieldOf(layout, property))

  describe('constraintsOf() for one field', () => {
    const { nanIsValue } = dialect
    const cases: readonly (readonly [Filter, Constraint | undefined])[] = [
      [{ page: 'a' }, { candidates: ['a'] }],
      [{ page: null }, { candidates: [null] }],
      [{ page: { in: ['a', 'b'] } }, { candidates: ['a', 'b'] }],
      [{ page: { in: ['a', 'b'] }, AND: [{ page: { in: ['b', 'c'] } }] }, { candidates: ['b'] }],
      [{ page: 'a', AND: [{ page: null }] }, { candidates: [] }],
      [{ page: { gt: 'a' } }, { lower: { value: 'a', open: true } }],
      [
        { page: { gte: 'a', lt: 'c' } },
        { lower: { value: 'a', open: false }, upper: { value: 'c', open: true } },
      ],
      [{ page: { gte: 'a', gt: 'a' } }, { lower: { value: 'a', open: true } }],
      [{ page: { lte: 'c', lt: 'b' } }, { upper: { value: 'b', open: true } }],
      [
        { page: { startsWith: 'ab' } },
        { lower: { value: 'ab', open: false }, upper: { value: 'ac', open: true } },
      ],
      [{ page: { startsWith: '' } }, { lower: { value: '', open: false } }],
      [{ page: { startsWith: '\u{10FFFF}' } }, { lower: { value: '\u{10FFFF}', open: false } }],
      [{ page: { ne: 'a' } }, undefined],
      [{ page: { ne: null } }, undefined],
      [{ page: { notIn: ['a'] } }, undefined],
      [{ NOT: { page: 'a' } }, undefined],
      [{ OR: [{ page: 'a' }, { page: 'b' }] }, undefined],
      [{ ratio: 1 }, { candidates: [1] }],
      // In dialects where NaN is a value, NaN equals itself and is the highest value; in others no comparison with NaN is true.
      [{ ratio: Number.NaN }, { candidates: nanIsValue ? [Number.NaN] : [] }],
      [{ ratio: { in: [Number.NaN, 1] } }, { candidates: nanIsValue ? [Number.NaN, 1] : [1] }],
      [
        { ratio: { lte: Number.NaN } },
        nanIsValue ? { upper: { value: Number.NaN, open: false } } : { candidates: [] },
      ],
      [
        { ratio: { gt: Number.NaN } },
        nanIsValue ? { lower: { value: Number.NaN, open: true } } : { candidates: [] },
      ],
      [
        { ratio: { gt: 1, gte: Number.NaN } },
        {
          ...(!nanIsValue && { candidates: [] }),
          lower: { value: nanIsValue ? Number.NaN : 1, open: !nanIsValue },
        },
      ],
      [{ ratio: { ne: Number.NaN } }, undefined],
      [{ userId: 7n }, undefined],
    ]

    it.each(cases.map(([filter, expected]) => ({ filter, expected, shown: inspect(filter) })))(
      'derives the candidates and the bounds of a field from $shown',
      ({ filter, expected }) => {
        const property = 'ratio' in filter ? 'ratio' : 'page'
        expect(of(property, filter)).toStrictEqual(expected)
      },
    )

    it('isImpossible() returns true when no value is left for a field', () => {
      expect(isImpossible(constraints({ page: 'a', AND: [{ page: 'b' }] }))).toBe(true)
      expect(isImpossible(constraints({ page: { in: [] } }))).toBe(true)
      expect(isImpossible(constraints({ page: 'a', userId: 7n }))).toBe(false)
      expect(isImpossible(constraints({ NOT: { page: { in: [] } } }))).toBe(false)
    })

    it('fixedValue() returns a value only when the filter leaves one candidate', () => {
      const page = fieldOf(layout, 'page')
      expect(fixedValue(constraints({ page: 'a' }), page)).toStrictEqual({ value: 'a' })
      expect(fixedValue(constraints({ page: null }), page)).toStrictEqual({ value: null })
      expect(fixedValue(constraints({ page: { in: ['a', 'b'] } }), page)).toBeUndefined()
      expect(fixedValue(constraints({ page: { gte: 'a', lte: 'a' } }), page)).toBeUndefined()
    })
  })

  describe('constraints of a whole hash', () => {
    const hashing = logLayout(dialect, (t) => ({
      hash: t.hashKey({ of: ['url', 'count'] }),
      digest: t.hashKey({ of: ['url'], algorithm: 'sha256' }),
      line: t.int64().key(),
      url: t.string({ nullable: true, immutable: true }),
      count: t.int64({ as: 'number', immutable: true }),
    }))
    const known = (filter: Filter) => tableConstraints(hashing, compileWhere(hashing, filter), dialect)
    const hash = fieldOf(hashing, 'hash')
    const digest = fieldOf(hashing, 'digest')

    it('the hash is fixed when the filter fixes all hashed columns', () => {
      const constraints = known({ url: '/docs', count: 7n })
      expect(fixedValue(constraints, hash)).toStrictEqual({ value: fingerprint('/docs|7') })
      expect(fixedValue(constraints, digest)).toStrictEqual({
        value: createHash('sha256').update('/docs').digest(),
      })
      expect(fixedValue(known({ url: null, count: 7 }), hash)).toStrictEqual({ value: fingerprint('\\N|7') })
    })

    it('the hash is not fixed when the filter leaves a hashed column open or with several values', () => {
      for (const filter of [{ url: '/docs' }, { count: 7 }, { url: { in: ['a', 'b'] }, count: 7 }, {}]) {
        expect(fixedValue(known(filter), hash)).toBeUndefined()
      }
      expect(fixedValue(known({ url: { gte: 'a', lte: 'a' }, count: 7 }), hash)).toBeUndefined()
    })

    it('the filter is impossible when it names another hash than that of its values', () => {
      expect(isImpossible(known({ url: '/docs', count: 7, hash: 5n }))).toBe(true)
      expect(isImpossible(known({ url: '/docs', count: 7, hash: fingerprint('/docs|7') }))).toBe(false)
      expect(isImpossible(known({ url: '/docs', hash: 5n }))).toBe(false)
    })

    it('shardRange() starts and ends with the hashes of the values in the filter', () => {
      const wires = [String(fingerprint('/docs|7')), createHash('sha256').update('/docs').digest('base64')]
      expect(
        shardRange(hashing, undefined, known({ url: '/docs', count: 7, line: { gt: 1n } })),
      ).toStrictEqual({
        start: [...wires, '1'],
        startOpen: true,
        end: wires,
        endOpen: false,
        bounded: false,
      })
      // Without the first hash, the second tells nothing of the key.
      expect(shardRange(hashing, undefined, known({ url: '/docs' }))).toMatchObject({ start: [], end: [] })
    })
  })

  describe('shardsToRead()', () => {
    const shards = (filter: Filter) => shardsToRead(layout, layout, constraints(filter))

    it('returns all shards unless the filter fixes the hashed column', () => {
      expect(shardCount(layout)).toBe(64)
      for (const filter of [
        {},
        { page: 'a' },
        { userId: { gte: 7n } },
        { OR: [{ userId: 7n }] },
        { userId: { ne: 7n } },
      ]) {
        expect(shards(filter)).toStrictEqual(all)
      }
    })

    it('returns the shards of the values in the filter', () => {
      expect(shards({ userId: 7n })).toStrictEqual(shardsOf(7n))
      expect(shards({ userId: 7, page: 'a' })).toStrictEqual(shardsOf(7n))
      expect(shards({ userId: { in: [1n, 2n, 3n] } })).toStrictEqual(shardsOf(1n, 2n, 3n))
      expect(shards({ userId: { in: [1n, 2n] }, AND: [{ userId: { in: [2n, 3n] } }] })).toStrictEqual(
        shardsOf(2n),
      )
      expect(shards({ userId: { in: [] } })).toStrictEqual([])
    })

    it('applies conditions on the shard column', () => {
      expect(shards({ shardId: 5n })).toStrictEqual([5])
      expect(shards({ shardId: { in: [5n, 3n, 99n] } })).toStrictEqual([3, 5])
      expect(shards({ shardId: { gte: 60n } })).toStrictEqual([60, 61, 62, 63])
      expect(shards({ shardId: { gt: 60n, lt: 63n } })).toStrictEqual([61, 62])
      expect(shards({ shardId: -1n })).toStrictEqual([])
      const [own] = shardsOf(7n)
      expect(shards({ userId: 7n, shardId: BigInt(own!) })).toStrictEqual([own])
      expect(shards({ userId: 7n, shardId: { ne: 0n } })).toStrictEqual([own])
      expect(shards({ userId: 7n, shardId: BigInt((own! + 1) % 64) })).toStrictEqual([])
    })

    it('returns the shards of every combination of two hashed columns, including NULL', () => {
      const several = logLayout(dialect, (t) => ({
        shardId: t.shardKey({ shards: 1000, of: ['region', 'userId'] }),
        region: t.string({ nullable: true }).key(),
        userId: t.int64().key(),
      }))
      const read = (filter: Filter) =>
        shardsToRead(several, several, constraintsOf(compileWhere(several, filter), dialect))
      const expected = (...pairs: [string | null, bigint][]) =>
        [...new Set(pairs.map((pair) => shardOf(pair, 1000)))].toSorted((a, b) => a - b)
      expect(read({ region: 'eu', userId: 7n })).toStrictEqual(expected(['eu', 7n]))
      expect(read({ region: null, userId: 7n })).toStrictEqual(expected([null, 7n]))
      expect(read({ region: { in: ['eu', 'us'] }, userId: { in: [1n, 2n] } })).toStrictEqual(
        expected(['eu', 1n], ['eu', 2n], ['us', 1n], ['us', 2n]),
      )
      expect(read({ userId: 7n })).toHaveLength(1000)
      // More combinations than are worth hashing.
      const many = Array.from({ length: 101 }, (_, at) => BigInt(at))
      expect(read({ region: { in: many.map(String) }, userId: { in: many } })).toHaveLength(1000)
    })

    it('returns all shards of a random shard key, and undefined for a table without shards', () => {
      const random = logLayout(dialect, (t) => ({
        shardId: t.shardKey({ shards: 8, strategy: 'random' }),
        id: t.uuidV4(),
      }))
      const id = '919108f7-52d1-4320-9bac-f847db4148a8'
      expect(shardsToRead(random, random, constraintsOf(compileWhere(random, { id }), dialect))).toHaveLength(
        8,
      )
      const plain = logLayout(dialect, (t) => ({ id: t.uuidV4() }))
      expect(shardsToRead(plain, plain, constraintsOf(compileWhere(plain, { id }), dialect))).toBeUndefined()
      expect(shardCount(plain)).toBeUndefined()
    })

    it('returns all shards for a child table that inherits the shard but not the hashed column', () => {
      const Account = defineTable('Account', (t) => ({
        shardId: t.shardKey({ shards: 8, of: ['tenant'] }),
        accountId: t.int64().key(),
        tenant: t.string({ immutable: true }),
      }))
      const Entry = defineTable(
        'Entry',
        (t) => ({
          shardId: t.parentKey<bigint>(),
          accountId: t.parentKey<bigint>(),
          entryId: t.int64().key(),
        }),
        { interleaveIn: () => Account },
      )
      const child = layoutOf(dialect, Account, Entry)
      const read = (filter: Filter) =>
        shardsToRead(child, child, constraintsOf(compileWhere(child, filter), dialect))
      expect(read({ accountId: 7n })).toHaveLength(8)
      expect(read({ shardId: 7n })).toStrictEqual([7])
    })
  })

  describe('shardRange()', () => {
    const range = (filter: Filter) => shardRange(layout, 3, constraints(filter))
    const t0 = '1970-01-01T00:00:00.000000000Z'
    const t1 = '1970-01-01T00:00:00.001000000Z'
    const mirrored = dialect === spannerPostgresql
    // Where keys cannot descend, the time is behind its mirror: negative microseconds, which other times may share.
    const bound = (micros: string, time: string) => ['3', mirrored ? micros : time]
    const fixed = (micros: string, time: string) => ['3', ...(mirrored ? [micros, time] : [time])]

    it('covers the whole shard when the filter does not limit the first key part to a range', () => {
      const whole = { start: ['3'], startOpen: false, end: ['3'], endOpen: false, bounded: false }
      expect(range({})).toStrictEqual(whole)
      expect(range({ page: 'a' })).toStrictEqual(whole)
      expect(range({ userId: 7n })).toStrictEqual(whole)
      expect(range({ at: { in: [new Date(0), new Date(1)] } })).toStrictEqual(whole)
    })

    it('swaps the bounds of a descending key part, and closes them for a timestamp with a mirror column', () => {
      expect(range({ at: { gte: new Date(0), lt: new Date(1) } })).toStrictEqual({
        start: bound('-1000', t1),
        startOpen: !mirrored,
        end: bound('0', t0),
        endOpen: false,
        bounded: true,
      })
      expect(range({ at: { gt: new Date(0) } })).toStrictEqual({
        start: ['3'],
        startOpen: false,
        end: bound('0', t0),
        endOpen: !mirrored,
        bounded: false,
      })
    })

    it('applies a range on the next key part when the filter fixes the part before it', () => {
      const prefix = fixed('0', t0)
      expect(range({ at: new Date(0), userId: { gt: 7n, lte: 9n } })).toStrictEqual({
        start: [...prefix, '7'],
        startOpen: true,
        end: [...prefix, '9'],
        endOpen: false,
        bounded: true,
      })
      expect(range({ at: new Date(0), userId: 7n })).toStrictEqual({
        start: [...prefix, '7'],
        startOpen: false,
        end: [...prefix, '7'],
        endOpen: false,
        bounded: true,
      })
    })
  })
})
