import { defineSchema, defineTable, IsothermError, openDatabase } from '@isotherm/core'
import { googlesql, spannerPostgresql } from '@isotherm/spanner'
import { describe, expect, it } from 'vitest'
import { statementDriver } from '../support/statements.js'

const Item = () => {
  const table = defineTable('Item', (t) => ({
    id: t.uuidV4(),
    at: t.timestamp({ nullable: true }),
    price: t.numeric({ nullable: true }),
    total: t.int64({ nullable: true }),
  }))
  return { table, schema: defineSchema([table]) }
}
const unavailable = new IsothermError('UNAVAILABLE', 'Later.', { retryable: true })

describe('calls of an aggregate', () => {
  it('an aggregate is repeated after UNAVAILABLE until it succeeds', async () => {
    const { table, schema } = Item()
    let failures = 2
    const driver = statementDriver(googlesql, async () => {
      if (failures-- > 0) throw unavailable
      return [[7n]]
    })
    expect(await openDatabase({ driver, schema }).fanOut(table).count()).toBe(7)
    expect(driver.calls).toHaveLength(3)
  })

  it('an aggregate is not repeated after CONSTRAINT', async () => {
    const { table, schema } = Item()
    const refusal = new IsothermError('CONSTRAINT', 'numeric overflow: SUM')
    const driver = statementDriver(googlesql, () => Promise.reject(refusal))
    await expect(openDatabase({ driver, schema }).fanOut(table).sum('price')).rejects.toBe(refusal)
    expect(driver.calls).toHaveLength(1)
  })

  it('one timeout covers all attempts of an aggregate', async () => {
    const { table, schema } = Item()
    const driver = statementDriver(googlesql, async () => {
      throw unavailable
    })
    const items = openDatabase({ driver, schema }).fanOut(table).options({ timeoutMs: 20 })
    await expect(items.sum('total')).rejects.toMatchObject({
      code: 'TIMEOUT',
      message: expect.stringContaining('Reading Item did not end within 20 ms.'),
    })
    const timeouts = driver.calls.map(({ call }) => call!.timeoutMs!)
    expect(timeouts).toEqual(timeouts.toSorted((a, b) => b - a))
  })

  it('an aggregate rejects with CANCELLED, and is not repeated, when its signal aborts', async () => {
    const { table, schema } = Item()
    const controller = new AbortController()
    const driver = statementDriver(googlesql, async () => {
      controller.abort(new Error('Enough.'))
      throw unavailable
    })
    const items = openDatabase({ driver, schema }).fanOut(table).options({ signal: controller.signal })
    await expect(items.max('at')).rejects.toMatchObject({ code: 'CANCELLED', table: 'Item' })
    expect(driver.calls).toHaveLength(1)
  })

  it('an aggregate passes the timestamp bound, the priority and the tag of its query to the driver', async () => {
    const { table, schema } = Item()
    const driver = statementDriver(googlesql)
    const at = { exactStaleness: 5 }
    const options = { priority: 'low', tag: 'report' } as const
    const items = openDatabase({ driver, schema }).fanOut(table).timestampBound(at).options(options)
    await items
      .groupBy('total')
      .select({ rows: { count: true } })
      .all()
    expect(driver.calls[0]!.call).toMatchObject({ at, ...options })
  })

  it('having, order and limit are applied client-side for an engine that cannot filter groups', async () => {
    const { table, schema } = Item()
    const groups = [
      ['10', 1n, '-2', [new Date(3), null, new Date(9)]],
      ['9.5', 2n, '3', [null]],
      [null, 3n, '4', null],
      ['100', 4n, '5', [new Date(1)]],
      ['-1', 5n, null, [new Date(0)]],
    ]
    const driver = statementDriver(spannerPostgresql, () => Promise.resolve(groups), [
      'numeric-order',
      'nanosecond-extremes',
    ])
    const query = openDatabase({ driver, schema })
      .fanOut(table)
      .groupBy('price')
      .select({ rows: { count: true }, sum: { sum: 'total' }, last: { max: 'at' } })
      .having({ OR: [{ rows: { gt: 1 } }, { last: { gte: new Date(9) } }], NOT: { sum: 5n } })
    expect(await query.limit(3).all()).toEqual([
      { price: '9.5', rows: 2, sum: 3n, last: null },
      { price: '10', rows: 1, sum: -2n, last: new Date(9) },
      { price: null, rows: 3, sum: 4n, last: null },
    ])
    expect((await query.orderBy('sum', 'desc').all()).map(({ sum }) => sum)).toEqual([4n, 3n, -2n])
    expect(driver.calls.map(({ statement }) => statement.parameters)).toEqual([[], []])
  })
})
