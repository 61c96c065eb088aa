import { defineSchema, defineTable, type Schema } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { describeHidden, hiddenRows } from '../../src/changes/plan-changes.js'

function log(since?: string, table = 'log'): Schema {
  return defineSchema([
    defineTable(table, (t) => ({
      day: t.timeBucket({ by: 'day', of: 'at', ...(since !== undefined && { since }), name: 'd' }),
      shard: t.shardKey({ shards: 4, of: ['userId'] }),
      at: t.descTimestamp({ default: 'now' }),
      userId: t.int64().key(),
    })),
  ])
}

const messages = (from: Schema, to: Schema): string[] => hiddenRows(from, to).map(describeHidden)
const WARNING = 'Rows before that stay, and no query over a span of time finds them: delete them first.'

describe('hiddenRows()', () => {
  it('returns the rows before the first time bucket when the first time bucket moves forward', () => {
    expect(messages(log('2024-01-01'), log('2024-06-01'))).toEqual([
      `log: d begins at 2024-06-01, and no longer at 2024-01-01. ${WARNING}`,
    ])
    expect(messages(log(), log('2024-06-01'))).toEqual([`log: d begins at 2024-06-01. ${WARNING}`])
  })

  it('returns nothing when the first time bucket stays or moves back, or when the table is new', () => {
    expect(messages(log('2024-01-01'), log('2024-01-01'))).toEqual([])
    expect(messages(log('2024-01-01'), log('2023-01-01'))).toEqual([])
    expect(messages(log('2024-01-01'), log())).toEqual([])
    expect(messages(log(), log())).toEqual([])
    expect(messages(log('2024-01-01', 'other'), log('2024-06-01'))).toEqual([])
    expect(messages(defineSchema([]), log('2024-01-01'))).toEqual([])
  })
})
