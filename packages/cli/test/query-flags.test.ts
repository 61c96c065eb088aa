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

describe('parseWhere()', () => {
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
  ])('converts the values of %s to the types of their columns', (text, where) => {
    expect(parseWhere(text, table!)).toEqual(where)
  })

  it('rejects text that is not JSON', () => {
    expect(() => parseWhere('{id:1}', table!)).toThrow('--where is not JSON')
  })

  it.each(['null', '5', '[]', '"id"'])('rejects the JSON value %s, which is not an object', (text) => {
    expect(() => parseWhere(text, table!)).toThrow(
      expect.objectContaining({
        message: `--where is ${text}, not an object of properties and values.`,
        fix: expect.stringContaining(`--where '{"userId":"7"}'`) as string,
      }),
    )
  })
})

describe('parseOrder()', () => {
  it('reads comma-separated and repeated lists of properties with directions', () => {
    expect(parseOrder(['at:desc,id', 'name:asc'])).toEqual([
      { property: 'at', direction: 'desc' },
      { property: 'id', direction: 'asc' },
      { property: 'name', direction: 'asc' },
    ])
  })

  it('rejects a direction other than asc and desc', () => {
    expect(() => parseOrder(['at:down'])).toThrow('--order-by at:down has the direction down.')
  })
})
