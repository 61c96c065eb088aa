import { defineSchema, defineTable } from '@isotherm/core'
import { shardOf } from '@isotherm/core/keys'
import { spannerPostgresql } from '@isotherm/spanner'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { PlainRow } from '../../../src/engine/codec.js'
import { CompiledTables } from '../../../src/rows/compiled-table.js'
import { compileWhere } from '../../../src/rows/filter.js'
import { predicateOf } from '../../../src/rows/predicate.js'
import type { IndexLayout } from '../../../src/layout/layout.js'
import { tableConstraints } from '../../../src/read/plan/constraints.js'
import { isKeyOrder, orderingWires, restAfter, shardRange } from '../../../src/read/plan/key-ranges.js'
import { positionOf, rowOrder, totalOrder, type WantedOrder } from '../../../src/read/plan/order.js'
import { FanOutQuery } from '../../../src/read/query.js'
import { shardCount, shardsToRead } from '../../../src/read/plan/partitions.js'
import { dialects, layoutOf } from '../../support/layout.js'
import { indexedTable } from '../support/indexed.js'
import { compareKeys, isInRange, keyOf, shardKey } from '../support/key-order.js'
import { memoryDriver, servicesOf } from '../support/memory.js'
import { filters, type Filter, type SampleTable } from '../support/tables.js'

// An index is rows in an order of its own, of which several may share a key.

const asc = (property: string): WantedOrder => ({ property, direction: 'asc' })
const desc = (property: string): WantedOrder => ({ property, direction: 'desc' })

