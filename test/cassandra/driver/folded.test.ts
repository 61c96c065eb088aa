import { defineSchema, defineTable } from '@isotherm/core'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Cells, Mutation, Wire } from '@isotherm/core/engine'
import { dialects, testKeyspace } from '../support/keyspace.js'
import { conditionalOf } from '../support/conditional.js'
import { byNodeClock } from '../../support/cassandra.js'

const Order = defineTable('order', (t) => ({
  id: t.uuidV4(),
  customer: t.string({ nullable: true }),
  total: t.int64({ nullable: true }),
}))
const Line = defineTable(
  'order_line',
  (t) => ({ id: t.parentKey(), line: t.int32().key(), sku: t.string({ nullable: true }) }),
  { interleaveIn: () => Order, onDelete: 'cascade' },
)
const schema = defineSchema([Order, Line])

describe.each(dialects)('child rows in the partition of their parent in $name', async (dialect) => {
  const { client, driver, layout } = await testKeyspace(schema, dialect)
  const [order, line] = [layout('order'), layout('order_line')]
  let id: string

  beforeEach(() => {
    id = crypto.randomUUID()
  })

  const orderOf = (op: 'insert' | 'update' | 'upsert', more: Readonly<Record<string, Wire>>): Mutation => {
    const row = { id, ...more }
    return { op, table: 'order', layout: order, columns: Object.keys(row), rows: [Object.values(row)] }
  }
  const lineOf = (op: 'insert' | 'upsert', lineNumber: number): Mutation => ({
    op,
    table: 'order_line',
    layout: line,
    columns: ['id', 'line', 'sku'],
    rows: [[id, lineNumber, `sku ${lineNumber}`]],
  })
  const whole = () => ({ start: [id], startOpen: false, end: [id], endOpen: false })
  const orders = (): Promise<Cells[]> =>
    driver.read({ layout: order, columns: order.columns.slice(1), keys: [[id]] })
  const lines = (): Promise<Cells[]> =>
    driver.read({ layout: line, columns: line.columns.slice(1), ranges: [whole()] })

  it('do not appear for a parent without children, and do not create a parent', async () => {
    await driver.writes.commit([orderOf('insert', { customer: 'c' })])
    expect(await orders()).toEqual([['c', null]])
    expect(await lines()).toEqual([])
    id = crypto.randomUUID()
    await driver.writes.commit([lineOf('insert', 1)])
    expect(await lines()).toEqual([[1, 'sku 1']])
    expect(await orders()).toEqual([])
    const ranges = [whole()]
    expect(await driver.read({ layout: order, columns: [order.columns[0]!], ranges, limit: 5 })).toEqual([])
  })

  it('are read forwards and backwards without their parent, and the parent is read once', async () => {
    await driver.writes.commit([orderOf('insert', { customer: 'c', total: '7' })])
    await driver.writes.commit([1, 2, 3].map((lineNumber) => lineOf('upsert', lineNumber)))
    expect(await lines()).toEqual([1, 2, 3].map((lineNumber) => [lineNumber, `sku ${lineNumber}`]))
    const backwards = {
      layout: line,
      columns: line.columns.slice(1, 2),
      ranges: [whole()],
      limit: 2,
    } as const
    expect(await driver.read({ ...backwards, reversed: true })).toEqual([[3], [2]])
    expect(await driver.read({ layout: line, columns: line.columns.slice(2), keys: [[id, 2]] })).toEqual([
      ['sku 2'],
    ])
    expect(await orders()).toEqual([['c', 7n]])
    const ranges = [whole()]
    expect(await driver.read({ layout: order, columns: [order.columns[1]!], ranges })).toEqual([['c']])
  })

  it('allow one insert of their parent, before or after the children are inserted', async () => {
    for (const first of [[], [lineOf('insert', 1)]]) {
      id = crypto.randomUUID()
      for (const mutation of first) await driver.writes.commit([mutation])
      await driver.writes.commit([orderOf('insert', { customer: null })])
      expect(await orders()).toEqual([[null, null]])
      await expect(driver.writes.commit([orderOf('insert', { customer: 'd' })])).rejects.toMatchObject({
        code: 'ALREADY_EXISTS',
        table: 'order',
      })
    }
  })

  it('do not create a parent, so that an update of the parent throws NOT_FOUND', async () => {
    await driver.writes.commit([lineOf('insert', 1)])
    await expect(driver.writes.commit([orderOf('update', { customer: 'd' })])).rejects.toMatchObject({
      code: 'NOT_FOUND',
      table: 'order',
    })
    expect(await orders()).toEqual([])
    await driver.writes.commit([orderOf('update', { customer: 'd' })], { conditional: false })
    expect(await orders()).toEqual([['d', null]])
    await driver.writes.commit([orderOf('update', { customer: 'e' })])
    expect(await orders()).toEqual([['e', null]])
  })

  it('are inserted once, and are deleted with their parent', async () => {
    await driver.writes.commit([orderOf('upsert', { customer: 'c' }), lineOf('upsert', 1)])
    await expect(driver.writes.commit([lineOf('insert', 1)])).rejects.toMatchObject({
      code: 'ALREADY_EXISTS',
    })
    await driver.writes.commit([{ op: 'delete', table: 'order_line', layout: line, keys: [[id, 1]] }])
    expect(await lines()).toEqual([])
    expect(await orders()).toEqual([['c', null]])
    await driver.writes.commit([lineOf('upsert', 2)])
    await driver.writes.commit([{ op: 'delete', table: 'order', layout: order, keys: [[id]] }])
    expect(await lines()).toEqual([])
    expect(await orders()).toEqual([])
  })

  it('a new parent does not get values that remained in the static columns', async () => {
    await client.execute(`UPDATE "order" SET "customer" = 'long gone' WHERE "id" = ${id}`, [], byNodeClock)
    expect(await orders()).toEqual([])
    await driver.writes.commit([orderOf('insert', { customer: null, total: '1' })])
    expect(await orders()).toEqual([[null, 1n]])
  })

  it('a conditional write of the parent returns the stored values if the condition fails', async () => {
    const customer = order.columns[1]!
    const { writeIf } = conditionalOf(driver)
    const insert = { mutation: orderOf('insert', { customer: 'c' }), condition: null }
    expect(await writeIf(insert, [customer])).toEqual({ applied: true })
    expect(await writeIf(insert, [customer])).toEqual({ applied: false, found: ['c'] })
    const update = { mutation: orderOf('update', { customer: 'd' }), condition: { customer: 'x' } }
    expect(await writeIf(update, [customer])).toEqual({ applied: false, found: ['c'] })
  })
})
