import { defineSchema, defineTable } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { parseOrder, parseWhere } from '../src/commands/explain.js'

const [table] = defineSchema([
  defineTable('T', (t) => ({
    id: t.int64().key(),
    small: t.int64({ as: 'number' }),
    at: t.timestamp(),
    digest: t.bytes(),
    name: t.string(),
  })),
]).tables

describe('a filter in JSON', () => {
  it.each([
    ['{"id":"9007199254740993"}', { id: 9007199254740993n }],
    ['{"id":7}', { id: 7n }],
    ['{"id":{"in":["1","-2"]}}', { id: { in: [1n, -2n] } }],
    ['{"small":{"gt":"3"}}', { small: { gt: 3 } }],
    ['{"at":{"gte":"2026-11-21T09:30:00.123456789Z"}}', { at: { gte: '2026-11-21T09:30:00.123456789Z' } }],
    ['{"digest":"AQI="}', { digest: Buffer.from([1, 2]) }],
    ['{"name":"7"}', { name: '7' }],
    ['{"id":null}', { id: null }],
    ['{"OR":[{"id":"1"},{"NOT":{"id":{"ne":"2"}}}]}', { OR: [{ id: 1n }, { NOT: { id: { ne: 2n } } }] }],
    ['{"unknown":"1"}', { unknown: '1' }],
  ])('%s', (text, where) => {
    expect(parseWhere(text, table!)).toEqual(where)
  })

  it('is refused where it is no JSON', () => {
    expect(() => parseWhere('{id:1}', table!)).toThrow('--where is not JSON')
  })

  it.each(['null', '5', '[]', '"id"'])('is refused where it is %s', (text) => {
    expect(() => parseWhere(text, table!)).toThrow(
      expect.objectContaining({
        message: `--where is ${text}, not an object of properties and values.`,
        fix: expect.stringContaining(`--where '{"userId":"7"}'`) as string,
      }),
    )
  })
})

describe('an order', () => {
  it('is a list of properties', () => {
    expect(parseOrder(['at:desc,id', 'name:asc'])).toEqual([
      { property: 'at', direction: 'desc' },
      { property: 'id', direction: 'asc' },
      { property: 'name', direction: 'asc' },
    ])
  })

  it('has two directions', () => {
    expect(() => parseOrder(['at:down'])).toThrow('--order-by at:down has the direction down.')
  })
})