describe.each(dialects)('index keys in $name', (dialect) => {
  const table: SampleTable = indexedTable(dialect)
  const { layout, row } = table
  const indexNamed = (name: string): IndexLayout => layout.indexes.find(({ index }) => index.name === name)!
  const constraintsFor = (filter: Filter) => tableConstraints(layout, compileWhere(layout, filter), dialect)
  const isKey = (index: string, wanted: readonly WantedOrder[], filter: Filter = {}): boolean =>
    isKeyOrder(indexNamed(index), totalOrder(layout, wanted), constraintsFor(filter))

  describe('isKeyOrder() for an index', () => {
    it.each<[string, readonly WantedOrder[], boolean]>([
      ['ByPage', [desc('page'), asc('ratio')], true],
      // Terms behind the parts of the index are sorted client-side.
      ['ByPage', [desc('page'), asc('ratio'), desc('userId')], true],
      ['ByPage', [desc('page'), asc('ratio'), asc('shardId'), asc('day')], true],
      ['ByPage', [desc('page')], false],
      ['ByPage', [asc('page'), asc('ratio')], false],
      ['ByPage', [desc('page'), desc('ratio')], false],
      ['ByPage', [desc('page'), asc('day'), asc('ratio')], false],
      ['ByPage', [asc('ratio'), desc('page')], false],
      ['ByPage', [], false],
      ['ByPair', [asc('pair')], true],
      ['ByPair', [desc('pair')], false],
      // The shard is not a term of the order: each shard is read separately.
      ['ByRatio', [asc('ratio')], true],
      ['ByRatio', [desc('ratio')], false],
    ])('says whether the index %s has the order %j: %s', (index, wanted, expected) => {
      expect(isKey(index, wanted)).toBe(expected)
    })

    it('ignores index parts that the filter fixes to one value', () => {
      expect(isKey('ByPage', [asc('ratio')], { page: 'a' })).toBe(true)
      expect(isKey('ByPage', [asc('ratio')], { page: null })).toBe(true)
      expect(isKey('ByPage', [asc('page'), asc('ratio')], { page: 'a' })).toBe(true)
      expect(isKey('ByPage', [asc('ratio')], { page: { in: ['a', 'b'] } })).toBe(false)
      expect(isKey('ByPage', [asc('day')], { page: 'a' })).toBe(false)
    })

    it('returns false when the filter fixes all ordering parts of the index', () => {
      expect(isKey('ByPair', [asc('page')], { pair: '00000000-0000-4000-8000-000000000000' })).toBe(false)
      expect(isKey('ByPage', [asc('userId')], { page: 'a', ratio: 1 })).toBe(false)
    })
  })

  describe('isKeyOrder() for a table with a descending timestamp in its key', () => {
    const grouping = layoutOf(
      dialect,
      defineTable('Log', (t) => ({
        shardId: t.shardKey({ shards: 4, of: ['userId'] }),
        userId: t.int64().key(),
        at: t.descTimestamp(),
        line: t.int64().key(),
      })),
    )
    const isGrouped = dialect === spannerPostgresql
    const orders = (wanted: readonly WantedOrder[], filter: Filter = {}): boolean =>
      isKeyOrder(
        grouping,
        totalOrder(grouping, wanted),
        tableConstraints(grouping, compileWhere(grouping, filter), dialect),
      )

    it('accepts another order behind the timestamp only if the dialect gives the timestamp a mirror column', () => {
      expect(grouping.grouped).toBe(isGrouped ? 3 : undefined)
      expect(orders([])).toBe(true)
      expect(orders([asc('userId'), desc('at'), asc('line')])).toBe(true)
      expect(orders([asc('userId'), desc('at'), desc('line')])).toBe(isGrouped)
      expect(orders([asc('userId'), desc('at'), asc('shardId'), asc('line')])).toBe(false)
      expect(orders([asc('userId'), asc('at')])).toBe(false)
      expect(orders([desc('at')])).toBe(false)
      expect(orders([desc('at'), desc('line')], { userId: 7n })).toBe(isGrouped)
      expect(orders([asc('line')], { userId: 7n, at: new Date(0) })).toBe(!isGrouped)
      expect(orders([], { userId: 7n, at: new Date(0), line: 1n })).toBe(true)
    })
  })

  const indexes = layout.indexes.map((index) => [index.index.name, index] as const)

  /** Only one of them is sharded. */
  const shardOfRow = (index: IndexLayout, { day, userId }: PlainRow): number | undefined =>
    index.shard && shardOf([day as string | null, userId as bigint], 4)

  describe.each(indexes)('key ranges of the index %s', (_, index) => {
    it('every row that matches the filter lies in a shard and a key range that is read', () => {
      let runs = 0
      let matched = 0
      fc.assert(
        fc.property(filters(table), fc.array(row, { minLength: 5, maxLength: 20 }), (filter, rows) => {
          runs++
          const condition = compileWhere(layout, filter)
          const matches = predicateOf(condition, dialect)
          const constraints = tableConstraints(layout, condition, dialect)
          const shards = shardsToRead(layout, index, constraints)
          const missed = rows.filter((each) => {
            if (matches(each) !== true) return false
            matched++
            const shard = shardOfRow(index, each)
            const range = shardRange(index, shard, constraints)
            return shards?.includes(shard!) === false || !isInRange(dialect, index, each, range)
          })
          expect(missed).toStrictEqual([])
        }),
        { numRuns: 300 },
      )
      expect(matched / runs).toBeGreaterThan(1)
    })

    it('orderingWires() returns the first key parts of the index, up to the last one that orders rows', () => {
      fc.assert(
        fc.property(row, (each) => {
          const { prefix } = shardKey(shardOfRow(index, each))
          const key = [...prefix, ...orderingWires(index, each)]
          expect(key).toStrictEqual(keyOf(index, each).slice(0, index.grouped))
        }),
      )
    })
  })

  /** The order of an index's parts; undefined where the index has NULL at another end than the dialect. */
  const ordered = layout.indexes.flatMap((index) => {
    const wanted = index.index.parts.map(({ property, order }): WantedOrder => ({
      property,
      direction: order,
    }))
    const order = totalOrder(layout, wanted)
    return isKeyOrder(index, order, new Map()) ? [[index.index.name, { index, order }] as const] : []
  })

  it('every index has a key order, except NULLS FIRST and NULLS LAST indexes in PostgreSQL', () => {
    const turned = dialect === spannerPostgresql ? ['NullsFirst', 'NullsLast'] : []
    expect(ordered.map(([name]) => name)).toStrictEqual(
      indexes.map(([name]) => name).filter((name) => !turned.includes(name)),
    )
  })

  it.each(ordered)(
    'the key range after a row of %s holds the rows of its group and of all later groups',
    (_, { index, order }) => {
      const compare = rowOrder(dialect, order)
      const { key, grouped } = index
      const groups = {
        key: key.slice(0, grouped).filter(({ field }) => field !== index.shard),
        shard: undefined,
      }
      const inGroup = (a: PlainRow, b: PlainRow) =>
        compareKeys(dialect, groups, keyOf(groups, a), keyOf(groups, b)) === 0
      let runs = 0
      let checked = 0
      fc.assert(
        fc.property(
          filters(table),
          row,
          fc.array(row, { minLength: 10, maxLength: 10 }),
          (filter, last, others) => {
            runs++
            const condition = compileWhere(layout, filter)
            const matches = predicateOf(condition, dialect)
            const constraints = tableConstraints(layout, condition, dialect)
            // Where the order is not the key's, the rows are not read by key.
            if (matches(last) !== true || !isKeyOrder(index, order, constraints)) return
            const misplaced = others.filter((other) => {
              if (matches(other) !== true) return false
              checked++
              const shard = shardOfRow(index, other)
              const range = shardRange(index, shard, constraints)
              const restOf = restAfter(index, order, positionOf(order, last), constraints)
              const rest = restOf(shardKey(shard), range)
              const isRead = rest !== undefined && isInRange(dialect, index, other, rest)
              return isRead !== (compare(last, other) < 0 || inGroup(last, other))
            })
            expect(misplaced).toStrictEqual([])
          },
        ),
        { numRuns: 500 },
      )
      expect(checked / runs).toBeGreaterThan(0.4)
    },
  )

  describe('shardsToRead() for an index', () => {
    const all = [0, 1, 2, 3]
    const shards = (filter: Filter) => shardsToRead(layout, indexNamed('ByRatio'), constraintsFor(filter))

    it('returns the shards of the index, not those of its table', () => {
      expect(shardCount(indexNamed('ByRatio'))).toBe(4)
      expect(shardCount(indexNamed('ByPage'))).toBeUndefined()
      expect(shards({})).toStrictEqual(all)
      expect(shards({ shardId: 1n })).toStrictEqual(all)
      expect(shardsToRead(layout, indexNamed('ByPage'), constraintsFor({ shardId: 1n }))).toBeUndefined()
    })

    it('returns one shard when the filter fixes all hashed columns of the index', () => {
      expect(shards({ userId: 1n, day: '2026-02-03' })).toStrictEqual([shardOf(['2026-02-03', 1n], 4)])
      expect(shards({ userId: 1n, day: null })).toStrictEqual([shardOf([null, 1n], 4)])
      expect(shards({ userId: { in: [] }, day: null })).toStrictEqual([])
      expect(shards({ userId: 1n })).toStrictEqual(all)
    })
  })

  it('an index interleaved in a parent with a mirror column is read by a statement, other indexes by key', () => {
    const Parent = defineTable('Parent', (t) => ({ region: t.string().key(), at: t.descTimestamp() }))
    const Child = defineTable(
      'Child',
      (t) => ({
        region: t.parentKey<string>(),
        at: t.parentKey<Date>(),
        line: t.int64().key(),
        page: t.string(),
      }),
      {
        interleaveIn: () => Parent,
        indexes: [
          {
            name: 'ByPage',
            on: ['region', { property: 'at', order: 'desc' }, 'page'],
            interleaveIn: () => Parent,
          },
        ],
      },
    )
    const child = new CompiledTables(defineSchema([Parent, Child]), dialect).of('Child')
    const plan = FanOutQuery.over<PlainRow>(servicesOf(memoryDriver(child, []), child), child)
      .orderBy('region')
      .orderBy('at', 'desc')
      .orderBy('page')
      .useIndex('ByPage')
      .strategy('merge-shards')
      .explain()
    // With mirror columns its parts are not a whole key; a statement names the columns instead.
    expect(plan.calls.map(({ kind }) => kind)).toStrictEqual([
      dialect === spannerPostgresql ? 'statement' : 'read',
    ])
  })

  it('an index covers its parts, the primary key and its stored columns', () => {
    const covered = (name: string) =>
      [...indexNamed(name).covered].map(({ column }) => column.property).toSorted()
    expect(covered('Narrow')).toStrictEqual(['at', 'page', 'shardId', 'userId'])
    expect(covered('ByPair')).toStrictEqual(['at', 'day', 'page', 'pair', 'ratio', 'shardId', 'userId'])
  })
})
