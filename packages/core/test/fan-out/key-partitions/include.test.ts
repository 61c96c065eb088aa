import { type PlainRow, CompiledTables } from '@isotherm/core/tools'
import { defineSchema, defineTable } from '@isotherm/core'
import { cql } from '@isotherm/cassandra'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FanOutQuery } from '../../../src/read/query.js'
import { partitionedDriver } from '../support/partitioned.js'

// Children that lie in their parents' partitions: a key range of each row.

const Customer = defineTable('customer', (t) => ({
  shard: t.shardKey({ shards: 3, of: ['id'] }),
  id: t.int64().key(),
  name: t.string(),
}))
const Order = defineTable(
  'order',
  (t) => ({
    shard: t.parentKey(),
    id: t.parentKey(),
    at: t.timestamp().key('desc'),
    kind: t.int32().key(),
    state: t.string({ nullable: true }),
  }),
  { interleaveIn: () => Customer, rows: 'own' },
)
const schema = defineSchema([Customer, Order])
const tables = new CompiledTables(schema, cql)
const customers = tables.of('customer')
const orders = tables.of('order')

const SHARD = new Map([0n, 1n, 2n, 3n, 4n].map((id) => [id, id % 3n]))
const parents = [...SHARD].map(([id, shard]): PlainRow => ({ shard, id, name: `${id}` }))
const child = fc
  .record({
    id: fc.constantFrom(...SHARD.keys()),
    at: fc.integer({ min: 0, max: 3 }).map((ms) => orders.layout.byProperty.get('at')!.accept(new Date(ms))),
    kind: fc.integer({ min: 0, max: 2 }),
    state: fc.option(fc.constantFrom('new', 'sent')),
  })
  .map((row): PlainRow => ({ shard: SHARD.get(row.id)!, ...row }))
const children = fc.uniqueArray(child, {
  maxLength: 30,
  size: 'max',
  selector: ({ id, at, kind }) => `${id as bigint}/${(at as Date).getTime()}/${kind as number}`,
})

type Term = readonly ['at' | 'kind' | 'state', 'asc' | 'desc']

const compared = (a: unknown, b: unknown): number => {
  if (a === null || b === null) return Number(b === null) - Number(a === null)
  const [left, right] = a instanceof Date ? [a.getTime(), (b as Date).getTime()] : [a as string, b as string]
  return left < right ? -1 : left > right ? 1 : 0
}

describe('include() of children in the partition of their parent', () => {
  it('returns the same children for each row as filter, sort and limit in memory', async () => {
    await fc.assert(
      fc.asyncProperty(
        children,
        fc.array(
          fc.tuple(
            fc.constantFrom('at', 'kind', 'state'),
            fc.constantFrom('asc', 'desc'),
          ) as fc.Arbitrary<Term>,
          { maxLength: 2 },
        ),
        fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
        fc.constantFrom(
          {},
          { state: 'new' },
          { at: new Date(1) },
          { at: { gte: new Date(1), lt: new Date(3) } },
        ),
        async (rows, wanted, limit, where) => {
          const orderBy = wanted.filter(([name], at) => wanted.findIndex((other) => other[0] === name) === at)
          const driver = partitionedDriver([
            [customers, parents],
            [orders, rows],
          ])
          const found = await FanOutQuery.over<PlainRow>({ driver, tables }, customers)
            .where({ id: { in: [...SHARD.keys()] } })
            .include('orders', 'order', { where, orderBy, ...(limit !== undefined && { limit }) } as never)
            .orderBy('id')
            .all()
          const total: readonly Term[] = [...orderBy, ['at', 'desc'], ['kind', 'asc']]
          const bounds = where as { state?: string; at?: Date | { gte: Date; lt: Date } }
          const matches = ({ state, at }: PlainRow): boolean =>
            (bounds.state === undefined || state === bounds.state) &&
            (bounds.at === undefined ||
              (bounds.at instanceof Date
                ? compared(at, bounds.at) === 0
                : compared(at, bounds.at.gte) >= 0 && compared(at, bounds.at.lt) < 0))
          const family = (id: unknown): PlainRow[] =>
            rows
              .filter((row) => row['id'] === id && matches(row))
              .toSorted((a, b) => {
                for (const [name, direction] of total) {
                  const difference = compared(a[name], b[name])
                  if (difference !== 0) return direction === 'asc' ? difference : -difference
                }
                return 0
              })
              .slice(0, limit)
          expect(found).toStrictEqual(parents.map((parent) => ({ ...parent, orders: family(parent['id']) })))
        },
      ),
      { numRuns: 150 },
    )
  })

  it('reads no more children than the limit when the key has the wanted order, in either direction', async () => {
    const many = Array.from({ length: 50 }, (_, n): PlainRow => ({
      shard: 1n,
      id: 1n,
      at: orders.layout.byProperty.get('at')!.accept(new Date(n)),
      kind: 0,
      state: null,
    }))
    const driver = partitionedDriver([
      [customers, parents],
      [orders, many],
    ])
    const query = FanOutQuery.over<PlainRow>({ driver, tables }, customers).where({ id: 1n })
    const withOptions = (options: object) => query.include('orders', 'order', options as never)
    const newest = withOptions({ limit: 2 })
    const [row] = (await newest.all()) as { orders: { at: Date }[] }[]
    expect(row!.orders.map(({ at }) => at.getTime())).toEqual([49, 48])
    const oldest = withOptions({
      limit: 2,
      orderBy: [
        ['at', 'asc'],
        ['kind', 'desc'],
      ],
    })
    const [other] = (await oldest.all()) as { orders: { at: Date }[] }[]
    expect(other!.orders.map(({ at }) => at.getTime())).toEqual([0, 1])
    // A customer and two orders, both times.
    expect(driver.sent.rows).toBe(6)
    expect(String(newest.explain())).toContain(
      'include   orders from order by read: the limit ends the read of each row',
    )
    expect(String(withOptions({}).explain())).toContain(
      "by read: each row's children are a key range of one partition",
    )
    expect(newest.explain()).toMatchObject({ snapshot: false })
  })
})
